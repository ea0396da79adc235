"""Score a model of the chosen profile on all its data, so that the notebooks find every table in the store."""

import json
import sys
import time
from dataclasses import asdict

from book.make import SCORES, fail
from book.make.profile import Job, jobs, load_profile

# What computes the numbers of `further_results`.
FURTHER = ("metrics", "agreement", "uncertainty", "tse_book/studies/rows.py")


def score(name: str) -> None:
    """Open a model once and do its jobs through the store; each leaves its signature and its time."""
    import tse_core

    SCORES.mkdir(parents=True, exist_ok=True)
    own = [job for job in jobs(load_profile()) if job.model == name]
    try:
        model = tse_core.load_model(name)
        for job in own:
            started = time.perf_counter()
            signature = agreement(model, job) if job.lemmas else sentences(model, job)
            told = asdict(job) | {"signature": str(signature), "seconds": round(time.perf_counter() - started, 1)}
            job.record.write_text(json.dumps(told, indent=1) + "\n")
    except tse_core.InputError as error:
        raise fail(f"scores {name}: {error}") from None


def agreement(model, job: Job):
    """TSE, EW and MW; of a paper's model what its claims ask besides. Returns the signature."""
    import tse_core
    from tse_book.published import MODELS
    from tse_book.studies import further_results
    from tse_core.paths import store_folder
    from tse_core.results.result_index import keep_results
    from tse_core.results.store import Store

    pairs, store = tse_core.load_pairs(job.data), store_folder()
    evaluation = tse_core.evaluate(model, pairs, job.lemmas, protocol=job.protocol, store=store)
    if model.kind == "causal" and model.front != "none":  # Table 2 shows it beside what was published
        tse_core.evaluate(model.with_policies(bos="none"), pairs, job.lemmas, protocol=job.protocol, store=store)
    if job.model.rpartition("/")[2] in MODELS.values():
        keep_results(further_results(evaluation, model, job.lemmas, store), Store(store), FURTHER)
    return evaluation.signature


def sentences(model, job: Job):
    """Accuracies on sentence pairs, of a causal model by their beginnings as well. Returns the signature."""
    from tse_core.blimp.scores import evaluate_blimp
    from tse_core.paths import store_folder

    found = evaluate_blimp(model, job.data, store=store_folder())
    if model.kind == "causal":
        evaluate_blimp(model, job.data, method="one-prefix", store=store_folder())
    return found.signature


if __name__ == "__main__":
    score(sys.argv[1])
