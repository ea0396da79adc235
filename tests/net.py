"""A net of golden values: what the package computes in many settings, each number under a key of words.

``python tests/net.py`` writes tests/golden/net.parquet anew; ``python tests/net.py NAME...`` only these settings.
A change of a number is written in a commit of its own that says why.

The functions under "How the package is asked" are the only ones that know the package's names.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

import tse_core
from tse_core.agreement.comparison import compare_evaluations, compare_metrics, shared_lemmas
from tse_core.agreement.slots import score_context
from tse_core.blimp.scores import evaluate_blimp
from tse_core.syntaxgym.library import load_suite

GOLDEN = Path(__file__).parent / "golden" / "net.parquet"
SHARED = Path(__file__).parents[2] / "shared"
SMOLLM2 = "smollm2-135m-instruct"
Numbers = dict[str, float]


# How the package is asked


@cache
def model(name: str):
    path = SHARED / "models" / name
    return tse_core.load_model(str(path) if name.startswith(("random-", "stories")) else name, device="cpu")


def agreement(name, pairs, lemmas=None, *, protocol="exact", detail="contexts", verbs="single-token", **sample):
    end = {"single-token": False, "all": True, "single-token with end": True}[verbs]
    how = {"verbs": verbs.split()[0], "word_end": end, "detail": detail, "store": None}
    return tse_core.evaluate(model(name), pairs, lemmas, protocol=protocol, **how, **sample)


def at_cutoffs(evaluation) -> pd.DataFrame:
    """Scores of contexts, long: construction, left, right, number, metric, side, cutoff, score."""
    found = evaluation.at_cutoffs[evaluation.at_cutoffs["metric"] != "margin"].drop(columns="coverage")
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
    return table[[by, *(c for c in table if c.startswith(("NS", "shift"))), "twins", "split_twins", "lemmas"]]


def sentence_scores(name, pairs, method) -> pd.DataFrame:
    found = tse_core.score_pairs(model(name), pairs, method)
    return found[["logp_good", "logp_bad", "correct"]].reset_index(drop=True)


def accuracy_by_paradigm(name, pairs) -> pd.DataFrame:
    return evaluate_blimp(model(name), pairs).accuracy("paradigm")


def suite_bits(name, suite) -> pd.DataFrame:
    return evaluate_suite(name, suite).regions


def evaluate_suite(name, suite):
    return tse_core.evaluate_suite(model(name), load_suite(suite))


def templates(name: str, step: int = 1) -> pd.DataFrame:
    """Every step-th pair of a data set, in the order in which it is given."""
    pairs = tse_core.load_pairs(name)
    found = pairs.iloc[::step].reset_index(drop=True)
    found.attrs = pairs.attrs
    return found


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


def numbers(table: pd.DataFrame, values: list[str], label: str, keys: list[str] | None = None) -> Numbers:
    """The columns `values` of a table, each under the label, the other columns' words and its own name."""
    keys = [column for column in table if column not in values] if keys is None else keys
    words = table[keys].astype(str).agg(" | ".join, axis=1) if keys else pd.Series("", index=table.index)
    found: Numbers = {}
    for column in values:
        for word, value in zip(words, table[column].astype(float), strict=True):
            name = f"{label} | {word} | {column}"
            assert name not in found or found[name] == value or np.isnan(value), name
            found[name] = value
    return found


def overall(evaluation) -> Numbers:
    found = numbers(evaluation.table(), ["MW", "EW", "TSE", "contexts", "pairs"], "table", ["construction"])
    curves = evaluation.curves()
    found |= numbers(curves, ["score", "coverage", "invalid"], "curve", ["construction", "metric", "side", "cutoff"])
    contexts = evaluation.contexts
    found |= numbers(contexts, ["ew", "mw"], "context", ["construction", "left", "right", "number"])
    pairs = evaluation.pairs
    texts = ["construction", "left", "right", "correct", "wrong"]
    return found | numbers(pairs, ["tse", "log_probability_correct", "log_probability_wrong"], "pair", texts)


