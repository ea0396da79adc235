"""What a model expects after 64 nouns of persons: verbs in either form, and another noun.

    noun_verbs.parquet     a context of agreement-nouns and a verb: its margin, by words and by tokens
    noun_words.parquet     a context of agreement-nouns and a word of the key: how likely it is there
    subject_words.parquet  a context of agreement-controls: how likely the key's words are there, together

The key (data/nouns/key.csv) holds nouns that are no form of a verb, so that nothing that EW compares decides how much
a noun invites a noun. data/nouns/make.py says how its words and the 64 nouns were chosen.
`tse_book.claims.noun_statements` says what the tables are asked. All log-odds and log-probabilities are in nats.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from tse_book.studies.controls import SUBJECTS, WHOLE, by_verb
from tse_book.studies.details import Detail, small_detail
from tse_core.agreement.evaluate import evaluate
from tse_core.agreement.evaluation import Evaluation
from tse_core.datasets.lemmas import DEFAULT
from tse_core.datasets.loading import data_hash
from tse_core.forward.word_forms import FormScores, form_log_probabilities
from tse_core.models.language_model import LanguageModel
from tse_core.paths import data_folder
from tse_core.results.signature import Signature

NOUNS = "agreement-nouns"
CONTEXT = ["construction", "opener", "noun", "left", "right"]


def subject_nouns() -> pd.DataFrame:
    """The nouns of agreement-nouns: noun, verb (whether it is a verb too), zipf (its frequency)."""
    table = pd.read_csv(data_folder() / "nouns" / "subjects.csv", keep_default_na=False)
    return table.assign(verb=table["verb"] == "yes")


def key_words() -> pd.DataFrame:
    """The words of the key, singular and plural: word, number."""
    table = pd.read_csv(data_folder() / "nouns" / "key.csv", keep_default_na=False)
    plurals = [plural for plural in table["plural"] if plural]
    singular = pd.DataFrame({"word": table["word"], "number": "singular"})
    plural = pd.DataFrame({"word": plurals, "number": "plural"})
    return pd.concat([singular, plural], ignore_index=True)


def nouns_for(model: LanguageModel, lemmas: str = DEFAULT) -> dict[str, Callable[[], Detail]]:
    """The tables of a recorded run, as ``record_details`` takes them."""
    return {name: partial(measure, model, lemmas) for name, measure in NOUN_MEASURES.items()}


def verb_table(model: LanguageModel, lemmas: str = DEFAULT) -> Detail:
    """Every verb after every noun of agreement-nouns: a row for each.

    ``log_odds`` (of the form in -s) and ``log_singular`` (the log-probability of that form) are by whole words, each
    form's probability times that of the word's end there; ``log_odds_tokens`` is without the ends.
    """
    words = evaluate(
        model, NOUNS, lemmas, word_end=True, cutoffs=WHOLE, detail="forms", sample="all"
    )
    tokens = evaluate(model, NOUNS, lemmas, cutoffs=WHOLE, detail="forms")
    if tokens.lemmas["lemma"].tolist() != words.lemmas["lemma"].tolist():
        raise AssertionError("verbs by whole words and by tokens differ")
    columns = {
        "log_odds": words.log_odds,
        "log_odds_tokens": tokens.log_odds,
        "log_singular": words.log_probabilities("singular"),
    }
    table = by_verb(words, columns, lemmas).drop(columns="number")  # all are singular
    signatures = {"whole words": words.signature, "single tokens": tokens.signature}
    return small_detail(table, signatures)


def word_table(model: LanguageModel, lemmas: str = DEFAULT) -> Detail:
    """Every word of the key after every noun of agreement-nouns: a row for each.

    ``log_probability`` is that of the word's tokens, ``log_end`` that of the word's end after them (0 for a masked
    model, which sees where a word ends). Words that the tokenizer cannot spell are left out.
    """
    by_words = evaluate(model, NOUNS, lemmas, cutoffs=WHOLE)
    contexts = by_words.contexts[CONTEXT]
    key = _spelled(model, key_words())
    ends = None if model.kind == "masked" else model.word_ends
    scores = _scores(model, contexts, key["word"].tolist(), ends)
    table = contexts.loc[np.repeat(contexts.index, len(key))].reset_index(drop=True)
    table["word"] = np.tile(key["word"], len(contexts))
    table["log_probability"] = scores.log_probability.ravel().round(4)
    table["log_end"] = scores.log_end.ravel().round(4)
    return small_detail(table, {NOUNS: _signature(by_words, NOUNS, contexts, key)})


def subject_word_table(model: LanguageModel, lemmas: str = DEFAULT) -> Detail:
    """Every singular subject of agreement-controls: a row for each of its contexts.

    ``log_sum`` is the logarithm of the summed probability of the key's words in the singular. It is by tokens, without
    the words' ends: whole words would take an hour, and all words are single tokens for the recorded models.
    """
    by_words = evaluate(model, SUBJECTS, lemmas, cutoffs=WHOLE)
    is_singular = by_words.contexts["number"] == "singular"
    contexts = by_words.contexts.loc[is_singular, CONTEXT].reset_index(drop=True)
    key = key_words()
    key = _spelled(model, key[key["number"] == "singular"])
    scores = _scores(model, contexts, key["word"].tolist(), None)
    table = contexts.assign(log_sum=logsumexp(scores.log_probability, axis=1).round(4))
    return small_detail(table, {SUBJECTS: _signature(by_words, SUBJECTS, contexts, key)})


def _spelled(model: LanguageModel, key: pd.DataFrame) -> pd.DataFrame:
    """The words that the tokenizer can spell."""
    spellings = model.spellings(key["word"].tolist())
    return key[[spelling is not None for spelling in spellings]]


def _scores(
    model: LanguageModel, contexts: pd.DataFrame, words: list[str], ends: np.ndarray | None
) -> FormScores:
    """Words that can be spelled, in the place of the verb; `ends` as `form_log_probabilities` takes them."""
    slots = model.slots(list(zip(contexts["left"], contexts["right"], strict=True)))
    return form_log_probabilities(
        model,
        slots,
        [spelling for spelling in model.spellings(words) if spelling is not None],
        ends=ends,
    )


def _signature(
    evaluation: Evaluation, name: str, contexts: pd.DataFrame, key: pd.DataFrame
) -> Signature:
    """The signature of the key's words in the contexts of an evaluation."""
    identity = {
        "model": evaluation.signature.identity["model"],
        "data": f"{name}-key@{data_hash(contexts.merge(key, how='cross'))}",
    }
    return Signature(identity, evaluation.signature.policy)


NOUN_MEASURES = {
    "noun_verbs": verb_table,
    "noun_words": word_table,
    "subject_words": subject_word_table,
}
