"""An n-gram model of the laboratory's language: the quickest model with known strengths and weaknesses."""

from functools import cache

from tse_book.baselines import train_baseline
from tse_book.laboratory.corpus import sentences
from tse_book.laboratory.language import load_language
from tse_book.laboratory.networks import tokenizer
from tse_core.models.language_model import LanguageModel


@cache
def laboratory_ngram(count: int) -> LanguageModel:
    """An n-gram model trained on `count` sentences of the laboratory's language, trained once a session."""
    language = load_language()
    corpus = sentences(language, "systematic", count)
    return train_baseline(corpus, tokenizer(language, "causal"), name="5-gram")
