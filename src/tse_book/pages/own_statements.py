"""What became of the book's own statements, N1 to N7: tables for *In real sentences* and the ledger."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from tse_book.claims.panels import Panel
from tse_book.claims.real_sentences import OF_LISTS, STATEMENTS, judge
from tse_core.paths import data_folder

AS_STATED = "as stated"
FOUND, JUDGED = "found", "judged"
INTERVALS = {  # how the bounds of each are called in data/recorded/real_sentences.csv
    "not corrected": "",
    "crossed with verbs": "_crossed",
    "bootstrap": "_bootstrap",
    "bootstrap, with verbs": "_both_bootstrap",
}


def recorded_verdicts() -> pd.DataFrame:
    """What data/recorded/real_sentences.py wrote."""
    return pd.read_csv(data_folder() / "recorded" / "real_sentences.csv", keep_default_na=True)


def judged(panels: Mapping[str, Panel], treebank: str) -> pd.DataFrame:
    """The statements on a treebank: recorded rows of each model, or judged now, without a bootstrap.

    `panels` are those of the treebank, by the models' labels.

    Returns the columns of data/recorded/real_sentences.csv. Recorded are also the treebanks on which the statements
    were found, the other languages, and the choices.
    """
    recorded = recorded_verdicts()
    tables = []
    for model, panel in panels.items():
        of_model = recorded[recorded["model"] == model]
        if (of_model["data"] == treebank).any():
            tables.append(of_model)
            continue
        statements = STATEMENTS if (panel.verbs["kind"] != "").any() else OF_LISTS
        table = judge(panel, statements, draws=0, crossed=False)
        tables.append(table.assign(model=model, data=treebank, part=JUDGED, choice=AS_STATED))
    return pd.concat(tables, ignore_index=True)


def statement_table(judged: pd.DataFrame) -> pd.DataFrame:
    """N1 to N7 as a page shows them: a row for each statement, model and treebank on which it is judged.

    Returns a table of text: found (the values where the statement was found), tested (the value with its corrected
    interval), verdict, other choices (in how many of those that change the number the verdict is the same) and what
    turns it. Its index is statement and model.
    """
    stated = judged[(judged["choice"] == AS_STATED) & (judged["role"] == JUDGED)]
    tested = stated[stated["part"] == JUDGED]
    order = {statement.id: float(place) for place, statement in enumerate(STATEMENTS)}
    order |= {statement.id: order["N5.also"] + 0.5 for statement in OF_LISTS}
    tested = tested.sort_values("id", key=lambda ids: ids.map(order), kind="stable")
    rows = []
    for row in tested.to_dict("records"):
        of_statement = judged[(judged["id"] == row["id"]) & (judged["model"] == row["model"])]
        language = _language(row["data"])
        same_language = of_statement["data"].map(_language) == language
        found = of_statement[same_language & (of_statement["part"] == FOUND)]
        others = of_statement[of_statement["data"] == row["data"]]
        others = others[others["choice"] != AS_STATED]
        turned = others[others["verdict"] != row["verdict"]]
        unit = row["unit"]
        words = row["statement"] if language == "English" else f"{row['statement']}: {language}"
        of_verdict = _interval(row["low_corrected"], row["high_corrected"], unit)
        cells = {
            "statement": f"{row['id'].partition('.')[0]} {words}",
            "model": row["model"],
            "found": ",\u00a0".join(_text(value, unit) for value in found["value"]),
            "tested": f"{_text(row['value'], unit)}\u00a0{of_verdict}",
            "verdict": row["verdict"],
            "other choices": f"{len(others) - len(turned)} of {len(others)}" if len(others) else "",
            "what turns it": "; ".join(turned["choice"] + ": " + turned["verdict"]),
        }
        rows.append(cells)
    return pd.DataFrame(rows).set_index(["statement", "model"])


def interval_table(judged: pd.DataFrame) -> pd.DataFrame:
    """The other intervals of each statement on a judged treebank, as text.

    Returns a table: id, model, treebank, value, an interval for each of `INTERVALS`, documents, sites.
    """
    rows = []
    stated = judged[(judged["choice"] == AS_STATED) & (judged["part"] == JUDGED)]
    for row in stated.to_dict("records"):
        unit = row["unit"]
        cells = {
            "id": row["id"],
            "model": row["model"],
            "treebank": row["data"].rpartition("-")[2],
            "value": _text(row["value"], unit),
        }
        for heading, ending in INTERVALS.items():
            cells[heading] = _interval(row[f"low{ending}"], row[f"high{ending}"], unit)
        rows.append(cells | {"documents": row["documents"], "sites": int(row["sites"])})
    return pd.DataFrame(rows)


def _language(treebank: str) -> str:
    """The language in the name of a treebank: ud/German-PUD is German."""
    return treebank.rpartition("/")[2].partition("-")[0]


def _interval(low: float, high: float, unit: str) -> str:
    return "–" if np.isnan(low) else f"[{_text(low, unit)},\u00a0{_text(high, unit)}]"


def _text(value: float, unit: str) -> str:
    """A number of a statement: nats with two decimals, others with three, no zero in front."""
    if np.isnan(value):
        return "–"
    digits = 2 if unit == "nats" else 3
    text = f"{abs(value):.{digits}f}"
    if unit != "nats":
        text = text.removeprefix("0")
    return f"−{text}" if round(value, digits) < 0 else text
