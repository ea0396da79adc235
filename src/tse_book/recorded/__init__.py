"""Recorded runs: results of models that ran elsewhere or earlier, kept in data/recorded/MODEL.

The ledger reads results (`tse_core.results`); chapters read details, in single precision:

    agreement.parquet      results: TSE, EW, MW, cut-offs, past forms, Table 3's sentences
    blimp.parquet          results: accuracy by paradigm and phenomenon
    suites.parquet         results: accuracy by SyntaxGym suite and circuit
    pairs.parquet          bos, method, paradigm, pair: log-probability and margin (nats), tokens
    items.parquet          bos, suite, item, prediction: whether it holds, unknown words
    regions.parquet        bos, suite, item, condition, region: surprisal (bits), tokens
    wordings.parquet       bos, capital, construction: TSE, EW, MW
    words.parquet          results by single tokens and by whole words, in the same contexts
    verbs.parquet          forms, construction, lemma: in how many contexts it agrees, its tokens
    languages.parquet      language, construction: TSE, EW, MW on CLAMS
    controls.parquet       see `tse_book.studies.controls`
    evaluations/           whole evaluations: see `tse_book.recorded.evaluations`
    provenance.json        hardware, versions, date, checksums, what was left out and why

Modules that read: provenance, runs (results), details, evaluations, accuracies.
Modules that make: measurements (results), detail_measurements, recording, compact (files).

The public names are in ``__init__.pyi``. They are loaded on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
