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
    from tse_book.studies import further_results

    pairs = tse_core.load_pairs(job.data)
    # by verb as well, as chapters ask: a run that keeps more serves those that ask for less
    evaluation = tse_core.evaluate(model, pairs, job.lemmas, protocol=job.protocol, detail="lemmas")
    done = {"signature": str(evaluation.signature)}
    if job.model.rpartition("/")[2] in MODELS.values():
        done |= kept_further(job, done["signature"], lambda: further_results(evaluation, model, job.lemmas))
    return done


def kept_further(job: Job, signature: str, measure) -> dict:
    """Keep what `measure` gives in the store, unless the job's record says that the store has it from this code."""
    from tse_book.studies import further_results
    from tse_core.results.code import code_digest, code_of
    from tse_core.results.signature import Signature
    from tse_core.results.store import Store

    store, digest = Store(), code_digest() + code_of([further_results])
    with suppress(OSError, ValueError, KeyError):
        before = json.loads(job.record.read_text())
        made = [Signature.parse(text) for text in (before["signature"], signature)]
        if (
            made[0] == made[1]
            and before["code"] == digest
            and set(before["further"]) <= {run.key for run in store.runs()}
        ):
            return {"further": before["further"], "code": digest}
    keys = set()
    for text, rows in measure().groupby("signature", sort=False):
        made = Signature.parse(text)
        store.keep_numbers(made, lambda rows=rows: rows.reset_index(drop=True), of="further")
        keys.add(made.key)
    return {"further": sorted(keys), "code": digest}


def sentences(model, job: Job):
    """Accuracies on sentence pairs, of a causal model by their beginnings as well. Returns the signature."""
    from tse_book.pages.profile_file import papers_bos
    from tse_core.blimp.scores import evaluate_blimp

    model = model.with_policies(bos=papers_bos(job.model))
    found = evaluate_blimp(model, job.data)
    if model.kind == "causal":
        evaluate_blimp(model, job.data, method="one-prefix")
    return found.signature


if __name__ == "__main__":
    score(sys.argv[1])
