"""The work of an evaluation: its shards, and how one is scored, from contexts to tables of scores.

Tables number contexts and pairs from 0 within the shard, so that it serves any run that holds the same contexts.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch

from tse_core.agreement.job import Job
from tse_core.forward.passes import blocks
from tse_core.metrics.distribution import Boundary
from tse_core.metrics.scores import agreement, correct_and_wrong, cutoff_scores, scores_inside
from tse_core.metrics.table import COVERAGE, OF_PAIRS, Forms, columns_at_cutoffs, score_column
from tse_core.models.language_model import Prompt
from tse_core.results.work import Shape, Shard, Work

GROUP = ["construction", "subject", "noun", "number"]


class Distributions(NamedTuple):
    """Those of k contexts of a shard, over entries of the vocabulary or places in the list of words (k, entries)."""

    contexts: np.ndarray  # (k,)
    logits: torch.Tensor  # what is compared, and ranked by cut-offs once normalised over the entries
    log_probabilities: torch.Tensor  # nats
    ranked: int  # cut-offs rank this many entries, from the first
    total: np.ndarray  # (k, 1) their total probability: 1 for a vocabulary
    head: Boundary | None = None  # where top cut-offs fall among all words, if needed


def job_work(job: Job, batch_tokens: int | None = None, shards: Mapping[str, Shard] | None = None) -> Work:
    """The work of a job; one shard is a slice of the contexts of a construction, with its pairs.

    `shards`, if given, are those of another model's job that reads the same tokens.
    """
    if shards is None:
        shards = {name: Shard(members, len(members), _shapes(job, members)) for name, members in job.shards()}
    return Work(
        job.shared_signature(), shards, lambda members, advance: score_shard(job, members, batch_tokens, advance),
        title=f"{job.model.label}: contexts", unit="contexts",
    )  # fmt: skip


def _shapes(job: Job, members: np.ndarray) -> dict[str, Shape]:
    """The tables of the contexts numbered `members`: columns that each must have, and its rows."""
    scores = [score_column(kind, *at) for kind in columns_at_cutoffs() for at in job.cutoffs.listed()]
    of_pairs = [metric.column for metric in OF_PAIRS.values()]
    contexts, pairs, lemmas = len(members), len(job.pair_rows(members)), len(job.lemmas)
    groups = lemma_groups(job.contexts.iloc[members]).nunique()
    shapes = {
        "contexts": Shape(("context", *scores), contexts),
        "pairs": Shape(("pair", *of_pairs, "log_probability_correct", "log_probability_wrong"), pairs),
        "lemmas": Shape((*GROUP, "lemma", "contexts", "correct"), groups * lemmas),
        "forms": Shape(("context", "lemma", "log_odds"), contexts * lemmas),
    }
    return {table: shapes[table] for table in job.tables}


def score_shard(
    job: Job, members: np.ndarray, batch_tokens: int | None, advance: Callable[[float], None]
) -> dict[str, pd.DataFrame]:
    """Score the contexts numbered `members` and their pairs; `advance` is told the share that was done."""
    contexts = job.contexts.iloc[members]
    numbers = (contexts["number"] == "plural").to_numpy().astype(np.int64)
    slots = _slots(job, list(zip(contexts["left"], contexts["right"], strict=True)))
    pair_rows = job.pair_rows(members)
    pair_contexts = np.searchsorted(members, job.index[pair_rows])
    lemma_sums = _LemmaSums(contexts, len(job.lemmas)) if job.keep != "contexts" else None
    parts: dict[str, list[pd.DataFrame]] = {"contexts": [], "pairs": [], "forms": []}
    for found in _distributions(job, slots, batch_tokens, advance):
        number = numbers[found.contexts]
        parts["contexts"].append(_score_contexts(job, found, number))
        row_of = np.full(len(members), -1)
        row_of[found.contexts] = np.arange(len(found.contexts))
        parts["pairs"].append(_score_pairs(job, found, row_of[pair_contexts], job.pair_forms[pair_rows]))
        if lemma_sums:
            correct = agreement(found.logits, job.inflection_ids, number)
            logs = correct_and_wrong(found.log_probabilities, job.inflection_ids, number)
            lemma_sums.add(found.contexts, correct, *(np.exp(log.cpu().numpy()) for log in logs))
        if job.keep == "forms":
            parts["forms"].append(_forms(found.contexts, found.logits, found.log_probabilities, job.inflection_ids))
    order = {"contexts": ["context"], "pairs": ["pair"], "forms": ["context", "lemma"]}
    tables = {name: pd.concat(parts[name]).sort_values(order[name], ignore_index=True) for name in parts if parts[name]}
    return tables | ({"lemmas": lemma_sums.table()} if lemma_sums else {})


def _distributions(
    job: Job, slots: list[Prompt], batch_tokens: int | None, advance: Callable[[float], None]
) -> Iterator[Distributions]:
    """The distributions at the slots, in blocks, in no fixed order."""
    if job.words:
        from tse_core.agreement.word_distributions import of_words  # with the search for whole words

        yield of_words(job, job.words, slots, batch_tokens, advance)
        return
    for block in blocks(job.model, [s.ids for s in slots], [[s.position] for s in slots], batch_tokens=batch_tokens):
        rows = torch.as_tensor(block.rows, device=block.logits.device)
        each_once = len(rows) == len(block.logits) and (block.rows == np.arange(len(rows))).all()
        logits = block.logits if each_once else block.logits[rows]
        entries = logits.shape[1]
        yield Distributions(block.requests, logits, logits.log_softmax(-1), entries, np.ones((len(rows), 1)))
        advance(len(rows) / len(slots))


def _slots(job: Job, contexts) -> list[Prompt]:
    slots = job.model.slots(contexts)
    if job.protocol == "released" and job.model.space:
        # The released code counts the tokens of the left context without its leading space, plus one for <s>.
        left = job.model.tokenizer([left for left, _ in contexts], add_special_tokens=False)["input_ids"]
        slots = [Prompt(slot.ids, min(len(ids) + 1, len(slot.ids) - 1)) for slot, ids in zip(slots, left, strict=True)]
    return slots


def _score_contexts(job: Job, found: Distributions, number: np.ndarray) -> pd.DataFrame:
    """Every metric and the coverage of the contexts of a block at each cut-off."""
    if found.head is None:
        scores = cutoff_scores(
            found.logits[:, : found.ranked], job.inflection_ids, number, top=job.cutoffs.top,
            bottom=job.cutoffs.bottom, accumulate="float32" if job.protocol == "released" else "float64",
        )  # fmt: skip
        total = found.total
    else:
        logs = correct_and_wrong(found.log_probabilities, job.inflection_ids, number)
        correct, wrong = (log.cpu().numpy() for log in logs)
        scores, total = scores_inside(correct, wrong, found.head), np.ones_like(found.total)
    columns = {"context": found.contexts}
    for side, cutoffs, scored in (("top", job.cutoffs.top, scores.top), ("bottom", job.cutoffs.bottom, scores.bottom)):
        for kind in columns_at_cutoffs():
            values = scored[kind] * total if kind == COVERAGE else scored[kind]
            columns |= {score_column(kind, side, cutoff): v for cutoff, v in zip(cutoffs, values.T, strict=True)}
    return pd.DataFrame(columns)


def _score_pairs(job: Job, found: Distributions, rows: np.ndarray, forms: np.ndarray) -> pd.DataFrame:
    """The metrics and both forms' log-probabilities of the pairs in a block, by its `rows` (-1: in another block)."""
    comparable = found.log_probabilities.exp() if job.protocol == "released" else found.logits
    pairs = np.flatnonzero(rows >= 0)
    places = torch.as_tensor(rows[pairs], device=comparable.device)
    ids = torch.as_tensor(forms[pairs], device=comparable.device)
    held = (ids >= 0).cpu().numpy()
    correct, wrong = (comparable[places, ids[:, k].clamp(min=0)] for k in (0, 1))
    logs = [found.log_probabilities[places, ids[:, k].clamp(min=0)].double().cpu().numpy() for k in (0, 1)]
    of_pairs = Forms(np.exp(logs[0]), np.exp(logs[1]), (correct > wrong).cpu().numpy().astype(float))
    table = {"pair": pairs}
    for metric in OF_PAIRS.values():
        table[metric.column] = np.where(held.all(1), metric.part(of_pairs) / metric.whole(of_pairs), np.nan)
    for k, form in enumerate(("correct", "wrong")):
        table[f"log_probability_{form}"] = np.where(held[:, k], logs[k], np.nan)
    return pd.DataFrame(table)


