"""The gym's pages for the book: one for every model, suite and circuit, with charts, tables and the raw data as files.

Pages are Markdown with the charts' HTML inside; data are CSV files beside them. They are written aside and moved
into place, so that a build never meets half of them, and a file is only touched when its text changes.
"""

import re
from hashlib import sha256
from html import escape
from pathlib import Path

import pandas as pd

from tse_core.charts import heat_map, item_outcomes, item_profile, region_profile, suite_accuracy
from tse_core.errors import InputError
from tse_core.files import read_text, safe_name, write_output
from tse_core.pages.notebook import table
from tse_core.pages.suite_questions import question_of
from tse_core.paths import data_folder
from tse_core.syntaxgym import Gym, Outcome, Suite, accuracy_table, circuit, label, sg_scores

KINDS = {
    "causal": "A causal model.",
    "command": "A model behind a command.",
    "server": "A model behind a server, taken at its word.",
    "masked": "A masked model, scored by pseudo-log-likelihood: every token given all others.",
}
MANIFEST = ".gym-pages"  # lists the files that belong to the pages: nothing else is ever removed
NAMES = {"accuracy": "Accuracy", "correct": "Correct", "judged": "Items judged", "unknown": "Items with unknown words"}


def write_pages(gym: Gym, outcomes: list[Outcome], folder: str | Path) -> list[Path]:
    """Write index.md, a page for each model, circuit and suite, and data/; those of earlier pages that are no more go.

    Returns the pages' paths. Raises InputError where the folder holds anything else.
    """
    folder = Path(folder)
    accuracies = accuracy_table(outcomes, gym.unknown)
    data: dict[str, str] = {}  # the files that pages link to, by name
    pages = {"index.md": _index(gym, accuracies, data)}
    for model in dict.fromkeys(accuracies["model"]):
        pages[_address("model", model)] = _model_page(model, accuracies, outcomes, data)
    for name in sorted({circuit(suite) for suite in gym.suites} - {""}):
        pages[_address("circuit", name)] = _circuit_page(name, gym, accuracies, data)
    for suite in gym.suites:
        own = [outcome for outcome in outcomes if outcome.suite.name == suite.name]
        pages[_address("suite", suite.name)] = _suite_page(suite, gym, own, accuracies, data)
    _write(pages | data, folder)
    return [folder / name for name in pages]


