"""Outcomes of suites: region surprisals, whether predictions hold for each item, accuracy.

Everything after the token surprisals is arithmetic on a table, so another metric needs no new
forward pass.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Literal, Self, TypeAlias

import numpy as np
import pandas as pd

from tse_core.datasets.loading import data_hash
from tse_core.errors import InputError, check_known
from tse_core.models.loading import AnyModel, as_model
from tse_core.models.surprisal_model import TokenSurprisals
from tse_core.results.running import tables_of_pieces
from tse_core.results.saved import Saved, write_saved
from tse_core.results.signature import Signature, signature_of
from tse_core.results.store import Store, store_for
from tse_core.results.tidy import tidied
from tse_core.sentences.tokens import token_surprisals
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.suites import KEYS, Suite, suite_from_dict, to_dict, to_json
from tse_core.uncertainty.shares import wilson
from tse_core.words import word_span

# How a region's surprisal follows from those of its tokens: our name, numpy's function.
RegionMetric: TypeAlias = Literal["sum", "mean", "median", "range", "max", "min"]
REGION_METRICS: dict[str, str] = {
    "sum": "sum",
    "mean": "mean",
    "median": "median",
    "range": "ptp",
    "max": "max",
    "min": "min",
}
TABLES = ("tokens", "regions", "items")  # of an outcome, as a file holds them
TOKEN_COLUMNS = ["item", "condition", "position", "token", "region", "bits", "unknown"]


@dataclass(frozen=True, repr=False)
class Outcome:
    """The outcome of a suite's predictions under one model.

    It prints its accuracy and its signature, in a notebook with a table of its predictions.

    Attributes
    ----------
    tokens : item, condition, position, token, region, bits, unknown: one row per token
    regions : item, condition, region, name, content, bits, tokens (how many), unknown (words the
        model does not know): one row per region, in the order of the sentence
    items : item, prediction (from 1), holds, unknown (a region of the prediction has an unknown
        word)
    signature : with the device and date of the token scores, even if they came from the store
    """

    suite: Suite
    kind: str
    metric: str
    tokens: pd.DataFrame
    regions: pd.DataFrame
    items: pd.DataFrame
    signature: Signature

    def __repr__(self) -> str:
        items = f"{len(self.by_item)} items of {self.suite.name}"
        return f"accuracy {self.accuracy:.3f}  over {items} | {self.signature}"

    def _repr_html_(self) -> str:
        predictions = self.predictions.to_html(index=False, float_format="%.3f")
        return f"{predictions}<p><code>{escape(repr(self))}</code></p>"

    @property
    def by_item(self) -> pd.Series:
        """Whether all predictions hold, by item number."""
        return self.items.groupby("item", sort=False)["holds"].all()

    @property
    def accuracy(self) -> float:
        """The share of items for which every prediction holds."""
        return float(self.by_item.mean())

    @property
    def predictions(self) -> pd.DataFrame:
        """A row per prediction: prediction, correct, items, accuracy, formula."""
        holds = self.items.groupby("prediction", as_index=False)["holds"]
        table = holds.agg(correct="sum", items="size", accuracy="mean")
        formulas = [str(self.suite.predictions[number - 1]) for number in table["prediction"]]
        return table.assign(formula=formulas)

    @property
    def unscored(self) -> int:
        """The number of items whose sentences begin with different tokens that count 0 bits.

        Without a BOS token nothing predicts them.
        """
        first = self.tokens[(self.tokens["position"] == 1) & (self.tokens["bits"] == 0)]
        return int((first.groupby("item")["token"].nunique() > 1).sum())

    def tidy(self) -> pd.DataFrame:
        """Shares of items for which predictions hold, in the columns of result files.

        The metrics are "prediction 1" and so on, and "all predictions"; the bounds are Wilson's.
        """
        rows = []
        for row in self.predictions.itertuples():
            share, low, high = wilson(row.correct, row.items)
            rows.append((f"prediction {row.prediction}", share, low, high, row.items))
        share, low, high = wilson(int(self.by_item.sum()), len(self.by_item))
        rows.append(("all predictions", share, low, high, len(self.by_item)))
        table = pd.DataFrame(rows, columns=["metric", "score", "low", "high", "pairs"])
        table = table.assign(construction=self.suite.name, contexts=table["pairs"])
        return tidied(table, self.signature, self.signature.protocol)

    def save(self, path: str | Path) -> None:
        """All of it in one .parquet file, which `tse_core.load_scores` reads.

        Raises InputError: another ending; the file cannot be written.
        """
        tables = {name: getattr(self, name) for name in TABLES}
        facts = {"suite": to_dict(self.suite), "kind": self.kind, "metric": self.metric}
        write_saved(path, self.tidy(), tables, facts)

    @classmethod
    def of_saved(cls, saved: Saved) -> Self:
        """The outcome in a file of saved scores."""
        return cls(
            suite=suite_from_dict(saved.facts["suite"]),
            kind=saved.facts["kind"],
            metric=saved.facts["metric"],
            signature=saved.signature,
            **saved.tables,
        )

    def by_region(self) -> pd.DataFrame:
        """A row per region: model, suite, and the columns of `regions`, with all bits."""
        table = self.regions.copy()
        table.insert(0, "model", self.signature.model)
        table.insert(1, "suite", self.suite.name)
        return table

    def totals(self, item: int) -> dict[tuple[int, str], float]:
        """Bits by (region, condition) of one item, the input of a formula."""
        regions = self.regions[self.regions["item"] == item]
        return regions.set_index(["region", "condition"])["bits"].to_dict()

    def to_json(self) -> str:
        """The evaluated suite: its JSON with ``metric_value`` and ``oovs`` in every region."""
        data = to_dict(self.suite)
        data["meta"]["evaluated"] = str(self.signature)
        regions: list[dict] = []
        for item in data["items"]:
            for condition in item["conditions"]:
                regions += condition["regions"]
        # Both are in the order of the suite.
        for region, row in zip(regions, self.regions.itertuples(), strict=True):
            region["metric_value"] = {self.metric: row.bits}
            region["oovs"] = row.unknown.split()
        return to_json(data)


def evaluate_suite(
    model: AnyModel | str | Path,
    suite: Suite | str | Path,
    *,
    metric: RegionMetric | None = None,
    bos: str | None = None,
    store: Store | str | Path | None = "default",
) -> Outcome:
    """Evaluate a model on a suite.

    Masked models are scored by pseudo-log-likelihood, and the signature says so.

    Parameters
    ----------
    model : LanguageModel, a model that gives surprisals only, or what `load_model` takes
    suite : Suite, or what `load_suite` takes
    metric : how a region's surprisal follows from those of its tokens, one of `REGION_METRICS`
        By default the suite's.
    bos : beginning-of-sentence policy, by default the model's
        Without such a token the first token has surprisal 0.
    store : where token surprisals and accuracies are kept and looked up, as in `evaluate`

    Raises
    ------
    InputError : an unknown metric; a token to which the model gives NaN or probability 0.
    """
    if metric is not None:
        check_known("metric", metric, REGION_METRICS)
    model = as_model(model).with_policies(bos=bos)
    suite = suite if isinstance(suite, Suite) else load_suite(suite)
    store = store_for(model, store)
    region_metric = metric or suite.metric
    before = {"metric": region_metric}
    if model.kind == "masked":
        before["score"] = "pll"
    signature = signature_of(model, f"{suite.name}@{suite.hash}", "syntaxgym", before=before)
    # The size of the work, for the bar of progress.
    words = int(suite.table["content"].str.split().str.len().sum())
    # The tokens alone need the model: for another metric they come from the store.
    tables, tokens_provenance = tables_of_pieces(
        _piece_signature(signature, suite),
        {"suite": (suite, words)},
        partial(_suite_tokens, model),
        ["tokens"],
        store=store,
        title=suite.name,
        unit="words",
        probe=model.probe,
    )
    tokens = tables["suite"]["tokens"]
    regions = _regions(suite, tokens, region_metric)
    items = _items(suite, regions)
    signature = replace(signature, provenance=tokens_provenance)
    outcome = Outcome(suite, model.kind, region_metric, tokens, regions, items, signature)
    if store:
        store.keep_numbers(signature, outcome.tidy)
    return outcome


def _piece_signature(signature: Signature, suite: Suite) -> Signature:
    """The signature of a suite's tokens, from that of its outcome.

    Tokens depend on the sentences alone; the rest of the suite is in the hash of the outcome.
    """
    policy = dict(signature.policy)
    del policy["metric"]
    identity = {**signature.identity, "data": f"{suite.name}@{data_hash(suite.table)}"}
    return replace(signature, identity=identity, policy=policy)


def assign_tokens(regions: Mapping[int, str], starts: Sequence[int] | np.ndarray) -> np.ndarray:
    """The number of each token's region: that of its first character that is not a space.

    `regions` are the texts of the regions by number, in the order of the sentence, where they are
    one space apart; `starts` the positions where the tokens start, with or without the space before
    a word.

    >>> assign_tokens({1: "The", 2: "", 3: "dogs run"}, [0, 3, 8]).tolist()
    [1, 3, 3]
    >>> assign_tokens({3: "dogs run", 1: "The"}, [0, 4, 8]).tolist()
    [3, 3, 1]
    """
    filled = {number: text for number, text in regions.items() if text}
    numbers = np.array(list(filled))
    # Each region with the space behind it; the space is the next region's.
    lengths = [len(text) + 1 for text in filled.values()]
    ends = np.cumsum(lengths) - 1
    indices = np.searchsorted(ends, starts, side="right")
    last = len(filled) - 1  # a mark may stand behind the last character
    return numbers[np.minimum(indices, last)]


def region_value(bits: np.ndarray, metric: str) -> float:
    """The surprisal of a region from those of its tokens, in bits; 0 for one without tokens."""
    if not len(bits):
        return 0.0
    function = getattr(np, REGION_METRICS[metric])
    return float(function(bits))


def _suite_tokens(model, suite: Suite, advance) -> dict[str, pd.DataFrame]:
    """The token surprisals of all sentences of a suite: ``Outcome.tokens``."""
    sentences = suite.sentences()
    different = sentences["sentence"].unique().tolist()
    scores = dict(zip(different, token_surprisals(model, different, advance=advance), strict=True))
    texts: dict[tuple, dict[int, str]] = {}
    for item, condition, region, content in suite.table.itertuples(index=False):
        texts.setdefault((item, condition), {})[region] = content
    rows: list[tuple] = []
    for item, condition, sentence in sentences.itertuples(index=False):
        where = f"item {item}, condition {condition!r}"
        tokens = _tokens(texts[item, condition], sentence, scores[sentence], where)
        rows += [(item, condition, *token) for token in tokens]
    return {"tokens": pd.DataFrame(rows, columns=TOKEN_COLUMNS)}


def _tokens(
    regions: Mapping[int, str], sentence: str, scores: TokenSurprisals, where: str
) -> Iterator[tuple]:
    """The tokens of a sentence, in the columns of `TOKEN_COLUMNS` from the position on.

    Raises InputError, with `where`, for a token of two regions, or without bits.
    """
    # The regions of the first and of the last character of each token.
    first = assign_tokens(regions, scores.starts)
    last = assign_tokens(regions, np.maximum(scores.ends - 1, scores.starts))
    for token in np.flatnonzero(first != last):
        text = sentence[scores.starts[token] : scores.ends[token]]
        if " " in text.strip():
            raise InputError(
                f"{where}: {scores.tokens[token]!r} is a token of the regions {first[token]} and "
                f"{last[token]}, so that neither has a surprisal of its own; take a model whose "
                "tokens end at spaces"
            )
    if not np.isfinite(scores.bits).all():
        raise InputError(
            f"{where}: the model gives NaN or probability 0 for a token of {sentence!r}"
        )
    spans = [word_span(sentence, start) for start in scores.starts]
    words = [sentence[start:end] for start, end in spans]
    unknown = np.where(scores.unknown, words, "").tolist()
    positions = range(1, len(words) + 1)
    bits = scores.bits.tolist()
    return zip(positions, scores.tokens, first.tolist(), bits, unknown, strict=True)


def _regions(suite: Suite, tokens: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The regions of a suite with what their tokens sum up to: ``Outcome.regions``."""
    bits_of: dict[tuple, list[float]] = {}
    unknown_of: dict[tuple, dict[str, None]] = {}  # the words once each, in order
    for row in tokens.itertuples(index=False):
        key = (row.item, row.condition, row.region)
        bits_of.setdefault(key, []).append(row.bits)
        if row.unknown:
            unknown_of.setdefault(key, {})[row.unknown] = None
    bits, counts, unknown = [], [], []
    for key in suite.table[KEYS].itertuples(index=False, name=None):
        bits_of_tokens = bits_of.get(key, [])  # an empty region has no token
        bits.append(region_value(np.array(bits_of_tokens), metric))
        counts.append(len(bits_of_tokens))
        unknown.append(" ".join(unknown_of.get(key, {})))
    regions = suite.table.assign(bits=bits, tokens=counts, unknown=unknown)
    regions.insert(3, "name", regions["region"].map(suite.regions))
    return regions


def _items(suite: Suite, regions: pd.DataFrame) -> pd.DataFrame:
    """Whether predictions hold for each item, and have a region with an unknown word."""
    bits: dict[int, dict[tuple[int, str], float]] = {}
    unknown: set[tuple[int, int | None, str]] = set()
    for row in regions.itertuples(index=False):
        bits.setdefault(row.item, {})[row.region, row.condition] = row.bits
        if row.unknown:
            unknown.add((row.item, row.region, row.condition))
            unknown.add((row.item, None, row.condition))  # an atom may speak of all regions
    rows = []
    for item, totals in bits.items():
        for number, formula in enumerate(suite.predictions, 1):
            affected = any((item, *atom) in unknown for atom in formula.atoms)
            rows.append((item, number, formula.holds(totals), affected))
    return pd.DataFrame(rows, columns=["item", "prediction", "holds", "unknown"])