def lemma_groups(contexts: pd.DataFrame) -> pd.MultiIndex:
    """Construction, subject, noun and number of each context: over these a lemma's scores are summed.

    A subject known only by its noun is named after it; an unknown one counts as a separate subject, named after its
    left context.
    """
    subjects = contexts["subject"].where(contexts["subject"] != "", contexts["noun"])
    subjects = subjects.where(contexts["noun"] != "", contexts["left"])
    return pd.MultiIndex.from_frame(contexts.assign(subject=subjects)[GROUP])


class _LemmaSums:
    """Sums over the contexts of each group, for every lemma."""

    def __init__(self, contexts, lemmas):
        self.group, self.keys = pd.factorize(lemma_groups(contexts))
        self.sums = np.zeros((3, len(self.keys), lemmas))

    def add(self, here, *values):
        for sums, value in zip(self.sums, values, strict=True):
            np.add.at(sums, self.group[here], value.astype(np.float64))

    def table(self):
        count = np.bincount(self.group, minlength=len(self.keys))
        groups, lemmas = self.sums.shape[1:]
        table = pd.DataFrame(list(self.keys), columns=GROUP)
        table = table.loc[np.repeat(np.arange(groups), lemmas)].reset_index(drop=True)
        table["lemma"] = np.tile(np.arange(lemmas), groups)
        table["contexts"] = np.repeat(count, lemmas)
        table["correct"] = self.sums[0].ravel().astype(np.int64)
        table["probability_correct"], table["probability_wrong"] = self.sums[1].ravel(), self.sums[2].ravel()
        return table


