"""The input of `evaluate`, checked and prepared: contexts, the lemmas that count, a sample."""

import warnings
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pandas as pd

from tse_core.agreement.counted_forms import FORMS_POLICIES, CountedForms, FormsPolicy, counted_forms
from tse_core.agreement.divisions import refuse_taken_names
from tse_core.agreement.job import Cut, Job, Keep
from tse_core.agreement.samples import SAMPLE_SIZE, stratified_sample
from tse_core.datasets.coerce import as_lemmas, as_pairs
from tse_core.datasets.lemmas import REQUIRED, Lemmas, load_lemmas
from tse_core.datasets.names import data_hash
from tse_core.datasets.numbers import require_agreement, with_numbers
from tse_core.datasets.pairs import PROTOCOLS, Protocol, context_factors, context_index, contexts_of, with_nouns
from tse_core.errors import InputError, LittleCountedWarning, UnknownWordsWarning, check_known
from tse_core.metrics.table import Cutoffs, check_cutoffs
from tse_core.models.coerce import as_language_model
from tse_core.models.language_model import LanguageModel

LITTLE = 0.1  # share of a verb list; if the vocabulary holds less, warn


def prepare(
    model: LanguageModel | str | Path,
    pairs: pd.DataFrame | str | Path,
    lemmas: Lemmas | str | Path | None,
    *,
    cutoffs: Cutoffs,
    protocol: Protocol,
    keep: Keep,
    forms: FormsPolicy = "single",
    sample: int | Literal["all"] | None = None,
    seed: int = 0,
    cut: Cut = "list",
) -> Job:
    """Everything that is known before the first forward pass; bad input raises here."""
    _check_choices(protocol, keep, forms, sample, seed)
    _check_cut(cut, forms, cutoffs)
    pairs = as_pairs(pairs)
    if pairs.empty:
        raise InputError("there are no pairs to score")
    given, lemmas = len(pairs), _in_order(as_lemmas(lemmas, protocol, pairs.attrs.get("name", "")))
    refuse_taken_names(pairs, lemmas.table)
    require_agreement(pairs, lemmas)
    pairs, guessed = _numbered(with_nouns(pairs), lemmas)
    model = as_language_model(model)
    if cut == "all-words" and model.kind == "masked":
        raise InputError(f"{model.label} is a masked model: words of different lengths have no order; use cut='list'")
    if protocol == "released" and model.bos == "default":  # the released code itself adds no BOS token
        model = model.with_policies(bos="tokenizer")
    found = counted_forms(model, lemmas, forms, pd.concat([pairs["correct"], pairs["wrong"]]).unique())
    if found.words and found.words.end:
        model.word_ends  # noqa: B018  (a tokenizer that does not show them is refused here)
    data = f"{pairs.attrs.get('name', 'pairs')}@{data_hash(pairs)}"
    unknown_number = given - len(pairs)
    index, contexts = _contexts(pairs, model.kind, protocol)
    sample = sample or (SAMPLE_SIZE if found.words and model.device.type == "cpu" else "all")
    all_contexts = len(contexts)
    if sample != "all":
        pairs, index, contexts = _sampled(pairs, index, contexts, sample, seed)
    pairs = pairs.reset_index(drop=True)
    of_pairs = _forms_of_pairs(pairs, found, model.kind)
    left_out = {
        _why_no_form(model, found): int((of_pairs < 0).any(axis=1).sum()),
        "the subject's number is not known": unknown_number,
        "their contexts are not in the sample": given - unknown_number - len(pairs),
    }
    scored = _scored(given, left_out, guessed, found, lemmas, model.label) + _unknown_words(model, contexts)
    if sample != "all":
        scored += f"; a sample of {len(contexts):,} of {all_contexts:,} contexts (seed {seed})"
    counted = f"{lemmas.name}@{lemmas.hash}({len(found.lemmas)})"
    drawn = "" if sample == "all" else f"{sample}@{seed}"
    return Job(
        model=model, pairs=pairs, index=index, contexts=contexts, lemmas=found.lemmas, data=data, counted=counted,
        scored=scored, inflection_ids=found.ids, pair_forms=of_pairs, cutoffs=cutoffs, protocol=protocol, keep=keep,
        words=found.words, cut=cut, sample=drawn,
    )  # fmt: skip


def _contexts(pairs: pd.DataFrame, kind: str, protocol: Protocol) -> tuple[np.ndarray, pd.DataFrame]:
    """The context of each pair, and the contexts with their subject, its noun and the factors of a design."""
    index = context_index(pairs, kind, protocol)
    contexts = contexts_of(pairs, index, kind, ["construction", "subject", "noun", "left", "right", "number"])
    return index, pd.concat([contexts, context_factors(pairs, index, kind)], axis=1)


def _forms_of_pairs(pairs: pd.DataFrame, found: CountedForms, kind: str) -> np.ndarray:
    """Entries, or places in the list of words, of each pair's correct and wrong form (pairs, 2); -1 for none."""
    sides = [pairs[side].map(found.where).fillna(-1).to_numpy(np.int64) for side in ("correct", "wrong")]
    places = np.stack(sides, axis=1)
    if found.words and kind == "masked":
        lengths = np.array([len(spelling) for spelling in found.words.spellings])
        places[lengths[places[:, 0]] != lengths[places[:, 1]]] = -1
    return places


