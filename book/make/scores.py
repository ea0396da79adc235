"""Score a model of the chosen profile on all its data, so that the notebooks find every table in the store."""

import json
import sys
import time
from dataclasses import asdict

import tse_core
from book.make import SCORES, fail
from book.make.profile import Job, jobs, load_profile
from tse_book.pages.profiles import papers_bos
from tse_book.published import MODELS
from tse_book.recorded.measurements import further_results
from tse_core.results.signature import Signature
from tse_core.results.store import Store
from tse_core.sentences.evaluate import evaluate_blimp


def score(name: str) -> None:
    """Open a model once and do its jobs through the store; each leaves its signature and its time."""
    SCORES.mkdir(parents=True, exist_ok=True)
    own = [job for job in jobs(load_profile()) if job.model == name]
    try:
        model = tse_core.load_model(name)
        for job in own:
            started = time.perf_counter()
            signature = (agreement if job.lemmas else sentences)(model, job)
            seconds = round(time.perf_counter() - started, 1)
            told = asdict(job) | {"signature": str(signature), "seconds": seconds}
            job.record.write_text(json.dumps(told, indent=1) + "\n")
    except tse_core.InputError as error:
        raise fail(f"scores {name}: {error}") from None


def agreement(model, job: Job):
    """TSE, EW and MW; of a paper's model what its claims ask besides. Returns the signature."""
    pairs = tse_core.load_pairs(job.data)
    # by verb as well, as chapters ask: a run that keeps more serves those that ask for less
    evaluation = tse_core.evaluate(model, pairs, job.lemmas, protocol=job.protocol, detail="lemmas")
    if job.model.rpartition("/")[2] in MODELS.values():
        for text, rows in further_results(evaluation, model, job.lemmas).groupby(
            "signature", sort=False
        ):
            Store().keep_numbers(
                Signature.parse(text), lambda rows=rows: rows.reset_index(drop=True), of="further"
            )
    return evaluation.signature


def sentences(model, job: Job):
    """Accuracies on sentence pairs, of a causal model by their beginnings as well. Returns the signature."""
    model = model.with_policies(bos=papers_bos(job.model))
    found = evaluate_blimp(model, job.data)
    if model.kind == "causal":
        evaluate_blimp(model, job.data, method="one-prefix")
    return found.signature


if __name__ == "__main__":
    score(sys.argv[1])
