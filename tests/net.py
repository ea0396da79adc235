"""A net of golden values: what the package computes in many settings, each number under a key of words.

``python tests/net.py`` writes tests/golden/net.parquet anew; ``python tests/net.py NAME...`` only these settings.
A change of a number raises its protocol's number first (PROTOCOL_NUMBERS), and is written in a commit of its own that says why.

The functions under "How the package is asked" are the only ones that know the package's names.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

import tse_core
from stand_ins import stand_ins
from tse_core.agreement.comparison import compare_evaluations, compare_metrics, shared_lemmas
from tse_core.agreement.slots import score_context
from tse_core.results.signature import PROTOCOL_NUMBERS
from tse_core.sentences.evaluate import evaluate_blimp
from tse_core.syntaxgym.library import load_suite

GOLDEN = Path(__file__).parent / "golden" / "net.parquet"
SHARED = Path(__file__).parents[2] / "shared"
STAND_IN = "stand-in "  # before a model's name: that of tests/stand_ins.py
SMOLLM2 = "smollm2-135m-instruct"
Numbers = dict[str, float]


# How the package is asked


@cache
def model(name: str):
    return tse_core.load_model(source(name), device="cpu")


def source(name: str) -> str | Path:
    """Where a model is: a stand-in, a reference model in ../shared, or one that is known by its name."""
    if name.startswith(STAND_IN):
        return stand_ins() / name.removeprefix(STAND_IN)
    if name.startswith(("random-", "stories")):
        return SHARED / "models" / name
    return name


def agreement(
    name, pairs, lemmas=None, *, protocol="exact", detail="contexts", verbs="single-token", **sample
):
    end = {"single-token": False, "all": True, "single-token with end": True}[verbs]
    how = {"verbs": verbs.split()[0], "word_end": end, "detail": detail, "store": None}
    return tse_core.evaluate(model(name), pairs, lemmas, protocol=protocol, **how, **sample)


def at_cutoffs(evaluation) -> pd.DataFrame:
    """Scores of contexts, long: construction, left, right, number, metric, side, cutoff, score."""
    found = evaluation.at_cutoffs[evaluation.at_cutoffs["metric"] != "margin"].drop(
        columns="coverage"
    )
    contexts = evaluation.contexts[["construction", "left", "right", "number"]]
    return contexts.join(found.set_index("context")).astype({"metric": str, "side": str})


def of_lemmas(evaluation) -> pd.DataFrame:
    """construction, subject, noun, number, lemma: contexts, correct, probability_correct, probability_wrong."""
    return evaluation.by_lemma.drop(columns="margin")


def of_forms(evaluation) -> pd.DataFrame:
    """left, right, number, lemma: log_odds, log_probability_singular, log_probability_plural (nats)."""
    contexts = evaluation.contexts[["left", "right", "number"]]
    rows = contexts.loc[np.repeat(contexts.index, len(evaluation.lemmas))].reset_index(drop=True)
    rows["lemma"] = np.tile(evaluation.lemmas["lemma"], len(contexts))
    rows["log_odds"] = evaluation.log_odds.ravel()
    for form in ("singular", "plural"):
        rows[f"log_probability_{form}"] = evaluation.log_probabilities(form).ravel()
    return rows


def sensitivity(evaluation, by: str) -> pd.DataFrame:
    table = evaluation.table(by, intervals=True)
    return table[[by, *(c for c in table if c.startswith("NS")), "twins", "split_twins", "lemmas"]]


def suite(name, suite):
    return tse_core.evaluate_suite(model(name), load_suite(suite))


def templates(name: str, step: int = 1) -> pd.DataFrame:
    """Every step-th pair of a data set, in the order in which it is given."""
    pairs = tse_core.load_pairs(name)
    found = pairs.iloc[::step].reset_index(drop=True)
    found.attrs = pairs.attrs
    return found


@cache
def laboratory_pairs(count: int) -> pd.DataFrame:
    """The first sentence pairs of each of the laboratory's paradigms, with columns good and bad."""
    pairs = tse_core.load_sentence_pairs("laboratory")
    return pairs.groupby("paradigm", sort=False).head(count).reset_index(drop=True)


@cache
def with_adverbs():
    return agreement("lab-lexical-causal", templates("marvin-linzen-adverbs", 29), detail="forms")


@cache
def with_lemmas():
    return agreement("lab-lexical-causal", templates("marvin-linzen", 101), detail="lemmas")