def check_pages_folder(folder: str | Path) -> list[str]:
    """The files of earlier pages in a folder, as their manifest lists them. Raises InputError where there are others.

    A part that a stopped run left behind counts as one of them.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; the pages are written into a folder")
    listed = set(read_text(folder / MANIFEST).split("\n")) - {""} if (folder / MANIFEST).exists() else set()
    found = []
    for path in folder.rglob("*") if folder.is_dir() else ():
        name = path.relative_to(folder).as_posix()
        if path.is_dir() and not path.is_symlink():
            if name not in ("pages", "data"):
                raise _foreign(folder, name)
        elif name in listed or re.search(r"\.[0-9a-f]{12}\.part$", name):
            found.append(name)
        elif name != MANIFEST:
            raise _foreign(folder, name)
    return found


def _foreign(folder: Path, name: str) -> InputError:
    return InputError(f"{folder} holds {name}, which is none of the gym's pages; choose a new or an empty folder")


def _write(files: dict[str, str], folder: Path) -> None:
    """Files appear in the manifest before they are written, and leave it after they were removed."""
    old = check_pages_folder(folder)
    for part in ("pages", "data"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    write_output(folder / MANIFEST, "".join(f"{name}\n" for name in sorted({*old, *files})))
    for name, text in files.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            write_output(path, text)
    for name in set(old) - set(files):
        (folder / name).unlink(missing_ok=True)
    write_output(folder / MANIFEST, "".join(f"{name}\n" for name in sorted(files)))


def _index(gym: Gym, accuracies: pd.DataFrame, data: dict) -> str:
    text = [
        "# The gym",
        "Every suite on every model. A suite is a set of sentences in several conditions with a prediction about "
        "surprisal; its accuracy is the share of items for which the prediction holds. A suite file or a model line "
        "added to `data/gym.yaml` is evaluated against everything on the other side at the next build, and its pages "
        "appear here.",
        "## Models by suite",
    ]
    if accuracies.empty:
        suites = [f"- {_link('suite', suite.name, prefix='pages/')}" for suite in gym.suites]
        return _page([*text, "No model has been evaluated yet. The suites:", "\n".join(suites)])
    judged = accuracies.dropna(subset=["accuracy"])
    if judged.empty:
        text.append("No model knows the words of any suite.")
    else:
        means = judged.groupby("model")["accuracy"].mean()
        best = means.index[means == means.max()]
        title = f"{best[0]} does best on average" if len(best) == 1 < len(means) else "Accuracy on every suite"
        order = judged.sort_values(["circuit", "suite"], kind="stable")
        text.append(_chart(heat_map(order, "suite", "model", "accuracy", title=title)))
        scores = sg_scores(accuracies).rename(columns={"model": "Model", "SG": "SG score", "suites": "Suites"})
        text += ["## SG scores", "The mean over suites, and over the suites of each circuit.",
                 _table(scores, "SG score and mean accuracy by circuit", digits=3)]  # fmt: skip
    text += ["## All results", _matrix(accuracies), _download(data, accuracies, "gym", prefix="data/")]
    return _page(text)


def _model_page(model: str, accuracies: pd.DataFrame, outcomes: list[Outcome], data: dict) -> str:
    own = accuracies[accuracies["model"] == model]
    outcome = next(o for o in outcomes if label(o) == model)
    kind = KINDS[outcome.kind]
    text = [f"# {_md(model)}", kind]
    if len(judged := own.dropna(subset=["accuracy"])):
        low, high = judged.loc[judged["accuracy"].idxmin()], judged.loc[judged["accuracy"].idxmax()]
        title = f"From {low['accuracy']:.2f} ({low['suite']}) to {high['accuracy']:.2f} ({high['suite']})"
        if low["accuracy"] == high["accuracy"]:
            title = f"{low['accuracy']:.2f} on every suite"
        shown = suite_accuracy(judged.sort_values(["circuit", "suite"]), title=title)
        text += ["## Accuracy on every suite", _chart(shown)]
        circuits = judged[judged["circuit"] != ""].groupby("circuit")["accuracy"].agg(["mean", "size"]).reset_index()
        circuits.columns = ["Circuit", "Mean accuracy", "Suites"]
        text += ["## By circuit", _table(circuits, f"SG score {judged['accuracy'].mean():.3f}", digits=3)]
    links = [_links(own, columns=["suite"]), _download(data, own, f"model-{model}")]
    return _page([*text, "## Suites", *links, _signature(outcome)])


def _circuit_page(name: str, gym: Gym, accuracies: pd.DataFrame, data: dict) -> str:
    own = accuracies[accuracies["circuit"] == name]
    text = [f"# {_md(name)}", "The suites of one circuit: constructions that test the same ability."]
    if len(judged := own.dropna(subset=["accuracy"])):
        means = judged.groupby("suite", sort=False)["accuracy"].mean()
        title = f"Hardest: {means.idxmin()}, easiest: {means.idxmax()}" if len(means) > 1 else "Accuracy by model"
        recorded = _recorded(set(own["suite"]))
        text += ["## Models compared", _chart(suite_accuracy(judged, title=title, recorded=recorded))]
        if len(recorded):
            text.append("Hollow diamonds: accuracies that Hu et al. recorded in 2020.")
    suites = [f"- {_link('suite', suite.name)}" for suite in gym.suites if circuit(suite) == name]
    text += ["## Suites", "\n".join(suites)]
    if len(own):
        text += ["## All results", _links(own), _download(data, own, f"circuit-{name}")]
    return _page(text)


def _suite_page(suite: Suite, gym: Gym, outcomes: list[Outcome], accuracies: pd.DataFrame, data: dict) -> str:
    own = accuracies[accuracies["suite"] == suite.name]
    recorded = _recorded({suite.name})
    text = [f"# {_md(suite.name)}", *_about(suite)]
    if not outcomes:
        return _page([*text, "## Accuracy", "No model has been evaluated on this suite yet."])
    if len(judged := own.dropna(subset=["accuracy"])):
        title = (
            f"{judged.loc[judged['accuracy'].idxmax(), 'model']}: {judged['accuracy'].max():.2f}, the highest accuracy"
        )
        text += ["## Accuracy", _chart(suite_accuracy(judged, title=title, recorded=recorded))]
    else:
        text += ["## Accuracy", "The models do not know enough of its words, so no item is judged."]
    shown = own[["model", "accuracy", "correct", "judged", "unknown"]].rename(columns={"model": "Model", **NAMES})
    text.append(_table(shown, "Share of items for which every prediction holds", digits=3))
    if human := gym.human.get(suite.name):
        text.append(f"People: {human['accuracy']:.2f} ({_md(str(human['source']))}).")
    if len(recorded):
        shown = recorded[["model", "accuracy"]].rename(columns={"model": "Model", "accuracy": "Accuracy"})
        recorded_table = _table(shown, "Accuracy of the first prediction alone, mean over training runs", digits=3)
        text.append(f"`````{{dropdown}} Recorded by Hu et al. in 2020 (hollow)\n{recorded_table}\n`````")
    regions = _together(outcomes, "regions")
    if drawn := [outcome for outcome in outcomes if label(outcome) in set(judged["model"])]:
        text += _region_charts(suite, drawn)
    text += [
        "## Raw data",
        _download(data, _together(outcomes, "tokens"), f"{suite.name}-tokens", "Every token's surprisal"),
        _download(data, regions, f"{suite.name}-regions", "Every region's surprisal"),
        *[_signature(outcome) for outcome in outcomes],
    ]
    return _page(text)


def _region_charts(suite: Suite, outcomes: list[Outcome]) -> list[str]:
    """Surprisal by region, on average and item by item, of models that know the suite's words."""
    pieces = _together(outcomes, "tokens").groupby(["model", "item", "condition", "region"], sort=False)
    joined = pieces.apply(_spelled).rename("pieces").reset_index()
    regions = _together(outcomes, "regions").merge(joined, how="left").fillna({"pieces": ""})
    critical = {region for formula in suite.predictions for region, _ in formula.atoms if region}
    return [
        "## Surprisal by region",
        _chart(region_profile(regions, title="Mean surprisal of each region", critical=critical)),
        "## Item by item",
        _chart(item_profile(regions, title="Surprisal of each region of one item", critical=critical)),
        _chart(item_outcomes(_together(outcomes, "items"), title="Which items bear the prediction out")),
    ]


