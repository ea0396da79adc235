"""Score the models of the chosen profile, so that the notebooks find every table in the store."""

import json
import sys
import time

from book.make import SCORES, fail
from book.make.profile import jobs, load_profile

# What computes the numbers of `further_results`.
FURTHER = ("metrics", "agreement", "uncertainty", "tse_book/studies/rows.py")


def score(name: str) -> None:
    """Run one job (model, data, lemma list, protocol) through the store and record its signature."""
    import tse_core
    from tse_book.published import MODELS
    from tse_book.studies import further_results
    from tse_core.paths import store_folder
    from tse_core.results.result_index import keep_results
    from tse_core.results.store import Store

    job = {job.name: job for job in jobs(load_profile())}[name]
    started = time.perf_counter()
    try:
        model = tse_core.load_model(job.model)
        pairs, lemmas = tse_core.load_pairs(job.data), tse_core.load_lemmas(job.lemmas)
        evaluation = tse_core.evaluate(model, pairs, lemmas, protocol=job.protocol, store=store_folder())
        if model.kind == "causal" and model.front != "none":  # Table 2 shows it beside what was published
            bare = model.with_policies(bos="none")
            tse_core.evaluate(bare, pairs, lemmas, protocol=job.protocol, store=store_folder())
        if job.model.rpartition("/")[2] in MODELS.values():  # what the claims about the paper's models ask besides
            further = further_results(evaluation, model, job.lemmas, store_folder())
            keep_results(further, Store(store_folder()), FURTHER)
    except tse_core.InputError as error:
        raise fail(f"scores {name}: {error}") from None
    record = vars(job) | {"signature": str(evaluation.signature), "seconds": round(time.perf_counter() - started, 1)}
    SCORES.mkdir(parents=True, exist_ok=True)
    (SCORES / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    score(sys.argv[1])