# The numbers in a table


def numbers(
    table: pd.DataFrame, values: list[str], label: str, keys: list[str] | None = None
) -> Numbers:
    """The columns `values` of a table, each under the label, the other columns' words and its own name."""
    keys = [column for column in table if column not in values] if keys is None else keys
    words = (
        table[keys].astype(str).agg(" | ".join, axis=1)
        if keys
        else pd.Series("", index=table.index)
    )
    found: Numbers = {}
    for column in values:
        for word, value in zip(words, table[column].astype(float), strict=True):
            name = f"{label} | {word} | {column}"
            assert name not in found or found[name] == value or np.isnan(value), name
            found[name] = value
    return found


def overall(evaluation) -> Numbers:
    found = numbers(
        evaluation.table(), ["MW", "EW", "TSE", "contexts", "pairs"], "table", ["construction"]
    )
    curves = evaluation.curves()
    found |= numbers(
        curves,
        ["score", "coverage", "invalid"],
        "curve",
        ["construction", "metric", "side", "cutoff"],
    )
    contexts = evaluation.contexts
    found |= numbers(contexts, ["ew", "mw"], "context", ["construction", "left", "right", "number"])
    pairs = evaluation.pairs
    texts = ["construction", "left", "right", "correct", "wrong"]
    return found | numbers(
        pairs, ["tse", "log_probability_correct", "log_probability_wrong"], "pair", texts
    )


