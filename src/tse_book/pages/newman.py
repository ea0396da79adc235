"""Shared by the chapters on Newman et al. (2021): which models are real, what is compared with what, runs in words.

A laboratory model is compared with its own language, a real model with the published ones.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from html import escape

import pandas as pd

from tse_book.charts import with_table2 as with_table2
from tse_book.charts.theme import listed
from tse_book.pages.markup import shown
from tse_book.pages.notebook import table
from tse_book.pages.profiles import INSTEAD
from tse_book.published import MODELS
from tse_core.datasets.giant_verb_list import LEMMAS_EXPECTED
from tse_core.datasets.names import load_pairs
from tse_core.models.coerce import as_language_model
from tse_core.models.language_model import LanguageModel
from tse_core.results.signature import Signature

LABORATORY = "lab-"
DEFAULT = "smollm2-135m-instruct"  # the real model of the default build
CAUSAL, MASKED = "gpt2-xl", "bert-large-cased"  # the published model beside which one of each kind is drawn
BOS_IN_WORDS = {
    "cls": "between the marks that a masked model puts around every sentence",
    "none": "with nothing in front of the first word",
}

_PAGES = re.compile(r"\]\(([^()\s:]+)\.(?:md|ipynb)\b")


def is_laboratory(name: str) -> bool:
    """Whether a model, by its name or folder, is one of the laboratory.

    >>> is_laboratory("lab-lexical-causal"), is_laboratory("models/gpt2")
    (True, False)
    """
    return label(name).startswith(LABORATORY)


def label(name: str) -> str:
    """A model's name without its folder."""
    return str(name).rstrip("/").rpartition("/")[2]


def real_models(models: Iterable[str]) -> list[str]:
    """Those that are not of the laboratory, in their order."""
    return [name for name in models if not is_laboratory(name)]


def causal_models(models: Iterable[str]) -> list[str]:
    """The causal ones of the real models; opens each."""
    return [name for name in real_models(models) if opened(name).kind == "causal"]


@lru_cache
def opened(name: str) -> LanguageModel:
    """A model by its name, opened once for everything that a chapter measures."""
    return as_language_model(name)


def laboratory_models(models: Iterable[str]) -> list[str]:
    """Those of the laboratory, in their order."""
    return [name for name in models if is_laboratory(name)]


def what_is_missing(models: Iterable[str], lemmas: Iterable[str] = ()):
    """A note for a page without a real model or without the paper's verb list; else nothing."""
    if not real_models(models):
        return _note(
            "No real model in this build",
            f"This page was built without {DEFAULT}, because its file could not be fetched. What was published is "
            "shown all the same, and so are the laboratory models.",
        )
    if INSTEAD in lemmas and set(map(label, models)) & set(MODELS.values()):
        return _note(
            "Not the paper's whole list of verbs",
            f"The paper counts {LEMMAS_EXPECTED:,} verbs. Those of the authors' released file count here ({INSTEAD}); "
            "the others are in the Giant Verb List, a PDF that each reader downloads. EW and MW are about fewer "
            "verbs than in the paper, so none of their values is called reproduced.",
        )
    return say("")


def papers_own(models: Iterable[str]) -> list[str]:
    """Those that the paper itself scored, by their names."""
    return [name for name in map(label, models) if name in MODELS.values()]


def introduced(models: Iterable[str]) -> str:
    """The real models of a run by name, each with its relation to the paper, in a few words.

    >>> introduced(["models/gpt2-xl", "roberta-large", "my-bert", "lab-lexical-causal"])
    "the paper's own gpt2-xl and roberta-large, and my-bert, which the paper never saw"
    """
    own = papers_own(models)
    others = [label(name) for name in real_models(models) if label(name) not in own]
    named = [f"the paper's own {listed(own)}"] if own else []
    named += [f"{listed(others)}, which the paper never saw"] if others else []
    return ", and ".join(named) or "no real model (none could be had for this build)"


def who_is_asked(models: Iterable[str]) -> str:
    """A paragraph on which models of a run are in the paper's tables."""
    real, own = [label(name) for name in real_models(models)], papers_own(models)
    others = [name for name in real if name not in own]
    said = []
    if own:
        named = ", ".join(own)
        said.append(f"The paper's own models, run here: {named}. Each is shown beside its own published row.")
    if others == [DEFAULT]:
        said.append(
            "The model that the paper never saw is SmolLM2-135M-Instruct: small, causal, of 2024, tuned to follow "
            "instructions, its weights quantised to four bits. The paper's one causal model, GPT-2 XL, is more than "
            "ten times as large. Sentences like these may be in its training text."
        )
    elif others:
        said.append(
            f"The paper never saw these: {', '.join(others)}. Beside a causal model GPT-2 XL is shown, beside a masked "
            "one BERT-large-cased."
        )
    return " ".join(said) or "No real model took part in this build."


