"""The outcome of a suite's predictions: region surprisals, whether each holds for each item, accuracy.

Everything after the token surprisals is arithmetic on a table, so another metric needs no new forward pass.
"""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from tse_core.errors import check_known
from tse_core.models.coerce import as_model
from tse_core.results.result_index import keep_results
from tse_core.results.signature import Signature
from tse_core.results.store import Store
from tse_core.results.tidy import TIDY_COLUMNS
from tse_core.results.work import as_store, run
from tse_core.syntaxgym.library import as_suite
from tse_core.syntaxgym.regions import METRICS, region_value
from tse_core.syntaxgym.scoring import suite_work
from tse_core.syntaxgym.suites import Suite, to_dict, to_json
from tse_core.uncertainty.shares import wilson


@dataclass(frozen=True)
class Outcome:
    """The outcome of a suite's predictions under one model.

    Attributes
    ----------
    tokens : DataFrame
        item, condition, position, token, region, bits, unknown: one row per token.
    regions : DataFrame
        item, condition, region, name, content, bits, tokens (how many), unknown (the words the model does not know).
    items : DataFrame
        item, prediction (from 1), holds, unknown (a region of the prediction has an unknown word).
    signature : Signature
        With the device and date of the token scores, even if they came from the store.
    """

    suite: Suite
    kind: str
    metric: str
    tokens: pd.DataFrame
    regions: pd.DataFrame
    items: pd.DataFrame
    signature: Signature

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
        """A row per prediction, and one for their conjunction (prediction "all"): formula, correct, items, accuracy."""
        rows: list[tuple[int | str, str, int]] = [
            (number, str(formula), self.items.loc[self.items["prediction"] == number, "holds"].sum())
            for number, formula in enumerate(self.suite.predictions, 1)
        ]
        rows.append(("all", "every prediction", self.by_item.sum()))
        table = pd.DataFrame(rows, columns=["prediction", "formula", "correct"]).astype({"correct": int})
        items = self.items["item"].nunique()
        return table.assign(items=items, accuracy=table["correct"] / items if items else np.nan)

    @property
    def unknown(self) -> pd.DataFrame:
        """The regions with words that the model does not know."""
        return self.regions[self.regions["unknown"] != ""]

    @property
    def unscored(self) -> int:
        """The number of items with a prediction that compares regions with and without an unpredicted first token,
        or with two different ones: without a BOS token a first token counts 0 bits."""
        first = self.tokens[(self.tokens["position"] == 1) & (self.tokens["bits"] == 0)]
        found: dict[int, dict] = {}
        for row in first.itertuples():
            found.setdefault(row.item, {}).update({(region, row.condition): row.token for region in (row.region, None)})
        return sum(
            any(len({tokens.get(atom) for atom in formula.atoms}) > 1 for formula in self.suite.predictions)
            for tokens in found.values()
        )

    def tidy(self) -> pd.DataFrame:
        """The share of items for which each prediction holds, and all of them, in the columns of result files.

        The metrics are "prediction 1" and so on, and "all predictions"; the bounds are Wilson's.
        """
        rows = []
        for row in self.predictions.itertuples():
            name = "all predictions" if row.prediction == "all" else f"prediction {row.prediction}"
            rows.append({"metric": name, **wilson(row.correct, row.items)._asdict(), "pairs": row.items})
        table = pd.DataFrame(rows).rename(columns={"estimate": "score"})
        return table.assign(
            model=self.signature.model, protocol=self.signature.protocol,
            construction=self.suite.name, side="", cutoff=np.nan, coverage=np.nan, invalid=np.nan, lemmas=0,
            contexts=table["pairs"], signature=str(self.signature),
        )[TIDY_COLUMNS]  # fmt: skip

    def totals(self, item: int) -> dict[tuple[int, str], float]:
        """Bits by (region, condition) of one item, the input of a formula."""
        rows = self.regions[self.regions["item"] == item]
        return dict(zip(zip(rows["region"], rows["condition"], strict=True), rows["bits"], strict=True))

    def to_json(self) -> str:
        """The evaluated suite: its JSON with ``metric_value`` and ``oovs`` in every region."""
        data = to_dict(self.suite)
        data["meta"]["evaluated"] = str(self.signature)
        found = self.regions.set_index(["item", "condition", "region"])
        for item in data["items"]:
            for condition in item["conditions"]:
                for region in condition["regions"]:
                    row = found.loc[(item["item_number"], condition["condition_name"], region["region_number"])]
                    region["metric_value"] = {self.metric: row["bits"]}
                    region["oovs"] = row["unknown"].split()
        return to_json(data)


