"""From contexts to tables of scores: distributions at slots, then metrics over the verbs.

Rows of all tables are in the order of the contexts, or of the pairs, that were given, so that a
stored table serves any run that asks for the same ones.
"""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
import torch

from tse_core.agreement.options import Options
from tse_core.agreement.verbs import CountedVerbs
from tse_core.forward.passes import blocks
from tse_core.forward.word_forms import form_log_probabilities
from tse_core.metrics.definitions import COVERAGE, MARGIN, OF_CONTEXTS, OF_PAIRS, Cutoffs, Forms
from tse_core.metrics.scores import agreement, correct_and_wrong, cutoff_scores
from tse_core.models.language_model import LanguageModel, Prompt

GROUP = [
    "construction",
    "subject",
    "noun",
    "number",
]  # over the contexts of a group, a lemma's scores are summed
FORM_COLUMNS = [
    "log_odds",
    "log_probability_singular",
    "log_probability_plural",
    "mass_above_singular",
    "mass_above_plural",
]
SUMS = ["correct", "probability_correct", "probability_wrong", MARGIN]
PAIR_COLUMNS = [metric.column for metric in OF_PAIRS.values()] + [
    "log_probability_correct",
    "log_probability_wrong",
]


Advance = Callable[[float], None]  # takes the share of the work that was just done


class Distributions(NamedTuple):
    """Those of k contexts, over the vocabulary or the list of words: tensors (k, entries)."""

    contexts: np.ndarray  # (k,) their places among the contexts
    logits: (
        torch.Tensor
    )  # what is compared, and ranked by cut-offs once normalised over the entries
    log_probabilities: torch.Tensor  # nats
    ranked: int  # cut-offs rank this many entries, from the first
    total: np.ndarray | float  # (k, 1) their total probability: 1 for a vocabulary


def score_contexts(
    model: LanguageModel,
    verbs: CountedVerbs,
    options: Options,
    contexts: pd.DataFrame,
    pairs: pd.DataFrame,
    batch_tokens: int | None = None,
    advance: Advance = lambda share: None,
) -> dict[str, pd.DataFrame]:
    """The scores of contexts and of their pairs, by the names in `TABLES`.

    Contexts have left, right, number and the columns of `GROUP`, pairs correct, wrong and context,
    the place of each pair's context; `advance` is called with the share of the work that was just
    done.

    Returns
    -------
    - contexts: score and coverage, a row for each context and number at a cut-off (see
      `all_at_cutoffs`);
    - pairs: `PAIR_COLUMNS`, NaN where a form does not count;
    - lemmas: `SUMS` over the contexts of each group, for every lemma;
    - forms: a row for each context and lemma: `FORM_COLUMNS`, float32.
    """
    plural = (contexts["number"] == "plural").to_numpy()
    forms_of_pairs = pair_forms(model, verbs, pairs)
    contexts_of_pairs = pairs["context"].to_numpy()
    at_cutoffs = np.full((2, len(contexts), len(_cutoff_rows(options.cutoffs))), np.nan)
    of_pairs = np.full((len(pairs), len(PAIR_COLUMNS)), np.nan)
    sums = _LemmaSums(contexts, len(verbs.lemmas)) if options.detail != "contexts" else None
    forms = None
    if options.detail == "forms":
        forms = np.empty((len(contexts), len(verbs.lemmas), len(FORM_COLUMNS)), np.float32)

    slots = _slots(model, options, list(zip(contexts["left"], contexts["right"], strict=True)))
    distributions = _of_entries if verbs.policy.in_vocabulary else _of_words
    for block in distributions(model, verbs, slots, batch_tokens, advance):
        rows = block.contexts
        correct, wrong = _log_probabilities(block, verbs.ids, plural[rows])
        at_cutoffs[:, rows] = _at_cutoffs(block, verbs.ids, plural[rows], options, correct, wrong)
        position = np.full(len(contexts), -1)
        position[rows] = np.arange(len(rows))
        chosen = np.flatnonzero(position[contexts_of_pairs] >= 0)
        rows_of_pairs = position[contexts_of_pairs[chosen]]
        of_pairs[chosen] = _of_pairs(block, rows_of_pairs, forms_of_pairs[chosen], options)
        if sums is not None:
            wins = agreement(block.logits, verbs.ids, plural[rows])
            sums.add(rows, wins, correct, wrong)
        if forms is not None:
            forms[rows] = _form_rows(block, verbs.ids)

    tables = {
        "contexts": pd.DataFrame(at_cutoffs.reshape(2, -1).T, columns=["score", "coverage"]),
        "pairs": pd.DataFrame(of_pairs, columns=PAIR_COLUMNS),
    }
    if sums is not None:
        tables["lemmas"] = sums.table()
    if forms is not None:
        tables["forms"] = pd.DataFrame(forms.reshape(-1, len(FORM_COLUMNS)), columns=FORM_COLUMNS)
    return tables