def some(table: pd.DataFrame, count: int) -> pd.DataFrame:
    """About `count` rows of a table, the same each time."""
    return table.iloc[:: max(1, len(table) // count)]


def table_2(name: str, data: str, step: int = 1, **how) -> Numbers:
    return overall(agreement(name, templates(data, step), **how))


def preferences(name: str, count: int, method: str) -> Numbers:
    pairs = laboratory_pairs(count)
    field = {"one-prefix": "one_prefix_prefix", "two-prefix": "two_prefix_prefix_good"}.get(method)
    if field:
        pairs = pairs[pairs[field] != ""].reset_index(drop=True)
    table = (
        tse_core.score_pairs(model(name), pairs, method)
        .reset_index(drop=True)
        .assign(sentence=pairs["good"])
    )
    return numbers(table, ["logp_good", "logp_bad", "correct"], "pair", ["sentence"])


def regions(name: str, suite_name: str, count: int | None = None) -> Numbers:
    table = suite(name, suite_name).regions
    return numbers(
        some(table, count) if count else table, ["bits"], "region", ["item", "condition", "region"]
    )


# The settings: what each measures, under a name


def settings() -> Iterator[tuple[str, Callable[[], Numbers]]]:
    yield from of_agreement()
    yield from of_stand_ins()
    yield from of_details()
    yield from of_sentences()
    yield from of_the_real_model()


def of_agreement():
    for lab in ("lab-systematic-causal", "lab-lexical-masked"):
        for protocol in ("exact", "released"):
            yield (
                f"{lab}, {protocol}",
                partial(table_2, lab, "marvin-linzen", 487, protocol=protocol),
            )
    for random in ("random-gpt2", "random-roberta", "random-bert-cased"):
        for protocol, lemmas in (("exact", "newman-clean"), ("released", "newman-appendix")):
            measure = partial(
                table_2, random, "marvin-linzen", 1999, lemmas=lemmas, protocol=protocol
            )
            yield f"{random}, {protocol}, {lemmas}", measure
    for name, model_name, verbs, sample in (
        ("whole words of a causal model", "stories260K", "all", 3),
        ("single tokens with the word's end", "random-gpt2", "single-token with end", 3),
        ("whole words of a masked model", "random-bert-cased", "all", 2),
        ("whole words of the laboratory's pieces", "lab-lexical-causal-bpe", "all", 3),
    ):
        yield (
            name,
            partial(table_2, model_name, "marvin-linzen/simple", 9, verbs=verbs, sample=sample),
        )


def of_stand_ins():
    """What `of_agreement` and `of_sentences` ask of the reference models, of models that are always there."""
    exact, released = ("exact", "newman-clean"), ("released", "newman-appendix")
    for random, ways in (
        ("random-gpt2", (exact, released)),
        ("random-roberta-lstrip", (exact, released)),
        ("random-roberta", (released,)),
        ("random-bert-cased", (exact, released)),
    ):
        for protocol, lemmas in ways:
            measure = partial(
                table_2, STAND_IN + random, "marvin-linzen", 1999, lemmas=lemmas, protocol=protocol
            )
            yield f"{STAND_IN}{random}, {protocol}, {lemmas}", measure
    for model_name, verbs, sample in (
        ("stories260K", "all", 3),
        ("random-gpt2", "single-token with end", 3),
        ("random-bert-cased", "all", 2),
    ):
        how = {"verbs": verbs, "sample": sample}
        measure = partial(table_2, STAND_IN + model_name, "marvin-linzen/simple", 9, **how)
        yield f"{STAND_IN}{model_name}, {verbs}", measure
    measure = partial(regions, f"{STAND_IN}random-gpt2", "lab_number_prep", 200)
    yield f"{STAND_IN}random-gpt2, a suite", measure


def of_details():
    lab, simple = "lab-lexical-causal", "marvin-linzen/simple"
    counts = ["contexts", "correct", "probability_correct", "probability_wrong"]
    forms = ["log_odds", "log_probability_singular", "log_probability_plural"]
    cells = ["MW", "EW", "TSE", "EW_low", "EW_high", "MW_low", "MW_high"]
    ends, place = ["score", "low", "high"], ["construction", "metric"]

    def at_every_cutoff():
        return numbers(at_cutoffs(agreement(lab, templates(simple, 9))), ["score"], "cut-off")

    def lemmas(name, step, count):
        found = agreement(name, templates("marvin-linzen", step), detail="lemmas")
        return numbers(some(of_lemmas(found), count), counts, "lemma") | overall(found)

    def by_verb_and_adverb():
        table = with_adverbs().table("noun,adverb", intervals=True)
        return numbers(
            table, [column for column in cells if column in table], "cell", ["noun", "adverb"]
        )

    def twins():
        table = sensitivity(with_adverbs(), "adverb")
        return numbers(
            table, [c for c in table if table[c].dtype.kind in "fi"], "sensitivity", ["adverb"]
        )

    def two_models():
        pair = (lab, "lab-systematic-causal")
        shared, pairs = shared_lemmas(map(model, pair)), templates("marvin-linzen", 101)
        table = compare_evaluations(*(agreement(name, pairs, shared) for name in pair))
        return numbers(
            table, ["first", "second", "difference", "low", "high", "p_value"], "comparison", place
        )

    def two_metrics():
        table = compare_metrics(with_lemmas(), "TSE", "EW")
        return numbers(table, ["difference", "low", "high", "p_value"], "metrics", ["construction"])

    def one_context():
        scores = score_context(model(lab), "The author", number="singular")
        return {"ew": scores.ew, "mw": scores.mw}

    def slot():
        table = tse_core.slot_distribution(model("lab-lexical-masked"), "The author", "here.").head(
            200
        )
        return numbers(table, ["probability"], "slot", ["token"])

    yield "scores of contexts at cut-offs", at_every_cutoff
    yield "detail of lemmas", partial(lemmas, lab, 487, 2000)
    yield "detail of lemmas, masked", partial(lemmas, "lab-systematic-masked", 1001, 1000)
    yield "detail of forms", lambda: numbers(some(of_forms(with_adverbs()), 1500), forms, "form")
    yield "cells by kind of verb and adverb, with intervals", by_verb_and_adverb
    yield "number sensitivity", twins
    yield "a comparison of two models", two_models
    yield "a comparison of two metrics", two_metrics
    yield (
        "intervals over subjects",
        lambda: numbers(with_lemmas().intervals(), ends, "interval", place),
    )
    both = ("subjects", "verbs")
    yield (
        "intervals over subjects and verbs",
        lambda: numbers(with_lemmas().intervals(both), ends, "interval", place),
    )
    yield "one context", one_context
    yield "the distribution at a slot", slot


def of_sentences():
    def units():
        sentences = ["The author knew the guards.", "The pilots that the guard knew smile."]
        found: Numbers = {}
        for unit in ("token", "word"):
            table = tse_core.surprisals(model("lab-lexical-causal"), sentences, unit=unit)
            found |= numbers(
                table.assign(place=range(len(table))), ["surprisal"], unit, ["place", unit]
            )
        return found

    def paradigms():
        table = evaluate_blimp(model("lab-lexical-causal"), laboratory_pairs(40)).accuracy(
            "paradigm"
        )
        return numbers(table, ["accuracy", "low", "high"], "accuracy", ["paradigm"])

    def predictions():
        return numbers(
            suite("lab-lexical-causal", "lab_number_prep").items,
            ["holds"],
            "item",
            ["item", "prediction"],
        )

    yield "surprisals of tokens and words", units
    for method in ("full-sentence", "one-prefix", "two-prefix"):
        yield f"sentence pairs, {method}", partial(preferences, "lab-lexical-causal", 6, method)
    for method in ("pll", "pll-l2r"):
        yield f"sentence pairs, {method}", partial(preferences, "lab-lexical-masked", 6, method)
    yield "accuracies by paradigm", paradigms
    for name in ("lab-systematic-causal", "lab-lexical-masked"):
        yield f"a suite, {name}", partial(regions, name, "lab_number_prep")
    yield "a suite's accuracies", predictions
    yield "a public suite", partial(regions, "random-gpt2", "number_prep", 200)


def of_the_real_model():
    simple = "marvin-linzen/simple"
    yield "the real model, simple", partial(table_2, SMOLLM2, simple)
    yield (
        "the real model, nine rows",
        partial(table_2, SMOLLM2, "marvin-linzen", 401, detail="lemmas"),
    )
    yield (
        "the real model, released",
        partial(table_2, SMOLLM2, "marvin-linzen", 999, protocol="released"),
    )
    few = some(tse_core.load_lemmas("newman-clean").table, 200)  # more would take a minute
    yield (
        "the real model, whole words",
        partial(table_2, SMOLLM2, simple, lemmas=few, verbs="all", sample=2),
    )
    ends = partial(table_2, SMOLLM2, simple, lemmas=few, verbs="single-token with end", sample=2)
    yield "the real model, single tokens with ends", ends
    yield "the real model, sentences", partial(preferences, SMOLLM2, 3, "full-sentence")
    yield "the real model, a suite", partial(regions, SMOLLM2, "lab_number_prep")


SETTINGS = dict(settings())


def is_slow(name: str) -> bool:
    """Whether a setting takes a second or more; quicker settings ask for some of the same."""
    models = (
        "the real model",
        "random-roberta",
        "detail of",
        "lab-systematic-causal",
        "lab-lexical-masked",
        STAND_IN + "stories260K",
        "intervals over subjects and verbs",
        "a comparison of two models",
    )
    words = "whole words of a causal model", "single tokens with the word's end"
    return name.startswith((*models, *words, "accuracies by paradigm", "sentence pairs, pll-l2r"))


def needs_shared(name: str) -> bool:
    """Whether a setting asks for the folder of reference data."""
    words = (
        "single tokens with the word's end",
        "whole words of a causal model",
        "whole words of a masked model",
    )
    return name.startswith(("random-", "a public suite", *words))


# Measured and recorded


def measured(name: str) -> Numbers:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SETTINGS[name]()


def recorded() -> dict[str, Numbers]:
    table = pd.read_parquet(GOLDEN)
    return {
        name: dict(zip(rows["key"].astype(str), rows["value"], strict=True))
        for name, rows in table.groupby("setting", sort=False, observed=True)
    }


def difference(found: Numbers, golden: Numbers) -> float:
    """The largest difference, infinite where a key is missing or one of two values is undefined."""
    if missing := sorted(golden.keys() - found.keys()):
        raise AssertionError(
            f"{len(missing)} of {len(golden)} numbers are missing, the first: {missing[0]}"
        )
    pairs = np.array([(found[key], value) for key, value in golden.items()], dtype=np.float64)
    same = (pairs[:, 0] == pairs[:, 1]) | np.isnan(pairs).all(axis=1)
    apart = np.where(same, 0, np.abs(pairs[:, 0] - pairs[:, 1]))
    return float(np.nan_to_num(apart, nan=np.inf).max())


def write(names: list[str]) -> None:
    found = recorded() if GOLDEN.exists() else {}
    for name in names or list(SETTINGS):
        found[name] = measured(name)
        print(f"{len(found[name]):7,} {name}", flush=True)
    rows = [
        (name, key, value)
        for name in SETTINGS
        if name in found
        for key, value in found[name].items()
    ]
    table = pd.DataFrame(rows, columns=["setting", "key", "value"]).astype({"setting": "category"})
    table.attrs["protocols"] = PROTOCOL_NUMBERS
    table.to_parquet(GOLDEN, compression="zstd", index=False)


if __name__ == "__main__":
    write(sys.argv[1:])
