"""An `Evaluation` from its parts: what was asked, and the tables of scores of all pieces."""

from collections.abc import Sequence

import pandas as pd

from tse_core.agreement.evaluation import Evaluation
from tse_core.agreement.questions import Question, Work
from tse_core.agreement.scoring import GROUP, SUMS, all_at_cutoffs
from tse_core.agreement.verb_groups import groups_of_tables
from tse_core.agreement.verbs import CountedVerbs
from tse_core.errors import warn
from tse_core.metrics.definitions import MARGIN, OF_CONTEXTS
from tse_core.results.signature import Signature
from tse_core.results.tidy import of_everything

# How far a margin between two log-probabilities (nats) moves with batch, order, threads or device:
# at least twice the largest spread measured over batch sizes, shared prefixes and threads (1.5e-5,
# 0.033 and 0.22 on small models).
NOISE = {"float64": 1e-4, "float32": 1e-4, "float16": 0.07, "bfloat16": 0.5}

MANY_UNEVEN = 0.1  # a larger share of pairs without TSE for their forms' lengths is a warning


def assembled(
    tables: dict[str, pd.DataFrame],
    question: Question,
    work: Work,
    signature: Signature,
) -> Evaluation:
    """The evaluation with the tables of `scored_tables`."""
    lemmas, settings = work.verbs.lemmas, question.settings
    at_cutoffs = all_at_cutoffs(settings.cutoffs, tables["contexts"][["score", "coverage"]])
    by_lemma = None
    if "lemmas" in tables:
        by_lemma = _by_lemma(tables["lemmas"], lemmas)
    form_arrays = None
    if "forms" in tables:
        shape = len(work.contexts), len(lemmas)
        form_arrays = {}
        for name, column in tables["forms"].items():
            form_arrays[str(name)] = column.to_numpy().reshape(shape)
    pairs = _scored_pairs(work.pairs, tables["pairs"], signature.policy["dtype"])
    unscored = pairs[pairs["tse"].isna()]
    uneven = _uneven(unscored, work.verbs_at)
    if uneven > MANY_UNEVEN * len(pairs):
        warn(
            f"{signature.data_name}: {uneven:,} of {len(pairs):,} pairs have forms of unequal "
            "numbers of tokens, which a masked model does not compare in one gap; TSE is about the "
            "others alone; tse blimp, in Python evaluate_blimp, compares the whole sentences"
        )
    is_tie = pairs["log_probability_correct"] == pairs["log_probability_wrong"]
    tied_pairs = int((is_tie & (pairs["tse"] == 0)).sum())
    # Each row of a context says how many of its verbs tie.
    tied_verbs = tables["contexts"]["ties"].iloc[:: len(at_cutoffs) // len(work.contexts)]
    ties = _ties(tied_pairs, int(tied_verbs.sum()), len(work.contexts) * len(lemmas))
    return Evaluation(
        contexts=_with_scores(work.contexts, at_cutoffs),
        pairs=pairs,
        lemmas=lemmas,
        signature=signature,
        cutoffs=settings.cutoffs,
        scored=_what_was_scored(question, work, len(unscored), uneven) + ties,
        left_out=question.origin.facts.get("left_out", {}),
        at_cutoffs=at_cutoffs,
        by_lemma=by_lemma,
        verb_groups=groups_of_tables(tables["groups"], tables["verbs"]),
        form_arrays=form_arrays,
    )


def _with_scores(contexts: pd.DataFrame, at_cutoffs: pd.DataFrame) -> pd.DataFrame:
    """The contexts with their scores over the whole distribution, behind the column pairs."""
    # One row a context, one column a metric.
    whole = at_cutoffs[of_everything(at_cutoffs)].pivot(
        index="context", columns="metric", values="score"
    )
    whole = whole.reindex(columns=[*OF_CONTEXTS, MARGIN]).rename(columns=str.lower)
    behind = contexts.columns.get_loc("pairs") + 1
    return pd.concat([contexts.iloc[:, :behind], whole, contexts.iloc[:, behind:]], axis=1)


def _scored_pairs(pairs: pd.DataFrame, scores: pd.DataFrame, dtype: str) -> pd.DataFrame:
    """The pairs with their scores, whose index is theirs."""
    margin = (scores["log_probability_correct"] - scores["log_probability_wrong"]).abs()
    # Of a precision that was never measured, the largest noise is assumed.
    noise = NOISE.get(dtype, max(NOISE.values()))
    scores = scores.assign(within_noise=margin < noise)
    return pd.concat([pairs, scores.sort_index()], axis=1)


def _by_lemma(sums: pd.DataFrame, lemmas: pd.DataFrame) -> pd.DataFrame:
    """The sums of all pieces as means over the contexts of each group; `correct` stays a count."""
    # The contexts of a group may lie in several pieces.
    table = sums.groupby([*GROUP, "lemma"], sort=False, as_index=False).sum()
    means = [name for name in SUMS if name != "correct"]
    table[means] = table[means].div(table["contexts"], axis=0)
    return table.assign(lemma=lemmas["lemma"].to_numpy()[table["lemma"]])


def _ties(of_pairs: int, of_verbs: int, verbs_in_contexts: int) -> str:
    """What `Evaluation.scored` says of ties, which count as wrong; empty where there are none.

    They are of so many pairs, and of so many of all verbs in all contexts.
    """
    parts = []
    if of_pairs:
        parts.append(f"{of_pairs:,} pairs")
    if of_verbs:
        share = of_verbs / verbs_in_contexts
        parts.append(f"{of_verbs:,} verbs in contexts ({share:.2%})")
    return f"; ties, which count as wrong: {', '.join(parts)}" if parts else ""


def _uneven(unscored: pd.DataFrame, verbs_at: Sequence[CountedVerbs]) -> int:
    """How many pairs have no TSE though both forms count: their lengths cannot be compared.

    `unscored` are the pairs without TSE, `verbs_at` the verbs at each context.
    """
    # Where both forms count, only their lengths can be the reason.
    uneven = 0
    for pair in unscored.itertuples():
        positions = verbs_at[pair.context].positions
        uneven += pair.correct in positions and pair.wrong in positions
    return uneven


def _what_was_scored(question: Question, work: Work, unscored: int, uneven: int) -> str:
    """`Evaluation.scored`; so many pairs have no TSE, some of which `_uneven` counts."""
    verbs, settings, pairs = work.verbs, question.settings, len(work.pairs)
    # What every reader asks first stands in front, also where it is nothing.
    parts = [
        f"pairs: {pairs - unscored:,} of {question.all_pairs:,}",
        f"lemmas: {len(verbs.lemmas):,} of {len(question.lemmas):,}",
    ]
    single_tokens = int((verbs.lemmas["tokens"] == 1).sum())
    if single_tokens and not verbs.policy.in_vocabulary:
        parts.append(f"lemmas of single tokens: {single_tokens:,}")
    if settings.sample_size != "all":
        drawn = f"{len(work.contexts):,} of {work.all_contexts:,}"
        parts.append(f"contexts drawn: {drawn} (seed {settings.seed})")
    with_number = len(question.numbered)
    left_out = {
        "pairs whose text before the verb is that of an earlier one": work.repeated,
        "pairs outside the sample": len(question.pairs) - work.repeated - pairs,
        "pairs whose verb has no form that counts": unscored - uneven,
        "pairs of forms with unequal numbers of tokens (see tse blimp)": uneven,
        "pairs in whose gap the model cannot look a word up": with_number - len(question.pairs),
        "pairs whose subject's number is not known (column number)": question.all_pairs
        - with_number,
    }
    # Reasons that no pair has are not named.
    parts += [f"{what}: {count:,}" for what, count in left_out.items() if count]
    return "; ".join(parts)