class _LemmaSums:
    """The sums `SUMS` of every lemma over the contexts of each group."""

    def __init__(self, contexts: pd.DataFrame, lemmas: int):
        self.group, self.groups = pd.factorize(_groups(contexts))
        self.sums = np.zeros((len(SUMS), len(self.groups), lemmas))

    def add(
        self, rows: np.ndarray, wins: np.ndarray, correct: np.ndarray, wrong: np.ndarray
    ) -> None:
        """Add scores (k, lemmas) of contexts: agreement, and log-probabilities of both forms."""
        values = [wins, np.exp(correct), np.exp(wrong), correct - wrong]
        for total, of_contexts in zip(self.sums, values, strict=True):
            np.add.at(total, self.group[rows], of_contexts.astype(np.float64))

    def table(self) -> pd.DataFrame:
        """A row for each group and lemma: `GROUP`, lemma (its number), contexts, `SUMS`."""
        lemmas = self.sums.shape[2]
        groups = pd.DataFrame(list(self.groups), columns=GROUP).assign(
            contexts=np.bincount(self.group)
        )
        table = groups.loc[np.repeat(groups.index, lemmas)].reset_index(drop=True)
        table.insert(len(GROUP), "lemma", np.tile(np.arange(lemmas), len(groups)))
        table[SUMS] = self.sums.reshape(len(SUMS), -1).T
        return table.astype({"correct": np.int64})


def pair_forms(model: LanguageModel, verbs: CountedVerbs, pairs: pd.DataFrame) -> np.ndarray:
    """The entries, or positions, of each pair's two forms, int64 (pairs, 2); -1 for none.

    A masked model cannot compare forms of unequal lengths: both are -1.
    """
    both = [
        pairs[side].map(verbs.positions).fillna(-1).to_numpy(np.int64)
        for side in ("correct", "wrong")
    ]
    forms = np.stack(both, axis=1)
    if model.kind == "masked" and not verbs.policy.in_vocabulary:
        lengths = np.array([len(spelling) for spelling in verbs.spellings])
        known = (forms >= 0).all(axis=1)
        uneven = lengths[forms[:, 0]] != lengths[forms[:, 1]]
        forms[known & uneven] = -1
    return forms


