"""The models of a chapter on BLiMP, run on its pairs."""

from collections.abc import Iterable

from tse_book.laboratory import laboratory_ngram
from tse_book.pages.newman import laboratory_models
from tse_core.blimp.scores import PairScores, evaluate_blimp
from tse_core.models.coerce import load_model
from tse_core.models.language_model import LanguageModel
from tse_core.paths import store_folder


def blimp_models(
    models: Iterable[str], sentence_pairs: str, baseline_sentences: int = 0, dtype: str = "float32"
) -> list[LanguageModel]:
    """The models that know the pairs' words: on the laboratory's pairs only the laboratory's own.

    To these a 5-gram model trained on `baseline_sentences` laboratory sentences is added, if that is not 0.
    """
    own = sentence_pairs == "laboratory"
    opened = [load_model(name, dtype=dtype) for name in (laboratory_models(models) if own else models)]
    return opened + ([laboratory_ngram(baseline_sentences)] if own and baseline_sentences else [])


def blimp_runs(models: Iterable[LanguageModel], pairs, method: str | None = None) -> dict[str, PairScores]:
    """The scores of every pair, by the model's label; cached in the store."""
    return {model.label: evaluate_blimp(model, pairs, method=method, store=store_folder()) for model in models}