def _about(suite: Suite) -> list[str]:
    place = f"Circuit: {_link('circuit', circuit(suite))}. " if circuit(suite) else ""
    facts = f"{place}{len(suite.items)} items, {len(suite.conditions)} conditions, metric: {suite.metric}."
    claims = "".join(f"<li><code>{escape(str(formula))}</code></li>" for formula in suite.predictions)
    item = suite.items[0]
    rows = [
        {"Condition": condition, **{f"{n} {suite.regions[n]}": text for n, text in texts.items()}}
        for condition, texts in item.contents.items()
    ]
    author = [_md(str(suite.meta[key])) for key in ("author", "reference") if suite.meta.get(key)]
    return [
        *filter(None, [question_of(suite.name)]),
        facts + (f" {', '.join(author)}." if author else ""),
        f"## Prediction{'s' if len(suite.predictions) > 1 else ''}",
        _raw(f"<ul>{claims}</ul>"),
        _table(pd.DataFrame(rows), f"Item {item.number}"),
    ]


def _spelled(tokens: pd.DataFrame) -> str:
    """The tokens of a region with their surprisals."""
    return " ".join(f"{token.strip()} {bits:.1f}" for token, bits in zip(tokens["token"], tokens["bits"], strict=True))


def _recorded(suites: set[str]) -> pd.DataFrame:
    """The accuracies Hu et al. (2020) recorded, mean over a model's training runs."""
    found = pd.read_csv(data_folder() / "published" / "hu2020_suite_accuracy_from_raw.csv")
    found = found[found["suite"].isin(suites)].fillna({"corpus": ""})
    found = found.assign(model=(found["model"] + " " + found["corpus"]).str.strip())
    return found.groupby(["suite", "model"], sort=False, as_index=False)["accuracy"].mean()


