"""From contexts to tables of scores: the distribution at each slot, then every metric over the verbs that count.

Rows of all tables are in the order of the contexts, or of the pairs, that were given, so that a stored table serves
any run that asks for the same ones.
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
from tse_core.metrics.scores import agreement, correct_and_wrong, cutoff_scores
from tse_core.metrics.table import COVERAGE, MARGIN, OF_CONTEXTS, OF_PAIRS, Cutoffs, Forms
from tse_core.models.language_model import LanguageModel, Prompt

GROUP = ["construction", "subject", "noun", "number"]  # over the contexts of a group, a lemma's scores are summed
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


def score_contexts(
    model: LanguageModel,
    verbs: CountedVerbs,
    options: Options,
    contexts: pd.DataFrame,
    pairs: pd.DataFrame,
    batch_tokens: int | None = None,
    advance: Callable[[float], None] = lambda share: None,
) -> dict[str, pd.DataFrame]:
    """The scores of contexts and of their pairs, by the names in `TABLES`.

    Contexts have left, right, number and the columns of `GROUP`, pairs correct, wrong and context, the place of each
    pair's context; `advance` is called with the share of the work that was just done.

    Returns
    -------
    - contexts: score and coverage, a row for each context and number at a cut-off (see `all_at_cutoffs`);
    - pairs: `PAIR_COLUMNS`, NaN where a form does not count;
    - lemmas: `SUMS` over the contexts of each group, for every lemma;
    - forms: a row for each context and lemma: `FORM_COLUMNS`, float32.
    """
    detail, lemmas = options.detail, len(verbs.lemmas)
    plural = (contexts["number"] == "plural").to_numpy().astype(np.int64)
    at_cutoffs = np.full((2, len(contexts), len(_at_cutoffs_rows(options.cutoffs))), np.nan)
    group, groups = pd.factorize(_groups(contexts))
    sums = np.zeros((len(SUMS), len(groups), lemmas if detail != "contexts" else 0))
    forms = np.empty((len(contexts) if detail == "forms" else 0, lemmas, len(FORM_COLUMNS)), np.float32)
    of_pairs = np.full((len(pairs), len(PAIR_COLUMNS)), np.nan)
    asked_forms, pair_contexts = pair_forms(model, verbs, pairs), pairs["context"].to_numpy()
    slots = _slots(model, options, list(zip(contexts["left"], contexts["right"], strict=True)))
    score = _of_entries if verbs.policy.in_vocabulary else _of_words
    for found in score(model, verbs, slots, batch_tokens, advance):
        here, number = found.contexts, plural[found.contexts]
        both = correct_and_wrong(found.log_probabilities, verbs.ids, number)
        logs = [log.double().cpu().numpy() for log in both]
        margins = np.subtract(*logs)
        at_cutoffs[:, here] = _at_cutoffs(found, verbs.ids, number, options, logs, margins)
        place = np.full(len(contexts), -1)
        place[here] = np.arange(len(here))
        asked = np.flatnonzero(place[pair_contexts] >= 0)
        compared = found.log_probabilities.exp() if options.protocol == "released" else found.logits
        of_pairs[asked] = _of_pairs(found, compared, place[pair_contexts[asked]], asked_forms[asked])
        if detail != "contexts":
            wins = agreement(found.logits, verbs.ids, number)
            for total, values in zip(sums, (wins, *np.exp(logs), margins), strict=True):
                np.add.at(total, group[here], values.astype(np.float64))
        if detail == "forms":
            forms[here] = _form_rows(found, verbs.ids)
    tables = {
        "contexts": pd.DataFrame(at_cutoffs.reshape(2, -1).T, columns=["score", "coverage"]),
        "pairs": pd.DataFrame(of_pairs, columns=PAIR_COLUMNS),
    }
    if detail != "contexts":
        table = pd.DataFrame(list(groups), columns=GROUP).assign(contexts=np.bincount(group))
        table = table.loc[np.repeat(table.index, lemmas)].reset_index(drop=True)
        table.insert(len(GROUP), "lemma", np.tile(np.arange(lemmas), len(groups)))
        table[SUMS] = sums.reshape(len(SUMS), -1).T
        tables["lemmas"] = table.astype({"correct": np.int64})
    if detail == "forms":
        tables["forms"] = pd.DataFrame(forms.reshape(-1, len(FORM_COLUMNS)), columns=FORM_COLUMNS)
    return tables


def pair_forms(model: LanguageModel, verbs: CountedVerbs, pairs: pd.DataFrame) -> np.ndarray:
    """The entries, or places, of each pair's correct and wrong form, int64 (pairs, 2); -1 for none.

    A masked model cannot compare forms of unequal lengths: both are -1.
    """
    both = [pairs[side].map(verbs.where).fillna(-1).to_numpy(np.int64) for side in ("correct", "wrong")]
    places = np.stack(both, axis=1)
    if model.kind == "masked" and not verbs.policy.in_vocabulary:
        lengths = np.array([len(spelling) for spelling in verbs.spellings])
        places[(places >= 0).all(axis=1) & (lengths[places[:, 0]] != lengths[places[:, 1]])] = -1
    return places


def all_at_cutoffs(cutoffs: Cutoffs, scores: pd.DataFrame) -> pd.DataFrame:
    """The numbers of all contexts: context, metric, side, cutoff and the columns of `scores`, context by context."""
    rows = _at_cutoffs_rows(cutoffs)
    contexts = np.arange(len(scores) // len(rows))
    table = rows.take(np.tile(np.arange(len(rows)), len(contexts))).reset_index(drop=True)
    table.insert(0, "context", np.repeat(contexts, len(rows)))
    return pd.concat([table, scores.reset_index(drop=True)], axis=1)


def _at_cutoffs_rows(cutoffs: Cutoffs) -> pd.DataFrame:
    """The numbers of one context: metric, side, cutoff; last the margin, which is over all verbs."""
    rows = [(metric, *at) for metric in OF_CONTEXTS for at in cutoffs.listed()] + [(MARGIN, "top", 1.0)]
    table = pd.DataFrame(rows, columns=["metric", "side", "cutoff"])
    metrics, sides = [*OF_CONTEXTS, MARGIN], list(Cutoffs._fields)
    return table.assign(metric=pd.Categorical(table["metric"], metrics), side=pd.Categorical(table["side"], sides))


def _groups(contexts: pd.DataFrame) -> pd.MultiIndex:
    """The group of each context. A subject known by its noun alone is named after it, an unknown one after its left
    context, so that it is a group by itself."""
    subjects = contexts["subject"].where(contexts["subject"] != "", contexts["noun"])
    subjects = subjects.where(contexts["noun"] != "", contexts["left"])
    return pd.MultiIndex.from_frame(contexts.assign(subject=subjects)[GROUP])


def _of_words(model, verbs: CountedVerbs, slots, batch_tokens, advance) -> Iterator[Distributions]:
    ends, spellings = model.word_ends if verbs.ends else None, verbs.spellings
    words = form_log_probabilities(model, slots, spellings, ends=ends, batch_tokens=batch_tokens, advance=advance)
    logs = words.log_probability + words.log_end
    total = np.exp(logs[:, : verbs.listed]).sum(axis=1, keepdims=True)
    tensor = torch.from_numpy(logs)
    yield Distributions(np.arange(len(slots)), tensor, tensor, verbs.listed, total)


def _of_entries(model, verbs: CountedVerbs, slots, batch_tokens, advance) -> Iterator[Distributions]:
    sequences, positions = [slot.ids for slot in slots], [[slot.position] for slot in slots]
    for block in blocks(model, sequences, positions, batch_tokens=batch_tokens):
        rows = torch.as_tensor(block.rows, device=block.logits.device)
        each_once = len(rows) == len(block.logits) and (block.rows == np.arange(len(rows))).all()
        logits = block.logits if each_once else block.logits[rows]
        yield Distributions(block.requests, logits, logits.log_softmax(-1), logits.shape[1], 1.0)
        advance(len(rows) / len(slots))


def _slots(model: LanguageModel, options: Options, contexts: list[tuple[str, str]]) -> list[Prompt]:
    slots = model.slots(contexts)
    if options.protocol == "released" and model.space:
        # The released code counts the tokens of the left context without its leading space, plus one for <s>.
        left = model.tokenizer([left for left, _ in contexts], add_special_tokens=False)["input_ids"]
        slots = [Prompt(s.ids, min(len(ids) + 1, len(s.ids) - 1)) for s, ids in zip(slots, left, strict=True)]
    return slots


def _at_cutoffs(found: Distributions, ids, number, options: Options, logs, margins) -> tuple[np.ndarray, np.ndarray]:
    """Scores and coverage of some contexts, each (k, rows of `_at_cutoffs_rows`)."""
    top, bottom = options.cutoffs
    accumulate: Literal["float32", "float64"] = "float32" if options.protocol == "released" else "float64"
    ranked = found.logits[:, : found.ranked]
    at = cutoff_scores(ranked, ids, number, top=top, bottom=bottom, accumulate=accumulate)
    coverage = np.concatenate([at.top[COVERAGE], at.bottom[COVERAGE]], axis=1) * found.total
    scores = [side[metric.column] for metric in OF_CONTEXTS.values() for side in (at.top, at.bottom)]
    of_lemmas = np.exp(logs[0]).sum(axis=1) + np.exp(logs[1]).sum(axis=1)
    return (
        np.concatenate([*scores, margins.mean(axis=1)[:, None]], axis=1),
        np.concatenate([*[coverage] * len(OF_CONTEXTS), of_lemmas[:, None]], axis=1),
    )


def _of_pairs(found: Distributions, compared: torch.Tensor, rows: np.ndarray, forms: np.ndarray) -> np.ndarray:
    """`PAIR_COLUMNS` of some pairs (pairs, columns), by the rows of their contexts."""
    places = torch.as_tensor(rows, device=compared.device)
    ids = torch.as_tensor(forms, device=compared.device).clamp(min=0)
    correct, wrong = (compared[places, ids[:, k]] for k in (0, 1))
    logs = [found.log_probabilities[places, ids[:, k]].double().cpu().numpy() for k in (0, 1)]
    of_pairs = Forms(np.exp(logs[0]), np.exp(logs[1]), (correct > wrong).cpu().numpy().astype(float))
    scores = [metric.numerator(of_pairs) / metric.denominator(of_pairs) for metric in OF_PAIRS.values()]
    held = forms >= 0
    known = np.stack([*[held.all(1)] * len(scores), held[:, 0], held[:, 1]], axis=1)
    return np.where(known, np.stack([*scores, *logs], axis=1), np.nan)


def _form_rows(found: Distributions, ids: np.ndarray) -> np.ndarray:
    """`FORM_COLUMNS` of some contexts (k, lemmas, columns): log-odds and log-probabilities in nats, and the mass of all
    entries more probable than each form.

    The log-odds are taken before the softmax rounds, so that their sign is that of the comparison.
    """
    probabilities = found.log_probabilities[:, : found.ranked].double().exp().cpu().numpy()
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
