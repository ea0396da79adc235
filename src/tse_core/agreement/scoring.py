"""From contexts to tables of scores: the distribution at each slot, then every metric over the verbs that count.

Rows of all tables are in the order of the contexts, or of the pairs, that were given, so that a stored table serves
any run that asks for the same ones.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
import torch

from tse_core.agreement.divisions import MARGIN
from tse_core.agreement.options import Options
from tse_core.agreement.verbs import CountedVerbs
from tse_core.forward.passes import blocks
from tse_core.forward.word_forms import form_log_probabilities
from tse_core.metrics.scores import agreement, correct_and_wrong, cutoff_scores
from tse_core.metrics.table import COVERAGE, OF_CONTEXTS, OF_PAIRS, Cutoffs, Forms
from tse_core.models.language_model import LanguageModel, Prompt

GROUP = ["construction", "subject", "noun", "number"]
FORM_COLUMNS = ["log_odds", "log_probability_singular", "log_probability_plural", "mass_above_singular",
                "mass_above_plural"]  # fmt: skip
SUMS = ["correct", "probability_correct", "probability_wrong", MARGIN]
PAIR_COLUMNS = [metric.column for metric in OF_PAIRS.values()] + ["log_probability_correct", "log_probability_wrong"]


class Distributions(NamedTuple):
    """Those of k contexts, over entries of the vocabulary or places in the list of words: tensors (k, entries)."""

    contexts: np.ndarray  # (k,) their places among the contexts
    logits: torch.Tensor  # what is compared, and ranked by cut-offs once normalised over the entries
    log_probabilities: torch.Tensor  # nats
    ranked: int  # cut-offs rank this many entries, from the first
    total: np.ndarray | float  # (k, 1) their total probability: 1 for a vocabulary


@dataclass(frozen=True)
class Scorer:
    """A model, the verbs that count, and how they are counted."""

    model: LanguageModel
    verbs: CountedVerbs
    options: Options

    def tables(
        self,
        contexts: pd.DataFrame,
        pairs: pd.DataFrame,
        batch_tokens: int | None = None,
        advance: Callable[[float], None] = lambda share: None,
    ) -> dict[str, pd.DataFrame]:
        """The scores of contexts and of their pairs, by the names in `TABLES`.

        Contexts have left, right, number and the columns of `GROUP`, pairs correct, wrong and context, the place of
        each pair's context; `advance` is called with the share of the work that was just done.

        Returns
        -------
        - contexts: score and coverage, a row for each context and number at a cut-off (see `all_at_cutoffs`);
        - pairs: every metric of pairs, log_probability_correct and _wrong;
        - lemmas: sums over the contexts of each group (`lemma_groups`), for every lemma;
        - forms: a row for each context and lemma: `FORM_COLUMNS`, float32.
        """
        detail, lemmas = self.options.detail, len(self.verbs.lemmas)
        plural = (contexts["number"] == "plural").to_numpy().astype(np.int64)
        at_cutoffs = np.full((2, len(contexts), len(at_cutoffs_rows(self.options.cutoffs))), np.nan)
        group, groups = pd.factorize(lemma_groups(contexts))
        sums = np.zeros((len(SUMS), len(groups), lemmas if detail != "contexts" else 0))
        forms = np.empty((len(contexts) if detail == "forms" else 0, lemmas, len(FORM_COLUMNS)), np.float32)
        of_pairs = np.full((len(pairs), len(PAIR_COLUMNS)), np.nan)
        pair_forms, pair_contexts = self.pair_forms(pairs), pairs["context"].to_numpy()
        for found in self._distributions(contexts, batch_tokens, advance):
            here, number = found.contexts, plural[found.contexts]
            both = correct_and_wrong(found.log_probabilities, self.verbs.ids, number)
            logs = [log.double().cpu().numpy() for log in both]
            margins = np.subtract(*logs)
            at_cutoffs[:, here] = self._at_cutoffs(found, number, logs, margins)
            place = np.full(len(contexts), -1)
            place[here] = np.arange(len(here))
            asked = np.flatnonzero(place[pair_contexts] >= 0)
            of_pairs[asked] = self._of_pairs(found, place[pair_contexts[asked]], pair_forms[asked])
            if detail != "contexts":
                wins = agreement(found.logits, self.verbs.ids, number)
                for total, values in zip(sums, (wins, *np.exp(logs), margins), strict=True):
                    np.add.at(total, group[here], values.astype(np.float64))
            if detail == "forms":
                forms[here] = _of_forms(found, self.verbs.ids)
        tables = {
            "contexts": pd.DataFrame(at_cutoffs.reshape(2, -1).T, columns=["score", "coverage"]),
            "pairs": pd.DataFrame(of_pairs, columns=PAIR_COLUMNS),
        }
        if detail != "contexts":
            tables["lemmas"] = _lemma_table(groups, np.bincount(group), sums)
        if detail == "forms":
            tables["forms"] = pd.DataFrame(forms.reshape(-1, len(FORM_COLUMNS)), columns=FORM_COLUMNS)
        return tables

    def pair_forms(self, pairs: pd.DataFrame) -> np.ndarray:
        """The entries, or places, of each pair's correct and wrong form, int64 (pairs, 2); -1 for none.

        A masked model cannot compare forms of unequal lengths: both are -1.
        """
        places = np.stack([self.verbs.places(pairs[side]) for side in ("correct", "wrong")], axis=1)
        if self.verbs.spellings and self.model.kind == "masked":
            lengths = np.array([len(spelling) for spelling in self.verbs.spellings])
            places[lengths[places[:, 0]] != lengths[places[:, 1]]] = -1
        return places

    def _distributions(self, contexts, batch_tokens, advance) -> Iterator[Distributions]:
        """The distributions at the slots of the contexts, in blocks, in no fixed order."""
        slots = self._slots(list(zip(contexts["left"], contexts["right"], strict=True)))
        if self.verbs.spellings:
            ends = self.model.word_ends if self.verbs.ends else None
            words = form_log_probabilities(
                self.model, slots, self.verbs.spellings, ends=ends, batch_tokens=batch_tokens, advance=advance
            )
            logs = words.log_probability + words.log_end
            total = np.exp(logs[:, : self.verbs.listed]).sum(axis=1, keepdims=True)
            tensor = torch.from_numpy(logs)
            yield Distributions(np.arange(len(slots)), tensor, tensor, self.verbs.listed, total)
            return
        sequences, positions = [slot.ids for slot in slots], [[slot.position] for slot in slots]
        for block in blocks(self.model, sequences, positions, batch_tokens=batch_tokens):
            rows = torch.as_tensor(block.rows, device=block.logits.device)
            each_once = len(rows) == len(block.logits) and (block.rows == np.arange(len(rows))).all()
            logits = block.logits if each_once else block.logits[rows]
            yield Distributions(block.requests, logits, logits.log_softmax(-1), logits.shape[1], 1.0)
            advance(len(rows) / len(slots))

    def _slots(self, contexts: list[tuple[str, str]]) -> list[Prompt]:
        slots = self.model.slots(contexts)
        if self.options.protocol == "released" and self.model.space:
            # The released code counts the tokens of the left context without its leading space, plus one for <s>.
            left = self.model.tokenizer([left for left, _ in contexts], add_special_tokens=False)["input_ids"]
            slots = [Prompt(s.ids, min(len(ids) + 1, len(s.ids) - 1)) for s, ids in zip(slots, left, strict=True)]
        return slots

    def _at_cutoffs(self, found: Distributions, number, logs, margins) -> tuple[np.ndarray, np.ndarray]:
        """Scores and coverage of some contexts, each (k, rows of `at_cutoffs_rows`)."""
        top, bottom = self.options.cutoffs
        accumulate: Literal["float32", "float64"] = "float32" if self.options.protocol == "released" else "float64"
        ranked = found.logits[:, : found.ranked]
        at = cutoff_scores(ranked, self.verbs.ids, number, top=top, bottom=bottom, accumulate=accumulate)
        coverage = np.concatenate([at.top[COVERAGE], at.bottom[COVERAGE]], axis=1) * found.total
        scores = [side[metric.column] for metric in OF_CONTEXTS.values() for side in (at.top, at.bottom)]
        of_lemmas = np.exp(logs[0]).sum(axis=1) + np.exp(logs[1]).sum(axis=1)
        return (
            np.concatenate([*scores, margins.mean(axis=1)[:, None]], axis=1),
            np.concatenate([*[coverage] * len(OF_CONTEXTS), of_lemmas[:, None]], axis=1),
        )

    def _of_pairs(self, found: Distributions, rows: np.ndarray, forms: np.ndarray) -> np.ndarray:
        """`PAIR_COLUMNS` of some pairs (pairs, columns), by the rows of their contexts."""
        compared = found.log_probabilities.exp() if self.options.protocol == "released" else found.logits
        places = torch.as_tensor(rows, device=compared.device)
        ids = torch.as_tensor(forms, device=compared.device).clamp(min=0)
        correct, wrong = (compared[places, ids[:, k]] for k in (0, 1))
        logs = [found.log_probabilities[places, ids[:, k]].double().cpu().numpy() for k in (0, 1)]
        of_pairs = Forms(np.exp(logs[0]), np.exp(logs[1]), (correct > wrong).cpu().numpy().astype(float))
        scores = [metric.numerator(of_pairs) / metric.denominator(of_pairs) for metric in OF_PAIRS.values()]
        held = forms >= 0
        known = np.stack([*[held.all(1)] * len(scores), held[:, 0], held[:, 1]], axis=1)
        return np.where(known, np.stack([*scores, *logs], axis=1), np.nan)


def at_cutoffs_rows(cutoffs: Cutoffs) -> pd.DataFrame:
    """The numbers of one context: metric, side, cutoff; last the margin, which is over all verbs."""
    rows = [(metric, *at) for metric in OF_CONTEXTS for at in cutoffs.listed()] + [(MARGIN, "top", 1.0)]
    table = pd.DataFrame(rows, columns=["metric", "side", "cutoff"])
    metrics, sides = [*OF_CONTEXTS, MARGIN], list(Cutoffs._fields)
    return table.assign(metric=pd.Categorical(table["metric"], metrics), side=pd.Categorical(table["side"], sides))


def all_at_cutoffs(cutoffs: Cutoffs, scores: pd.DataFrame) -> pd.DataFrame:
    """The numbers of all contexts: context, metric, side, cutoff and the columns of `scores`, context by context."""
    rows = at_cutoffs_rows(cutoffs)
    contexts = np.arange(len(scores) // len(rows))
    table = rows.take(np.tile(np.arange(len(rows)), len(contexts))).reset_index(drop=True)
    table.insert(0, "context", np.repeat(contexts, len(rows)))
    return pd.concat([table, scores.reset_index(drop=True)], axis=1)


def lemma_groups(contexts: pd.DataFrame) -> pd.MultiIndex:
    """Construction, subject, noun and number of each context: over these a lemma's scores are summed.

    A subject known only by its noun is named after it; an unknown one counts as a separate subject, named after its
    left context.
    """
    subjects = contexts["subject"].where(contexts["subject"] != "", contexts["noun"])
    subjects = subjects.where(contexts["noun"] != "", contexts["left"])
    return pd.MultiIndex.from_frame(contexts.assign(subject=subjects)[GROUP])


def _lemma_table(groups: pd.MultiIndex, contexts: np.ndarray, sums: np.ndarray) -> pd.DataFrame:
    """`SUMS` (each groups x lemmas) as a table with a row for each group and lemma."""
    lemmas = sums.shape[2]
    table = pd.DataFrame(list(groups), columns=GROUP).loc[np.repeat(np.arange(len(groups)), lemmas)]
    table = table.assign(lemma=np.tile(np.arange(lemmas), len(groups)), contexts=np.repeat(contexts, lemmas))
    table[SUMS] = sums.reshape(len(SUMS), -1).T
    return table.reset_index(drop=True).astype({"correct": np.int64})


def _of_forms(found: Distributions, ids: np.ndarray) -> np.ndarray:
    """`FORM_COLUMNS` of some contexts (k, lemmas, columns): log-odds and log-probabilities in nats, and the mass of all
    entries more probable than each form.

    The log-odds are taken before the softmax rounds, so that their sign is that of the comparison.
    """
    probabilities = found.log_probabilities.double().exp().cpu().numpy()
    ascending = np.sort(probabilities, axis=1)
    above = np.zeros((len(ascending), ascending.shape[1] + 1))
    np.cumsum(ascending[:, ::-1], axis=1, out=above[:, 1:])
    places = [torch.as_tensor(ids[:, k], device=found.logits.device) for k in (0, 1)]
    scores = [found.logits[:, places[0]] - found.logits[:, places[1]]]
    scores += [found.log_probabilities[:, own] for own in places]
    columns = [score.float().cpu().numpy() for score in scores]
    for k in (0, 1):
        rows = zip(ascending, probabilities[:, ids[:, k]], strict=True)
        larger = ascending.shape[1] - np.stack([row.searchsorted(own, side="right") for row, own in rows])
        columns.append(np.take_along_axis(above, larger, axis=1).astype(np.float32))
    return np.stack(columns, axis=2)