def _together(outcomes: list[Outcome], name: str) -> pd.DataFrame:
    parts = [getattr(outcome, name).assign(model=label(outcome)) for outcome in outcomes]
    return pd.concat(parts, ignore_index=True)


def _matrix(accuracies: pd.DataFrame) -> str:
    """Accuracies, a row a suite and a column a model, whose names lead to their pages."""
    models = list(dict.fromkeys(accuracies["model"]))
    found = accuracies.set_index(["suite", "model"])["accuracy"]
    heads = [_link("model", name, prefix="pages/") for name in models]
    lines = [["Suite", *heads], ["---", *["---:"] * len(models)]]
    for suite in dict.fromkeys(accuracies["suite"]):
        values = [found.get((suite, model), float("nan")) for model in models]
        lines.append([_link("suite", suite, prefix="pages/"), *("–" if v != v else f"{v:.3f}" for v in values)])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _links(accuracies: pd.DataFrame, columns=("model", "suite")) -> str:
    """A table whose models and suites lead to their pages."""
    lines = [[*(c.capitalize() for c in columns), "Accuracy", "Correct", "Unknown words"]]
    lines.append(["---"] * len(columns) + ["---:"] * 3)
    for row in accuracies.to_dict("records"):
        names = [_link(c, row[c]) for c in columns]
        value = "–" if pd.isna(row["accuracy"]) else f"{row['accuracy']:.3f}"
        lines.append([*names, value, f"{row['correct']}/{row['judged']}", f"{row['unknown']} of {row['items']} items"])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _page(parts: list[str]) -> str:
    return "\n\n".join(parts) + "\n"


def _chart(chart) -> str:
    """The HTML that draws a chart; nothing inside its data can end the script it stands in.

    Altair numbers views and draws random names; here they depend on the page alone, so that it stays the same.
    """
    html = chart._repr_mimebundle_()["text/html"]
    for kind in (r"altair-viz-\w+", r"\bview_\d+"):
        numbers = {name: number for number, name in enumerate(dict.fromkeys(re.findall(kind, html)))}
        stem = "view_" if "view_" in kind else f"altair-viz-{sha256(chart.description.encode()).hexdigest()[:12]}-"
        html = re.sub(kind, lambda found, numbers=numbers, stem=stem: f"{stem}{numbers[found[0]]}", html)
    start, end = html.index(">", html.index("<script")) + 1, html.rindex("</script>")
    return _raw(html[:start] + html[start:end].replace("</", "<\\/").replace("<!--", "<\\!--") + html[end:])


def _table(frame: pd.DataFrame, caption: str, digits: int = 2) -> str:
    return _raw(table(frame, caption, digits=digits).data)


def _download(data: dict, frame: pd.DataFrame, name: str, text="Download the data", prefix="../data/") -> str:
    """A link to the table as a CSV file, which joins `data`."""
    file = f"{safe_name(name)}.csv"
    data[f"data/{file}"] = frame.round(6).to_csv(index=False, lineterminator="\n")
    rows = f"{len(frame):,} row{'' if len(frame) == 1 else 's'}"
    return f"{{download}}`{text} (CSV, {rows}) <{prefix}{file}>`"


def _signature(outcome: Outcome) -> str:
    """How the scores were made, without the day, so that a page changes only when a score does."""
    return _raw(f'<p class="tse-note">{escape(outcome.signature.without_provenance)}</p>')


def _raw(html: str) -> str:
    inside = html if "tse-note" in html else f'<div class="output text_html">{html}</div>'
    fence = "`" * max(4, *(len(ticks) + 1 for ticks in [*re.findall("`+", html), ""]))
    return f'{fence}{{raw}} html\n<div class="cell_output">{inside}</div>\n{fence}'


def _md(text: str) -> str:
    """Text as it stands: no character of it means anything to Markdown."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>$~&:'\"^@=/])", r"\\\1", " ".join(text.split()))


def _link(kind: str, name: str, prefix: str = "") -> str:
    return f"[{_md(name)}]({prefix}{Path(_address(kind, name)).name})"


def _address(kind: str, name: str) -> str:
    return f"pages/{kind}-{safe_name(name)}.md"
