"""Score a model of the chosen profile on all its data, so that the notebooks find every table in the store."""

import json
import sys
import time
from contextlib import suppress
from dataclasses import asdict

from book.make import SCORES, fail
from book.make.profile import Job, jobs, load_profile


def score(name: str) -> None:
    """Open a model once and do its jobs through the store; each leaves its signature and its time."""
    import tse_core

    SCORES.mkdir(parents=True, exist_ok=True)
    own = [job for job in jobs(load_profile()) if job.model == name]
    try:
        model = tse_core.load_model(name)
        for job in own:
            started = time.perf_counter()
            done = agreement(model, job) if job.lemmas else {"signature": str(sentences(model, job))}
            told = asdict(job) | done | {"seconds": round(time.perf_counter() - started, 1)}
            job.record.write_text(json.dumps(told, indent=1) + "\n")
    except tse_core.InputError as error:
        raise fail(f"scores {name}: {error}") from None


def agreement(model, job: Job):
    """TSE, EW and MW; of a paper's model what its claims ask besides, once. Returns signature, and what was kept."""
    import tse_core
    from tse_book.published import MODELS
    from tse_book.studies import further_results, recorded_bare
    from tse_core.paths import store_folder

    pairs, store = tse_core.load_pairs(job.data), store_folder()
    # by verb as well, as chapters ask: a run that keeps more serves those that ask for less
    evaluation = tse_core.evaluate(model, pairs, job.lemmas, protocol=job.protocol, keep="lemmas", store=store)
    bare = model.kind == "causal" and model.bos_read != "none"  # Table 2 shows that beside what was published
    if bare and recorded_bare(evaluation, job.data) is None:
        tse_core.evaluate(model.with_policies(bos="none"), pairs, job.lemmas, protocol=job.protocol, store=store)
    done = {"signature": str(evaluation.signature)}
    if job.model.rpartition("/")[2] in MODELS.values():
        done |= kept_further(job, done["signature"], lambda: further_results(evaluation, model, job.lemmas, store))
    return done


def kept_further(job: Job, signature: str, measure) -> dict:
    """Keep what `measure` gives in the store, unless the job's record says that the store has it from this code."""
    from tse_book.studies import further_results
    from tse_core.paths import store_folder
    from tse_core.results.code import code_digest, code_of
    from tse_core.results.result_index import keep_results
    from tse_core.results.signature import Signature
    from tse_core.results.store import Store

    store, digest = Store(store_folder()), code_digest() + code_of([further_results])
    with suppress(OSError, ValueError, KeyError):
        before = json.loads(job.record.read_text())
        made = [Signature.parse(text).without_provenance for text in (before["signature"], signature)]
        if made[0] == made[1] and before["code"] == digest and set(before["further"]) <= set(store.keys("results")):
            return {"further": before["further"], "code": digest}
    table = measure()
    keep_results(table, store, imported=False)
    return {"further": sorted({Signature.parse(made).key for made in table["signature"].unique()}), "code": digest}


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