def all_at_cutoffs(cutoffs: Cutoffs, scores: pd.DataFrame) -> pd.DataFrame:
    """The numbers of all contexts: context, metric, side, cutoff and the columns of `scores`."""
    rows = _cutoff_rows(cutoffs)
    contexts = np.arange(len(scores) // len(rows))
    table = rows.take(np.tile(np.arange(len(rows)), len(contexts))).reset_index(drop=True)
    table.insert(0, "context", np.repeat(contexts, len(rows)))
    return pd.concat([table, scores.reset_index(drop=True)], axis=1)


def _cutoff_rows(cutoffs: Cutoffs) -> pd.DataFrame:
    """The numbers of one context: metric, side, cutoff; last the margin, over all verbs."""
    rows = []
    for metric in OF_CONTEXTS:
        rows += [(metric, side, cutoff) for side, cutoff in cutoffs.listed()]
    rows.append((MARGIN, "top", 1.0))
    table = pd.DataFrame(rows, columns=["metric", "side", "cutoff"])
    table["metric"] = pd.Categorical(table["metric"], [*OF_CONTEXTS, MARGIN])
    table["side"] = pd.Categorical(table["side"], list(Cutoffs._fields))
    return table


def _groups(contexts: pd.DataFrame) -> pd.MultiIndex:
    """The group of each context.

    A subject known by its noun alone is named after it, an unknown one after its left context, so
    that it is a group by itself.
    """
    subjects = contexts["subject"].where(contexts["subject"] != "", contexts["noun"])
    subjects = subjects.where(contexts["noun"] != "", contexts["left"])
    return pd.MultiIndex.from_frame(contexts.assign(subject=subjects)[GROUP])


def _of_words(
    model: LanguageModel,
    verbs: CountedVerbs,
    slots: list[Prompt],
    batch_tokens: int | None,
    advance: Advance,
) -> Iterator[Distributions]:
    """The distributions of all slots over the words of the list."""
    ends = model.word_ends if verbs.ends else None
    words = form_log_probabilities(
        model, slots, verbs.spellings, ends=ends, batch_tokens=batch_tokens, advance=advance
    )
    logs = words.log_probability + words.log_end
    total = np.exp(logs[:, : verbs.listed]).sum(axis=1, keepdims=True)
    tensor = torch.from_numpy(logs)
    yield Distributions(np.arange(len(slots)), tensor, tensor, verbs.listed, total)


def _of_entries(
    model: LanguageModel,
    verbs: CountedVerbs,
    slots: list[Prompt],
    batch_tokens: int | None,
    advance: Advance,
) -> Iterator[Distributions]:
    """The distributions of all slots over the vocabulary, some at a time."""
    sequences = [slot.ids for slot in slots]
    positions = [[slot.position] for slot in slots]
    for block in blocks(model, sequences, positions, batch_tokens=batch_tokens):
        logits = block.logits
        in_order = (
            len(block.rows) == len(logits) and (block.rows == np.arange(len(block.rows))).all()
        )
        if not in_order:
            logits = logits[torch.as_tensor(block.rows, device=logits.device)]
        yield Distributions(block.requests, logits, logits.log_softmax(-1), logits.shape[1], 1.0)
        advance(len(block.rows) / len(slots))


def _slots(model: LanguageModel, options: Options, contexts: list[tuple[str, str]]) -> list[Prompt]:
    if options.protocol != "released" or model.kind == "causal":
        return model.slots(contexts)
    slots = model.text_slots(contexts)
    if not model.space:
        return slots
    # The released code counts the tokens of the left context without its leading space, plus one
    # for <s>.
    lefts = model.tokenizer([left for left, _ in contexts], add_special_tokens=False)["input_ids"]
    moved = []
    for slot, left in zip(slots, lefts, strict=True):
        last = len(slot.ids) - 1
        moved.append(Prompt(slot.ids, min(len(left) + 1, last)))
    return moved


def _log_probabilities(
    block: Distributions, ids: np.ndarray, plural: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Log-probabilities (nats) of correct and of wrong forms, each float64 (k, lemmas)."""
    correct, wrong = correct_and_wrong(block.log_probabilities, ids, plural)
    return correct.double().cpu().numpy(), wrong.double().cpu().numpy()


def _at_cutoffs(
    block: Distributions,
    ids: np.ndarray,
    plural: np.ndarray,
    options: Options,
    correct: np.ndarray,
    wrong: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Scores and coverage of some contexts, each (k, rows of `_cutoff_rows`).

    `correct` and `wrong` are the log-probabilities of the two forms (k, lemmas).
    """
    top, bottom = options.cutoffs
    accumulate: Literal["float32", "float64"] = (
        "float32" if options.protocol == "released" else "float64"
    )
    ranked = block.logits[:, : block.ranked]
    sides = cutoff_scores(ranked, ids, plural, top=top, bottom=bottom, accumulate=accumulate)
    scores = []
    for metric in OF_CONTEXTS.values():
        scores += [sides.top[metric.column], sides.bottom[metric.column]]
    margins = (correct - wrong).mean(axis=1)
    coverage = np.concatenate([sides.top[COVERAGE], sides.bottom[COVERAGE]], axis=1) * block.total
    of_lemmas = np.exp(correct).sum(axis=1) + np.exp(wrong).sum(axis=1)
    return (
        np.concatenate([*scores, margins[:, None]], axis=1),
        np.concatenate([*[coverage] * len(OF_CONTEXTS), of_lemmas[:, None]], axis=1),
    )


def _of_pairs(
    block: Distributions, rows: np.ndarray, forms: np.ndarray, options: Options
) -> np.ndarray:
    """`PAIR_COLUMNS` of some pairs (pairs, columns), by the rows of their contexts."""
    compared = block.logits
    if options.protocol == "released":
        compared = block.log_probabilities.exp()
    rows_there = torch.as_tensor(rows, device=compared.device)
    ids = torch.as_tensor(forms, device=compared.device).clamp(min=0)
    wins = compared[rows_there, ids[:, 0]] > compared[rows_there, ids[:, 1]]
    logs = [
        block.log_probabilities[rows_there, ids[:, form]].double().cpu().numpy() for form in (0, 1)
    ]
    of_pairs = Forms(np.exp(logs[0]), np.exp(logs[1]), wins.cpu().numpy().astype(float))
    scores = [
        metric.numerator(of_pairs) / metric.denominator(of_pairs) for metric in OF_PAIRS.values()
    ]
    counts = forms >= 0
    defined = np.stack([*[counts.all(axis=1)] * len(scores), counts[:, 0], counts[:, 1]], axis=1)
    return np.where(defined, np.stack([*scores, *logs], axis=1), np.nan)


def _form_rows(block: Distributions, ids: np.ndarray) -> np.ndarray:
    """`FORM_COLUMNS` of some contexts (k, lemmas, columns): log-odds and log-probabilities in nats,
    and the mass of all entries more probable than each form.

    The log-odds are taken before the softmax rounds, so that their sign is that of the comparison.
    """
    singular = torch.as_tensor(ids[:, 0], device=block.logits.device)
    plural = torch.as_tensor(ids[:, 1], device=block.logits.device)
    scores = [
        block.logits[:, singular] - block.logits[:, plural],
        block.log_probabilities[:, singular],
        block.log_probabilities[:, plural],
    ]
    columns = [score.float().cpu().numpy() for score in scores]
    probabilities = block.log_probabilities[:, : block.ranked].double().exp().cpu().numpy()
    ascending = np.sort(probabilities, axis=1)
    mass_of_largest = np.zeros(
        (len(ascending), ascending.shape[1] + 1)
    )  # of the n most probable entries
    np.cumsum(ascending[:, ::-1], axis=1, out=mass_of_largest[:, 1:])
    for form in (0, 1):
        at_most = [
            row.searchsorted(probability, side="right")
            for row, probability in zip(ascending, probabilities[:, ids[:, form]], strict=True)
        ]
        larger = ascending.shape[1] - np.stack(at_most)
        columns.append(np.take_along_axis(mass_of_largest, larger, axis=1).astype(np.float32))
    return np.stack(columns, axis=2)