def _check_choices(protocol, keep, forms, sample, seed) -> None:
    check_known("protocol", protocol, PROTOCOLS)
    check_known("detail to keep", keep, get_args(Keep))
    check_known("forms", forms, FORMS_POLICIES)
    if protocol == "released" and forms != "single":
        raise InputError(f"the released code counts single entries only; forms={forms!r} goes with protocol 'exact'")
    whole = not isinstance(sample, bool) and isinstance(sample, int | np.integer) and sample > 0
    if not (whole or sample in (None, "all")) or type(seed) is not int or seed < 0:
        raise InputError(
            "a sample is a number of contexts of each construction, from 1 on, or 'all', and its seed a number from 0 "
            f"on, not {sample!r} and {seed!r}"
        )


def _check_cut(cut: Cut, forms: FormsPolicy, cutoffs: Cutoffs) -> None:
    if not isinstance(cutoffs, Cutoffs):
        raise InputError(
            f"cutoffs is {cutoffs!r}; it must be Cutoffs(top, bottom), two tuples of shares of probability"
        )
    check_cutoffs(cutoffs)
    check_known("cut", cut, get_args(Cut))
    if cut == "all-words" and forms != "words":
        raise InputError(f"cut='all-words' goes with forms='words', not {forms!r}")
    if cut == "all-words" and cutoffs.bottom:
        raise InputError(
            "bottom p over all words cannot be computed, as there is no least probable word; give top cut-offs alone, "
            "e.g. cutoffs=Cutoffs((0.1, 0.5, 1.0), ())"
        )


def _in_order(lemmas: Lemmas) -> Lemmas:
    """The list sorted, so that shards number lemmas alike whatever order it was given in."""
    return Lemmas(lemmas.name, lemmas.table.sort_values(list(REQUIRED), ignore_index=True))


def _sampled(pairs: pd.DataFrame, index: np.ndarray, contexts: pd.DataFrame, size: int, seed: int):
    """The pairs of a sample of the contexts, the context of each, and these contexts in the order drawn."""
    chosen = stratified_sample(contexts, size, seed)
    place = np.full(len(contexts), -1)
    place[chosen] = np.arange(len(chosen))
    kept = place[index] >= 0
    return pairs[kept], place[index[kept]], contexts.iloc[chosen].reset_index(drop=True)


def _numbered(pairs: pd.DataFrame, lemmas: Lemmas) -> tuple[pd.DataFrame, int]:
    """The pairs whose subject's number is given or shown by the forms, and how many numbers are guesses."""
    if pairs["number"].ne("").all():
        return pairs, 0
    pairs, guessed = with_numbers(pairs, [lemmas, load_lemmas("newman-appendix")])
    known = pairs["number"] != ""
    if not known.any():
        raise InputError(
            f"no pair says its subject's number, and their verbs do not show it (the first: "
            f"{pairs['correct'].iloc[0]}/{pairs['wrong'].iloc[0]}); add a column number (singular or plural), give a "
            "verb list with these verbs, or compare whole sentences (tse blimp)"
        )
    return pairs[known], guessed


def _why_no_form(model: LanguageModel, found: CountedForms) -> str:
    if not found.words or found.words.forms == "single-end":
        return "the verb's forms are not one token each"
    return f"the verb's forms are not {'equally long in tokens' if model.kind == 'masked' else 'spelled'}"


def _unknown_words(model: LanguageModel, contexts: pd.DataFrame) -> str:
    """A note, and a warning, with the words around the slots that the tokenizer does not know; "" if it knows all."""
    if model.unknown_id is None:
        return ""
    read = [contexts["left"], contexts["right"]] if model.kind == "masked" else [contexts["left"]]
    words = sorted({word for text in pd.concat(read).unique() for word in text.split()})
    found = [word for word, marks in zip(words, model.unkify(words), strict=True) if any(marks)]
    if not found:
        return ""
    more = f" and {len(found) - 5:,} more" if len(found) > 5 else ""
    named = ", ".join(map(repr, found[:5])) + more
    text = f"{model.label} reads words of the contexts as unknown ({named}): scores do not depend on which they are"
    warnings.warn(text, UnknownWordsWarning, stacklevel=4)
    return f"; words of the contexts that {model.label} does not know: {named}"


def _scored(given: int, left_out: dict[str, int], guessed: int, found: CountedForms, lemmas: Lemmas, model: str) -> str:
    """One line on what could be scored; warns if that is next to nothing."""
    kept = len(found.lemmas)
    line = f"counted: {given - sum(left_out.values()):,} of {given:,} pairs, {kept:,} of {len(lemmas):,} lemmas"
    if found.words:
        line += f" as whole words ({found.single:,} of them single entries)"
    if kept < LITTLE * len(lemmas):
        line += " (hardly any: EW and MW are about these alone)"
        share = f"{kept:,} of the {len(lemmas):,} lemmas of {lemmas.name}"
        text = f"{model} holds both forms of only {share}; EW and MW are about these alone"
        warnings.warn(text, LittleCountedWarning, stacklevel=4)
    reasons = left_out | {"the number is a guess from English spelling": guessed}
    said = [f"{_pairs(count)}: {reason}" for reason, count in reasons.items() if count]
    if found.uneven:
        said.append(f"{found.uneven:,} lemmas: their two forms are not equally long in tokens")
    return "; ".join([line, *said])


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count:,} pairs"
