"""The gym's pages for the book: one for every model, suite and circuit, with charts, tables and the raw data as files.

Pages are Markdown with the charts' HTML inside; data are CSV files next to them. Files are written under another name
and moved into place, so that a build never sees half of one, and only if their text changes.
"""

from html import escape
from pathlib import Path

import pandas as pd

from tse_book import published
from tse_book.charts import heat_map, item_outcomes, item_profile, region_profile, suite_accuracy
from tse_book.charts.theme import listed
from tse_book.gym.folder import write_files
from tse_book.gym.parts import address, chart_of, download, link, page, plain, raw, rows_of, signature_note, table_of
from tse_book.gym.plan import Gym
from tse_book.pages.suite_questions import question_of
from tse_core.syntaxgym.library import circuit
from tse_core.syntaxgym.outcomes import Outcome
from tse_core.syntaxgym.suites import Suite
from tse_core.syntaxgym.tables import accuracy_table, label, sg_scores

KIND_SENTENCES = {
    "causal": "A causal model.",
    "command": "A model behind a command.",
    "server": "A model behind a server, taken at its word.",
    "masked": "A masked model, scored by pseudo-log-likelihood: every token given all others.",
}
NAMES = {"accuracy": "Accuracy", "correct": "Correct", "judged": "Items judged", "unknown": "Items with unknown words"}


def write_pages(gym: Gym, outcomes: list[Outcome], folder: str | Path) -> list[Path]:
    """Write index.md, a page for each model, circuit and suite, and data/; obsolete pages are removed.

    Returns the pages' paths. Raises InputError where the folder holds anything else.
    """
    folder = Path(folder)
    accuracies = accuracy_table(outcomes, gym.unknown)
    data: dict[str, str] = {}  # the files that pages link to, by name
    pages = {"index.md": _index(gym, accuracies, data)}
    for model in dict.fromkeys(accuracies["model"]):
        pages[address("model", model)] = _model_page(model, accuracies, outcomes, data)
    for name in sorted({circuit(suite) for suite in gym.suites} - {""}):
        pages[address("circuit", name)] = _circuit_page(name, gym, accuracies, data)
    for suite in gym.suites:
        own = [outcome for outcome in outcomes if outcome.suite.name == suite.name]
        pages[address("suite", suite.name)] = _suite_page(suite, gym, own, accuracies, data)
    write_files(pages | data, folder)
    return [folder / name for name in pages]


def _index(gym: Gym, accuracies: pd.DataFrame, data: dict) -> str:
    text = [
        "# The gym",
        "Every suite on every model. A suite is a set of sentences in several conditions with a prediction about "
        "surprisal; its accuracy is the share of items for which the prediction holds. Add a suite or a "
        "model to `data/gym.yaml`: the next build runs a new suite on every model and a new model on every suite.",
        "## Models by suite",
    ]
    if accuracies.empty:
        suites = [f"- {link('suite', suite.name, prefix='pages/')}" for suite in gym.suites]
        return page([*text, "No model has been evaluated yet. The suites:", "\n".join(suites)])
    judged = accuracies.dropna(subset=["accuracy"])
    if judged.empty:
        text.append("No model knows the words of any suite.")
    else:
        means = judged.groupby("model")["accuracy"].mean()
        best = means.index[means == means.max()]
        title = f"{best[0]} does best on average" if len(best) == 1 < len(means) else "Accuracy on every suite"
        order = judged.sort_values(["circuit", "suite"], kind="stable")
        text.append(chart_of(heat_map(order, "suite", "model", "accuracy", title=title)))
        scores = sg_scores(accuracies).rename(columns={"model": "Model", "SG": "SG score", "suites": "Suites"})
        text += ["## SG scores", "The mean over suites, and over the suites of each circuit.",
                 table_of(scores, "SG score and mean accuracy by circuit", digits=3)]  # fmt: skip
    text += ["## All results", _matrix(accuracies), download(data, accuracies, "gym", prefix="data/")]
    return page(text)