def _forms(contexts, logits, log_probabilities, ids) -> pd.DataFrame:
    """Log-probability of each form, the mass of all entries likelier than it, and the log-odds of the two forms.

    The log-odds are taken before the softmax rounds, so that their sign is that of the comparison.
    """
    probabilities = log_probabilities.double().exp().cpu().numpy()
    ascending = np.sort(probabilities, axis=1)
    above = np.zeros((len(ascending), ascending.shape[1] + 1))
    np.cumsum(ascending[:, ::-1], axis=1, out=above[:, 1:])
    own = [torch.as_tensor(ids[:, k], device=logits.device) for k in (0, 1)]
    table = {
        "context": np.repeat(contexts, len(ids)).astype(np.int32),
        "lemma": np.tile(np.arange(len(ids)), len(contexts)).astype(np.int32),
        "log_odds": (logits[:, own[0]] - logits[:, own[1]]).float().cpu().numpy().ravel(),
    }
    for k, form in enumerate(("singular", "plural")):
        rows = zip(ascending, probabilities[:, ids[:, k]], strict=True)
        likelier = ascending.shape[1] - np.stack([row.searchsorted(found, side="right") for row, found in rows])
        table[f"log_probability_{form}"] = log_probabilities[:, own[k]].cpu().numpy().ravel()
        table[f"mass_above_{form}"] = np.take_along_axis(above, likelier, axis=1).astype(np.float32).ravel()
    return pd.DataFrame(table)
