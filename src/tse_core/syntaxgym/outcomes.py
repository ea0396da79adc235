"""The outcome of a suite's predictions: region surprisals, whether each holds for each item, accuracy.

Everything after the token surprisals is arithmetic on a table, so another metric needs no new forward pass.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from tse_core.errors import check_known
from tse_core.models.coerce import as_model
from tse_core.progress import progress
from tse_core.results.signature import Signature
from tse_core.results.store import Store, store_for
from tse_core.results.tidy import TIDY_COLUMNS
from tse_core.results.work import run
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.regions import METRICS, region_value
from tse_core.syntaxgym.scoring import suite_work
from tse_core.syntaxgym.suites import Suite, to_dict, to_json
from tse_core.uncertainty.shares import wilson


@dataclass(frozen=True)
class Outcome:
    """The outcome of a suite's predictions under one model.

    Attributes
    ----------
    tokens : item, condition, position, token, region, bits, unknown: one row per token
    regions : item, condition, region, name, content, bits, tokens (how many), unknown (words the model does not know)
    items : item, prediction (from 1), holds, unknown (a region of the prediction has an unknown word)
    signature : with the device and date of the token scores, even if they came from the store
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
        holds = self.items.pivot(index="item", columns="prediction", values="holds")
        formulas = [*map(str, self.suite.predictions), "every prediction"]
        holds = holds.reindex(columns=range(1, len(formulas))).assign(all=self.by_item)
        table = pd.DataFrame({"prediction": list(holds), "formula": formulas, "correct": holds.sum().astype(int).array})
        return table.assign(items=len(holds), accuracy=table["correct"] / len(holds) if len(holds) else np.nan)

    def of_items(self, numbers) -> "Outcome":
        """The outcome of some items alone."""
        return replace(self, items=self.items[self.items["item"].isin(numbers)])

    @property
    def unknown(self) -> pd.DataFrame:
        """The regions with words that the model does not know."""
        return self.regions[self.regions["unknown"] != ""]

    @property
    def unscored(self) -> int:
        """The number of items with a prediction that compares regions with and without an unpredicted first token,
        or with two different ones: without a BOS token a first token counts 0 bits."""
        first = self.tokens[(self.tokens["position"] == 1) & (self.tokens["bits"] == 0)]
        affected = 0
        for _, rows in first.groupby("item"):
            tokens = {(r, row.condition): row.token for row in rows.itertuples() for r in (row.region, None)}
            compared = [{tokens.get(atom) for atom in formula.atoms} for formula in self.suite.predictions]
            affected += any(len(of_atoms) > 1 for of_atoms in compared)
        return affected

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
            model=self.signature.model, protocol="", method=self.signature.protocol,
            construction=self.suite.name, side="", cutoff=np.nan, coverage=np.nan, invalid=np.nan, lemmas=0,
            contexts=table["pairs"], signature=str(self.signature),
        )[TIDY_COLUMNS]  # fmt: skip

    def totals(self, item: int) -> dict[tuple[int, str], float]:
        """Bits by (region, condition) of one item, the input of a formula."""
        return _totals(self.regions[self.regions["item"] == item])

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
    model,
    suite: Suite | str | Path,
    *,
    metric: str | None = None,
    bos: str | None = None,
    store: Store | str | Path | None = "default",
) -> Outcome:
    """Evaluate a model on a suite.

    Parameters
    ----------
    model : LanguageModel, a model that gives surprisals only, or what `load_model` takes
    suite : Suite, or what `load_suite` takes
    metric : sum, mean, median, range, max or min
        How a region's surprisal is made from its tokens'; default: the suite's.
    bos : beginning-of-sentence policy, by default the model's; without such a token the first one has surprisal 0
    store : where token surprisals and accuracies are kept and looked up, as in `evaluate`

    Returns
    -------
    Outcome, in bits. Masked models are scored by pseudo-log-likelihood, and the signature says so.

    Raises
    ------
    InputError : an unknown metric; the model gave a token NaN or probability 0.
    """
    if metric is not None:
        check_known("metric", metric, METRICS)
    model = as_model(model).with_policies(bos=bos)
    suite = suite if isinstance(suite, Suite) else load_suite(suite)
    work, store = suite_work(model, suite), store_for(model, store)
    done, metric = run(work, store), metric or suite.metric
    identity = {**work.signature.identity, "data": f"{suite.name}@{suite.hash}"}
    signature = Signature(identity, {"metric": metric, **work.signature.policy}, done.provenance)
    tokens = done.tables["suite"]["tokens"]
    regions = _regions(suite, tokens, metric)
    outcome = Outcome(suite, model.kind, metric, tokens, regions, _items(suite, regions), signature)
    if store:
        store.keep_numbers(signature, outcome.tidy)
    return outcome


def evaluate_suites(models: Iterable, suites: Iterable, **how) -> Iterator[Outcome]:
    """Every suite of the first model, then of the next, with one network in memory at a time.

    `how` are the further arguments of `evaluate_suite`; `accuracy_table` puts the outcomes into one table.
    """
    suites = [suite if isinstance(suite, Suite) else load_suite(suite) for suite in suites]
    for model in models:
        opened = as_model(model)
        with progress(len(suites), opened.label, unit="suites") as bar:
            for suite in suites:
                yield evaluate_suite(opened, suite, **how)
                bar.update()


def _regions(suite: Suite, tokens: pd.DataFrame, metric: str) -> pd.DataFrame:
    by_region = dict(iter(tokens.groupby(["item", "condition", "region"], sort=False)))
    rows = []
    for item in suite.items:
        for condition, texts in item.contents.items():
            for number, content in texts.items():
                part = by_region.get((item.number, condition, number), tokens[:0])
                words = " ".join(filter(None, dict.fromkeys(part["unknown"])))
                value = region_value(part["bits"].to_numpy(float), metric)
                rows.append((item.number, condition, number, suite.regions[number], content, value, len(part), words))
    columns = ["item", "condition", "region", "name", "content", "bits", "tokens", "unknown"]
    return pd.DataFrame(rows, columns=columns)


def _items(suite: Suite, regions: pd.DataFrame) -> pd.DataFrame:
    """Whether each prediction holds for each item, and whether an unknown word stands in a region of it."""
    rows = []
    for item, part in regions.groupby("item", sort=False):
        totals, affected = _totals(part), part[part["unknown"] != ""]
        unknown = {(r, row.condition) for row in affected.itertuples() for r in (row.region, None)}
        for number, formula in enumerate(suite.predictions, 1):
            rows.append((item, number, formula.holds(totals), not unknown.isdisjoint(formula.atoms)))
    return pd.DataFrame(rows, columns=["item", "prediction", "holds", "unknown"])


def _totals(regions: pd.DataFrame) -> dict[tuple[int, str], float]:
    return dict(zip(zip(regions["region"], regions["condition"], strict=True), regions["bits"], strict=True))