def _model_page(model: str, accuracies: pd.DataFrame, outcomes: list[Outcome], data: dict) -> str:
    own = accuracies[accuracies["model"] == model]
    outcome = next(o for o in outcomes if label(o) == model)
    kind = KIND_SENTENCES[outcome.kind]
    text = [f"# {plain(model)}", kind]
    if len(judged := own.dropna(subset=["accuracy"])):
        low, high = judged.loc[judged["accuracy"].idxmin()], judged.loc[judged["accuracy"].idxmax()]
        title = f"From {low['accuracy']:.2f} ({low['suite']}) to {high['accuracy']:.2f} ({high['suite']})"
        if low["accuracy"] == high["accuracy"]:
            title = f"{low['accuracy']:.2f} on every suite"
        shown = suite_accuracy(judged.sort_values(["circuit", "suite"]), title=title)
        text += ["## Accuracy on every suite", chart_of(shown)]
        circuits = judged[judged["circuit"] != ""].groupby("circuit")["accuracy"].agg(["mean", "size"]).reset_index()
        circuits.columns = ["Circuit", "Mean accuracy", "Suites"]
        text += ["## By circuit", table_of(circuits, f"SG score {judged['accuracy'].mean():.3f}", digits=3)]
    links = [_links(own, columns=["suite"]), download(data, own, f"model-{model}")]
    return page([*text, "## Suites", *links, signature_note(outcome)])


def _circuit_page(name: str, gym: Gym, accuracies: pd.DataFrame, data: dict) -> str:
    own = accuracies[accuracies["circuit"] == name]
    text = [f"# {plain(name)}", "The suites of one circuit: constructions that test the same ability."]
    if len(judged := own.dropna(subset=["accuracy"])):
        means = judged.groupby("suite", sort=False)["accuracy"].mean()
        title = f"Hardest: {means.idxmin()}, easiest: {means.idxmax()}" if len(means) > 1 else "Accuracy by model"
        recorded = _recorded(set(own["suite"]))
        text += ["## Models compared", chart_of(suite_accuracy(judged, title=title, recorded=recorded))]
        if len(recorded):
            text.append("Hollow diamonds: accuracies that Hu et al. recorded in 2020.")
    suites = [f"- {link('suite', suite.name)}" for suite in gym.suites if circuit(suite) == name]
    text += ["## Suites", "\n".join(suites)]
    if len(own):
        text += ["## All results", _links(own), download(data, own, f"circuit-{name}")]
    return page(text)


def _suite_page(suite: Suite, gym: Gym, outcomes: list[Outcome], accuracies: pd.DataFrame, data: dict) -> str:
    own = accuracies[accuracies["suite"] == suite.name]
    recorded = _recorded({suite.name})
    text = [f"# {plain(suite.name)}", *_about(suite)]
    if not outcomes:
        return page([*text, "## Accuracy", "No model has been evaluated on this suite yet."])
    if len(judged := own.dropna(subset=["accuracy"])):
        best = judged.loc[judged["accuracy"] == judged["accuracy"].max(), "model"]
        title = f"{listed(best)}: {judged['accuracy'].max():.2f}, the highest accuracy"
        text += ["## Accuracy", chart_of(suite_accuracy(judged, title=title, recorded=recorded))]
    else:
        text += ["## Accuracy", "The models do not know enough of its words, so no item is judged."]
    shown = own[["model", "accuracy", "correct", "judged", "unknown"]].rename(columns={"model": "Model", **NAMES})
    text.append(table_of(shown, "Share of items for which every prediction holds", digits=3))
    if human := gym.human.get(suite.name):
        text.append(f"People: {human['accuracy']:.2f} ({plain(str(human['source']))}).")
    if len(recorded):
        shown = recorded[["model", "accuracy"]].rename(columns={"model": "Model", "accuracy": "Accuracy"})
        recorded_table = table_of(shown, "Accuracy of the first prediction alone, mean over training runs", digits=3)
        text.append(f"`````{{dropdown}} Recorded by Hu et al. in 2020 (hollow)\n{recorded_table}\n`````")
    regions = _together(outcomes, "regions")
    if drawn := [outcome for outcome in outcomes if label(outcome) in set(judged["model"])]:
        text += _region_charts(suite, drawn)
    text += [
        "## Raw data",
        download(data, _together(outcomes, "tokens"), f"{suite.name}-tokens", "Every token's surprisal"),
        download(data, regions, f"{suite.name}-regions", "Every region's surprisal"),
        *[signature_note(outcome) for outcome in outcomes],
    ]
    return page(text)