def neighbour(signature: Signature | str) -> str:
    """The published model that a model is compared with: itself, else the one of its kind."""
    signature = signature if isinstance(signature, Signature) else Signature.parse(signature)
    name = label(signature.model)
    if name in MODELS.values():
        return name
    return MASKED if signature.policy.get("bos") == "cls" else CAUSAL


def say(*sentences: str):
    """Sentences in Markdown that a cell computes, as a paragraph; nothing if all are empty. Names are escaped."""
    from IPython.display import Markdown

    text = _PAGES.sub(r"](\1.html", " ".join(filter(None, sentences)))  # Sphinx follows no link that a cell prints
    return Markdown(text.replace("<", "&lt;")) if text else shown("<!-- nothing to say -->")


def points(said: Mapping[str, Iterable[str]], otherwise: str = ""):
    """What was found of each model, a list under its name; `otherwise` where there is none."""
    lists = [
        f"<p>{escape(name)}:</p><ul>{''.join(f'<li>{escape(one)}</li>' for one in sentences if one)}</ul>"
        for name, sentences in said.items()
    ]
    return shown("".join(lists) or f"<p>{escape(otherwise)}</p>")


def verdict_of(model: str, rows: int, below: int, clear: int) -> str:
    """Whether EW is below TSE for one model, in a sentence: in how many rows, and in how many significantly (Holm).

    >>> verdict_of("m", 9, 9, 5)
    'For m, EW over single-token verbs is below TSE in all 9 rows, in 5 of them with p < .05 (paired by subject; Holm).'
    """
    share = f"all {rows}" if below == rows else f"{below} of {rows}"
    return (
        f"For {model}, EW over single-token verbs is below TSE in {share} rows, in {clear} of them with p < .05 "
        "(paired by subject; Holm)."
    )


def run_in_words(signature: Signature | str) -> str:
    """A run's signature as one sentence for a reader who has not learned to read signatures."""
    signature = signature if isinstance(signature, Signature) else Signature.parse(signature)
    policy = signature.policy
    verbs, _, rest = policy.get("lemmas", "").partition("@")
    count = rest.rpartition("(")[2].rstrip(")")
    bos = BOS_IN_WORDS.get(policy.get("bos", ""), f"after the token {policy.get('bos', '')}")
    weights = policy.get("dtype", "float32")
    if "quantised" in policy:
        weights = f"quantised to {policy['quantised']} and computed with in {weights}"
    return (
        f"{signature.model} read every context {bos}; {count or 'the'} verbs of the list {verbs} have both "
        f"forms in its vocabulary and were counted; its weights are {weights}."
    )


def bos_of(signature: Signature | str) -> str:
    """What a run put before the first word: a token's text, "nothing" or "[CLS]"."""
    signature = signature if isinstance(signature, Signature) else Signature.parse(signature)
    bos = signature.policy.get("bos", "none")
    return {"none": "nothing", "cls": "[CLS]"}.get(bos, bos)


def runs_table(curves: pd.DataFrame, caption: str):
    """The runs behind a figure: how many verbs counted, in plain words and by signature."""
    runs = curves.drop_duplicates("model")
    words = runs["signature"].map(run_in_words)
    told = pd.DataFrame({"model": runs["model"], "verbs": runs["lemmas"], "in plain words": words})
    return table(told, caption, note=" ‖ ".join(runs["signature"]))


def beside_real(measured: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """The published curves to draw behind those of each real model: its own, if the paper has it, or a neighbour's.

    Returns `printed` rows with a column `beside`, the real model in whose panels they stand. From a figure with only
    one model, that one is taken; else a causal model gets GPT-2 XL, a masked one BERT-large-cased.
    """
    parts = []
    for name, rows in measured.groupby("model", sort=False):
        if is_laboratory(name):
            continue
        masked = Signature.parse(rows["signature"].iloc[0]).policy.get("bos") == "cls"
        wanted = [name, MASKED if masked else CAUSAL, *printed["model"].unique()]
        neighbour = next(m for m in wanted if m in set(printed["model"]))
        parts.append(printed[printed["model"] == neighbour].assign(beside=name))
    return pd.concat(parts, ignore_index=True) if parts else printed.head(0).assign(beside="")


def contexts_of(data: Iterable[str]) -> pd.DataFrame:
    """The unique contexts of some data: construction, left, right, number."""
    pairs = pd.concat([load_pairs(name) for name in data], ignore_index=True)
    return pairs.drop_duplicates(["construction", "left", "right", "number"])


def _note(title: str, text: str):
    return shown(
        f'<div class="admonition note"><p class="admonition-title">{escape(title)}</p><p>{escape(text)}</p></div>'
    )
