"""Shared by the chapters on Newman et al. (2021): which models are real, and which are the laboratory's."""

from collections.abc import Iterable
from functools import lru_cache

from IPython.display import HTML

from tse_book.laboratory.names import is_laboratory
from tse_book.pages.profiles import papers_bos
from tse_core.models.language_model import LanguageModel
from tse_core.models.loading import as_language_model, load_model

DEFAULT = "smollm2-135m-instruct"  # the real model of the default build


def label(name: str) -> str:
    """A model's name without its folder."""
    return str(name).rstrip("/").rpartition("/")[2]


def real_models(models: Iterable[str]) -> list[str]:
    """Those that are not of the laboratory, in their order."""
    return [name for name in models if not is_laboratory(name)]


def causal_models(models: Iterable[str]) -> list[str]:
    """The causal ones of the real models; opens each."""
    return [name for name in real_models(models) if opened(name).kind == "causal"]


def first_model(models: Iterable[str]) -> list[str]:
    """One real model to show an example with, a causal one if there is one; none of a build without real models."""
    candidates = causal_models(models) or real_models(models)
    return candidates[:1]


@lru_cache
def opened(name: str) -> LanguageModel:
    """A model by its name, opened once for everything that a chapter measures without a protocol of its own."""
    return as_language_model(load_model(name, bos=papers_bos(name)))


def laboratory_models(models: Iterable[str]) -> list[str]:
    """Those of the laboratory, in their order."""
    return [name for name in models if is_laboratory(name)]


def what_is_missing(models: Iterable[str]):
    """A note for a page without a real model; else nothing."""
    if real_models(models):
        return HTML("<!-- nothing is missing -->")
    return HTML(
        '<div class="admonition note"><p class="admonition-title">No real model in this build</p>'
        f"<p>This page was built without {DEFAULT}, because its file could not be fetched. What was published is "
        "still shown, as are the laboratory models.</p></div>"
    )
