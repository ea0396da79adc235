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
from tse_core.errors import InputError
from tse_core.forward.passes import blocks
from tse_core.forward.word_forms import form_log_probabilities
from tse_core.metrics.definitions import COVERAGE, MARGIN, OF_CONTEXTS, OF_PAIRS, Cutoffs, Forms
from tse_core.metrics.scores import agreement, correct_and_wrong, cutoff_scores
from tse_core.models.language_model import LanguageModel, Prompt

# Over the contexts of a group, which are equal in these columns, a lemma's scores are summed.
GROUP = ["construction", "subject", "noun", "number"]
FORM_COLUMNS = [
    "log_odds",
    "log_probability_singular",
    "log_probability_plural",
    "mass_above_singular",
    "mass_above_plural",
]
SUMS = ["correct", "probability_correct", "probability_wrong", MARGIN]
PAIR_COLUMNS = [
    *[metric.column for metric in OF_PAIRS.values()],
    "log_probability_correct",
    "log_probability_wrong",
]

Advance = Callable[[float], None]  # takes the share of the work that was just done


class Distributions(NamedTuple):
    """The distributions of k contexts, over the vocabulary or over the words of a list.

    Attributes
    ----------
    contexts : rows of the contexts, (k,)
    logits : what is compared, and ranked by cut-offs once it is normalised, (k, entries)
    log_probabilities : in nats, (k, entries)
    ranked : how many of the entries, from the first, the cut-offs rank
    total : the probability of these entries together, (k, 1); 1 for a vocabulary
    """

    contexts: np.ndarray
    logits: torch.Tensor
    log_probabilities: torch.Tensor
    ranked: int
    total: np.ndarray | float


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

    Contexts have left, right, number and the columns of `GROUP`, pairs correct, wrong and context
    (the row of each pair's context); `advance` is called with the share of the work that was just
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
    correct = pairs["correct"].map(verbs.positions).fillna(-1).to_numpy(np.int64)
    wrong = pairs["wrong"].map(verbs.positions).fillna(-1).to_numpy(np.int64)
    forms = np.stack([correct, wrong], axis=1)
    if model.kind == "masked" and not verbs.policy.in_vocabulary:
        lengths = np.array([len(spelling) for spelling in verbs.spellings])
        has_both = (forms >= 0).all(axis=1)
        uneven = lengths[correct] != lengths[wrong]
        forms[has_both & uneven] = -1
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
        if not np.array_equal(block.rows, np.arange(len(logits))):  # else no copy is needed
            logits = logits[torch.as_tensor(block.rows, device=logits.device)]
        yield Distributions(block.requests, logits, logits.log_softmax(-1), logits.shape[1], 1.0)
        advance(len(block.rows) / len(slots))


def refusals(
    model: LanguageModel, options: Options, contexts: list[tuple[str, str]]
) -> list[InputError | None]:
    """The error of each context in whose gap a model cannot look words up; None for the others."""
    if options.protocol != "released" or model.kind == "causal":
        return model.refusals(contexts)
    # With the mask's own text in the sentence only a gap at its start is refused.
    of_contexts: list[InputError | None] = [None] * len(contexts)
    at_start = [number for number, (left, _) in enumerate(contexts) if not left.strip()]
    for number, refusal in zip(
        at_start, model.refusals([contexts[number] for number in at_start]), strict=True
    ):
        of_contexts[number] = refusal
    return of_contexts


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
    accumulate: Literal["float32", "float64"] = "float64"
    if options.protocol == "released":
        accumulate = "float32"
    ranked = block.logits[:, : block.ranked]
    sides = cutoff_scores(ranked, ids, plural, top=top, bottom=bottom, accumulate=accumulate)
    shares = np.concatenate([sides.top[COVERAGE], sides.bottom[COVERAGE]], axis=1)
    scores, coverage = [], []
    for metric in OF_CONTEXTS.values():
        scores += [sides.top[metric.column], sides.bottom[metric.column]]
        coverage.append(shares * block.total)
    margins = (correct - wrong).mean(axis=1)
    of_lemmas = np.exp(correct).sum(axis=1) + np.exp(wrong).sum(axis=1)
    scores.append(margins[:, None])
    coverage.append(of_lemmas[:, None])
    return np.concatenate(scores, axis=1), np.concatenate(coverage, axis=1)


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
    logs_there = block.log_probabilities
    correct = logs_there[rows_there, ids[:, 0]].double().cpu().numpy()
    wrong = logs_there[rows_there, ids[:, 1]].double().cpu().numpy()
    of_pairs = Forms(np.exp(correct), np.exp(wrong), wins.cpu().numpy().astype(float))
    has_correct, has_wrong = (forms >= 0).T
    columns = []
    for metric in OF_PAIRS.values():
        scores = metric.numerator(of_pairs) / metric.denominator(of_pairs)
        columns.append(np.where(has_correct & has_wrong, scores, np.nan))
    columns.append(np.where(has_correct, correct, np.nan))
    columns.append(np.where(has_wrong, wrong, np.nan))
    return np.stack(columns, axis=1)


def _form_rows(block: Distributions, ids: np.ndarray) -> np.ndarray:
    """`FORM_COLUMNS` of some contexts, (k, lemmas, columns).

    They are log-odds and log-probabilities in nats, and the mass of all entries more probable than
    each form. The log-odds are taken before the softmax rounds, so that their sign is that of the
    comparison.
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
    # The mass of the n most probable entries, for every n.
    mass_of_largest = np.zeros((len(ascending), ascending.shape[1] + 1))
    np.cumsum(ascending[:, ::-1], axis=1, out=mass_of_largest[:, 1:])
    for form in (0, 1):
        at_most = []  # how many entries are at most as probable as each form
        for row, of_forms in zip(ascending, probabilities[:, ids[:, form]], strict=True):
            at_most.append(row.searchsorted(of_forms, side="right"))
        larger = ascending.shape[1] - np.stack(at_most)
        columns.append(np.take_along_axis(mass_of_largest, larger, axis=1).astype(np.float32))
    return np.stack(columns, axis=2)