def some(table: pd.DataFrame, count: int) -> pd.DataFrame:
    """About `count` rows of a table, the same each time."""
    return table.iloc[:: max(1, len(table) // count)]


# The settings


SETTINGS: dict[str, tuple[Callable[[], Numbers], bool, bool]] = {}


def setting(name: str, *, slow: bool = False, shared: bool = False):
    """Registers a function that measures: `slow` asks for the real model, `shared` for the folder of reference data."""

    def registered(function):
        SETTINGS[name] = (function, slow, shared)
        return function

    return registered


def _register_agreement() -> None:
    for lab in ("lab-systematic-causal", "lab-lexical-masked"):
        for protocol in ("exact", "released"):

            @setting(f"{lab}, {protocol}")
            def _(lab=lab, protocol=protocol):
                return overall(agreement(lab, templates("marvin-linzen", 487), protocol=protocol))

    for random in ("random-gpt2", "random-roberta", "random-bert-cased"):
        for protocol, lemmas in (("exact", "newman-clean"), ("released", "newman-appendix")):

            @setting(f"{random}, {protocol}, {lemmas}", shared=True)
            def _(random=random, protocol=protocol, lemmas=lemmas):
                pairs = templates("marvin-linzen", 1999)
                return overall(agreement(random, pairs, lemmas, protocol=protocol))


_register_agreement()


@setting("scores of contexts at cut-offs")
def _():
    found = agreement("lab-lexical-causal", templates("marvin-linzen/simple", 9))
    return numbers(at_cutoffs(found), ["score"], "cut-off")


@setting("detail of lemmas")
def _():
    found = agreement("lab-lexical-causal", templates("marvin-linzen", 487), detail="lemmas")
    values = ["contexts", "correct", "probability_correct", "probability_wrong"]
    return numbers(some(of_lemmas(found), 2000), values, "lemma") | overall(found)


@setting("detail of lemmas, masked")
def _():
    found = agreement("lab-systematic-masked", templates("marvin-linzen", 1001), detail="lemmas")
    values = ["contexts", "correct", "probability_correct", "probability_wrong"]
    return numbers(some(of_lemmas(found), 1000), values, "lemma")


@setting("detail of forms")
def _():
    found = with_adverbs()
    values = ["log_odds", "log_probability_singular", "log_probability_plural"]
    return numbers(some(of_forms(found), 1500), values, "form")


@setting("cells by kind of verb and adverb, with intervals")
def _():
    found = with_adverbs()
    table = found.table("noun,adverb", intervals=True)
    values = [c for c in ("MW", "EW", "TSE", "EW_low", "EW_high", "MW_low", "MW_high") if c in table]
    return numbers(table, values, "cell", ["noun", "adverb"])


@setting("number sensitivity")
def _():
    found = with_adverbs()
    table = sensitivity(found, "adverb")
    return numbers(table, [c for c in table if table[c].dtype.kind in "fi"], "sensitivity", ["adverb"])


@setting("whole words of a causal model", shared=True)
def _():
    return overall(agreement("stories260K", templates("marvin-linzen/simple", 9), verbs="all", sample=3))


@setting("single tokens with the word's end", shared=True)
def _():
    found = agreement("random-gpt2", templates("marvin-linzen/simple", 9), verbs="single-token with end", sample=3)
    return overall(found)


@setting("whole words of a masked model", shared=True)
def _():
    return overall(agreement("random-bert-cased", templates("marvin-linzen/simple", 9), verbs="all", sample=2))


@setting("whole words of the laboratory's pieces")
def _():
    return overall(agreement("lab-lexical-causal-bpe", templates("marvin-linzen/simple", 9), verbs="all", sample=3))


@setting("a comparison of two models")
def _():
    lemmas = shared_lemmas([model("lab-lexical-causal"), model("lab-systematic-causal")])
    pairs = templates("marvin-linzen", 101)
    first, second = (agreement(name, pairs, lemmas) for name in ("lab-lexical-causal", "lab-systematic-causal"))
    table = compare_evaluations(first, second)
    values = ["first", "second", "difference", "low", "high", "p_value"]
    return numbers(table, values, "comparison", ["construction", "metric"])


@setting("a comparison of two metrics")
def _():
    found = with_lemmas()
    table = compare_metrics(found, "TSE", "EW")
    values = ["difference", "low", "high", "p_value"]
    return numbers(table, values, "metrics", ["construction"])


@setting("intervals over subjects")
def _():
    found = with_lemmas()
    table = found.intervals()
    return numbers(table, ["score", "low", "high"], "interval", ["construction", "metric"])


@setting("intervals over subjects and verbs")
def _():
    found = with_lemmas()
    table = found.intervals(over=("subjects", "verbs"))
    return numbers(table, ["score", "low", "high"], "interval", ["construction", "metric"])


@setting("one context")
def _():
    scores = score_context(model("lab-lexical-causal"), "The author", number="singular")
    return {"ew": scores.ew, "mw": scores.mw}


@setting("the distribution at a slot")
def _():
    table = tse_core.slot_distribution(model("lab-lexical-masked"), "The author", "here.").head(200)
    return numbers(table, ["probability"], "slot", ["token"])


@setting("surprisals of tokens and words")
def _():
    sentences = ["The author knew the guards.", "The pilots that the guard knew smile."]
    found: Numbers = {}
    for unit in ("token", "word"):
        table = tse_core.surprisals(model("lab-lexical-causal"), sentences, unit=unit)
        text = "token" if unit == "token" else "word"
        table = table.assign(place=range(len(table)))
        found |= numbers(table, ["surprisal"], unit, ["place", text])
    return found


def _register_sentences() -> None:
    for name, methods in {
        "lab-lexical-causal": ("full-sentence", "one-prefix", "two-prefix"),
        "lab-lexical-masked": ("pll", "pll-l2r"),
    }.items():
        for method in methods:

            @setting(f"sentence pairs, {method}")
            def _(name=name, method=method):
                pairs = laboratory_pairs(6)
                first_field = {"one-prefix": "one_prefix_prefix", "two-prefix": "two_prefix_prefix_good"}.get(method)
                if first_field:
                    pairs = pairs[pairs[first_field] != ""].reset_index(drop=True)
                table = sentence_scores(name, pairs, method).assign(sentence=pairs["good"])
                return numbers(table, ["logp_good", "logp_bad", "correct"], "pair", ["sentence"])


_register_sentences()


@setting("accuracies by paradigm")
def _():
    pairs = laboratory_pairs(40)
    table = accuracy_by_paradigm("lab-lexical-causal", pairs)
    return numbers(table, ["accuracy", "low", "high"], "accuracy", ["paradigm"])


def _register_suites() -> None:
    for name in ("lab-systematic-causal", "lab-lexical-masked"):

        @setting(f"a suite, {name}")
        def _(name=name):
            table = suite_bits(name, "lab_number_prep")
            return numbers(table, ["bits"], "region", ["item", "condition", "region"])


_register_suites()


@setting("a suite's accuracies")
def _():
    items = evaluate_suite("lab-lexical-causal", "lab_number_prep").items
    return numbers(items, ["holds"], "item", ["item", "prediction"])


@setting("a public suite", shared=True)
def _():
    table = some(suite_bits("random-gpt2", "number_prep"), 200)
    return numbers(table, ["bits"], "region", ["item", "condition", "region"])


@setting("the real model, simple", slow=True)
def _():
    return overall(agreement(SMOLLM2, templates("marvin-linzen/simple")))


@setting("the real model, nine rows", slow=True)
def _():
    return overall(agreement(SMOLLM2, templates("marvin-linzen", 401), detail="lemmas"))


@setting("the real model, released", slow=True)
def _():
    return overall(agreement(SMOLLM2, templates("marvin-linzen", 999), protocol="released"))


@setting("the real model, whole words", slow=True)
def _():
    return overall(agreement(SMOLLM2, templates("marvin-linzen/simple"), verbs="all", sample=2))


@setting("the real model, single tokens with ends", slow=True)
def _():
    return overall(agreement(SMOLLM2, templates("marvin-linzen/simple"), verbs="single-token with end", sample=2))


@setting("the real model, sentences", slow=True)
def _():
    pairs = laboratory_pairs(3)
    table = sentence_scores(SMOLLM2, pairs, "full-sentence").assign(sentence=pairs["good"])
    return numbers(table, ["logp_good", "logp_bad", "correct"], "pair", ["sentence"])


@setting("the real model, a suite", slow=True)
def _():
    return numbers(suite_bits(SMOLLM2, "lab_number_prep"), ["bits"], "region", ["item", "condition", "region"])


# Measured and recorded


def measured(name: str) -> Numbers:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SETTINGS[name][0]()


def recorded() -> dict[str, Numbers]:
    table = pd.read_parquet(GOLDEN)
    return {
        name: dict(zip(rows["key"].astype(str), rows["value"], strict=True))
        for name, rows in table.groupby("setting", sort=False, observed=True)
    }


def difference(found: Numbers, golden: Numbers) -> float:
    """The largest difference, infinite where a key is missing or one of two values is undefined."""
    if missing := sorted(golden.keys() - found.keys()):
        raise AssertionError(f"{len(missing)} of {len(golden)} numbers are missing, the first: {missing[0]}")
    pairs = np.array([(found[key], value) for key, value in golden.items()], dtype=np.float64)
    same = (pairs[:, 0] == pairs[:, 1]) | np.isnan(pairs).all(axis=1)
    apart = np.where(same, 0, np.abs(pairs[:, 0] - pairs[:, 1]))
    return float(np.nan_to_num(apart, nan=np.inf).max())


def write(names: list[str]) -> None:
    found = recorded() if GOLDEN.exists() else {}
    for name in names or list(SETTINGS):
        found[name] = measured(name)
        print(f"{len(found[name]):7,} {name}", flush=True)
    rows = [(name, key, value) for name in SETTINGS if name in found for key, value in found[name].items()]
    table = pd.DataFrame(rows, columns=["setting", "key", "value"]).astype({"setting": "category"})
    table.to_parquet(GOLDEN, compression="zstd", index=False)


def names(slow: bool) -> Iterator[str]:
    return (name for name, (_, is_slow, _) in SETTINGS.items() if is_slow == slow)


if __name__ == "__main__":
    write(sys.argv[1:])