def _region_charts(suite: Suite, outcomes: list[Outcome]) -> list[str]:
    """Surprisal by region, on average and item by item, of models that know the suite's words."""
    tokens = _together(outcomes, "tokens")
    tokens["pieces"] = [
        f"{text.strip()} {bits:.1f}" for text, bits in zip(tokens["token"], tokens["bits"], strict=True)
    ]
    keys = ["model", "item", "condition", "region"]
    joined = tokens.groupby(keys, sort=False, as_index=False)["pieces"].agg(" ".join)
    regions = _together(outcomes, "regions").merge(joined, how="left").fillna({"pieces": ""})
    critical = {region for formula in suite.predictions for region, _ in formula.atoms if region}
    return [
        "## Surprisal by region",
        chart_of(region_profile(regions, title="Mean surprisal of each region", critical=critical)),
        "## Item by item",
        chart_of(item_profile(regions, title="Surprisal of each region of one item", critical=critical)),
        chart_of(item_outcomes(_together(outcomes, "items"), title="For which items the prediction holds")),
    ]


def _about(suite: Suite) -> list[str]:
    place = f"Circuit: {link('circuit', circuit(suite))}. " if circuit(suite) else ""
    facts = f"{place}{len(suite.items)} items, {len(suite.conditions)} conditions, metric: {suite.metric}."
    claims = "".join(f"<li><code>{escape(str(formula))}</code></li>" for formula in suite.predictions)
    item = suite.items[0]
    rows = [
        {"Condition": condition, **{f"{n} {suite.regions[n]}": text for n, text in texts.items()}}
        for condition, texts in item.contents.items()
    ]
    author = [plain(str(suite.meta[key])) for key in ("author", "reference") if suite.meta.get(key)]
    return [
        *filter(None, [question_of(suite.name)]),
        facts + (f" {', '.join(author)}." if author else ""),
        f"## Prediction{'s' if len(suite.predictions) > 1 else ''}",
        raw(f"<ul>{claims}</ul>"),
        table_of(pd.DataFrame(rows), f"Item {item.number}"),
    ]


def _recorded(suites: set[str]) -> pd.DataFrame:
    """The accuracies Hu et al. (2020) recorded, mean over a model's training runs."""
    found = published.hu2020_suites()
    found = found[found["suite"].isin(suites)].fillna({"corpus": ""})
    found = found.assign(model=(found["model"] + " " + found["corpus"]).str.strip())
    return found.groupby(["suite", "model"], sort=False, as_index=False)["accuracy"].mean()


def _together(outcomes: list[Outcome], name: str) -> pd.DataFrame:
    parts = [getattr(outcome, name).assign(model=label(outcome)) for outcome in outcomes]
    return pd.concat(parts, ignore_index=True)


def _matrix(accuracies: pd.DataFrame) -> str:
    """Accuracies, a row per suite and a column per model, whose names lead to their pages."""
    models = list(dict.fromkeys(accuracies["model"]))
    found = accuracies.set_index(["suite", "model"])["accuracy"]
    heads = [link("model", name, prefix="pages/") for name in models]
    lines = [["Suite", *heads], ["---", *["---:"] * len(models)]]
    for suite in dict.fromkeys(accuracies["suite"]):
        values = [found.get((suite, model), float("nan")) for model in models]
        lines.append([link("suite", suite, prefix="pages/"), *("–" if v != v else f"{v:.3f}" for v in values)])
    return rows_of(lines)


def _links(accuracies: pd.DataFrame, columns=("model", "suite")) -> str:
    """A table whose models and suites lead to their pages."""
    lines = [[*(c.capitalize() for c in columns), "Accuracy", "Correct", "Unknown words"]]
    lines.append(["---"] * len(columns) + ["---:"] * 3)
    for row in accuracies.to_dict("records"):
        names = [link(c, row[c]) for c in columns]
        value = "–" if pd.isna(row["accuracy"]) else f"{row['accuracy']:.3f}"
        lines.append([*names, value, f"{row['correct']}/{row['judged']}", f"{row['unknown']} of {row['items']} items"])
    return rows_of(lines)