def evaluate_suite(
    model, suite: Suite, *, metric: str | None = None, bos: str | None = None, store: Store | str | Path | None = None
) -> Outcome:
    """Evaluate a model on a suite.

    Parameters
    ----------
    model : LanguageModel, a model that gives surprisals only, or what `load_model` takes
    suite : Suite, or what `load_suite` takes
    metric : str, optional
        How a region's surprisal is made from its tokens' (sum, mean, median, range, max, min); default: the suite's.
    bos : str, optional
        Beginning-of-sentence policy; default: the model's. Without such a token the first one has surprisal 0.
    store : Store or path, optional
        Where token surprisals are kept and looked up, so that nothing is computed twice, and the accuracies kept.

    Returns
    -------
    Outcome
        Surprisals in bits. Masked models are scored by pseudo-log-likelihood, and the signature says so.

    Raises
    ------
    InputError
        An unknown metric; the model gave a token NaN or probability 0.
    """
    if metric is not None:
        check_known("metric", metric, METRICS)
    model, suite = as_model(model).with_policies(bos=bos), as_suite(suite)
    work = suite_work(model, suite)
    done, metric = run(work, store), metric or suite.metric
    identity = {**work.signature.identity, "data": f"{suite.name}@{suite.hash}"}
    signature = Signature(identity, {"metric": metric, **work.signature.policy}, done.provenance)
    outcome = _outcome(suite, done.tables["suite"]["tokens"], model.kind, metric, signature)
    if store := as_store(store):
        keep_results(outcome.tidy(), store, imported=False)
    return outcome


def _outcome(suite: Suite, tokens: pd.DataFrame, kind: str, metric: str, signature: Signature) -> Outcome:
    """Everything after the token surprisals."""
    regions = _region_rows(suite, tokens, metric)
    rows = []
    affected = {tuple(key) for key in regions.loc[regions["unknown"] != "", ["item", "region", "condition"]].to_numpy()}
    for number, part in regions.groupby("item", sort=False):
        totals = dict(zip(zip(part["region"], part["condition"], strict=True), part["bits"], strict=True))
        for i, formula in enumerate(suite.predictions, 1):
            has_unknown = any(
                (number, region, condition) in affected
                for wanted, condition in formula.atoms
                for region in (suite.regions if wanted is None else [wanted])
            )
            rows.append((number, i, formula.holds(totals), has_unknown))
    items = pd.DataFrame(rows, columns=["item", "prediction", "holds", "unknown"])
    return Outcome(suite, kind, metric, tokens, regions, items, signature)


def _region_rows(suite: Suite, tokens: pd.DataFrame, metric: str) -> pd.DataFrame:
    bits: dict[tuple, list[float]] = defaultdict(list)
    unknown_words: dict[tuple, list[str]] = defaultdict(list)
    for *place, value, word in tokens[["item", "condition", "region", "bits", "unknown"]].itertuples(index=False):
        bits[tuple(place)].append(value)
        unknown_words[tuple(place)] += [word] if word else []
    rows = []
    for item in suite.items:
        for condition, texts in item.contents.items():
            for number, content in texts.items():
                region = (item.number, condition, number)
                values, words = np.array(bits[region], dtype=float), " ".join(dict.fromkeys(unknown_words[region]))
                score = region_value(values, metric)
                rows.append((*region, suite.regions[number], content, score, len(values), words))
    columns = ["item", "condition", "region", "name", "content", "bits", "tokens", "unknown"]
    return pd.DataFrame(rows, columns=columns)
