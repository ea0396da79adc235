"""The work of an evaluation: which shards there are, what tables each gives, how one is scored."""

from collections.abc import Mapping

import numpy as np

from tse_core.agreement.job import Job
from tse_core.agreement.shards import GROUP, lemma_groups, score_shard
from tse_core.metrics.table import OF_PAIRS, SCORED
from tse_core.results.work import Shape, Shard, Work


def job_work(job: Job, batch_tokens: int | None = None, shards: Mapping[str, Shard] | None = None) -> Work:
    """The work of a job; one shard is a slice of the contexts of a construction, with its pairs.

    `shards` are those of another model's job that reads the same tokens, if they are there.
    """
    if shards is None:
        shards = {name: Shard(members, len(members), _shapes(job, members)) for name, members in job.shards()}
    return Work(
        job.shared_signature(), shards, lambda members, advance: score_shard(job, members, batch_tokens, advance),
        title=f"{job.model.label}: contexts", unit="contexts",
    )  # fmt: skip


def _shapes(job: Job, members: np.ndarray) -> dict[str, Shape]:
    """The tables of the contexts numbered `members`, their columns and rows."""
    cuts = [f"{side}_{cutoff:g}" for side in ("top", "bottom") for cutoff in getattr(job.cutoffs, side)]
    scores = [f"{kind}_{cut}" for kind in SCORED for cut in cuts]
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
