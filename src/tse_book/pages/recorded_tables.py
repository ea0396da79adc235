"""Tables of a recorded run for a page: BLiMP by paradigm or phenomenon, SyntaxGym by suite; or a note if missing."""

from html import escape

import pandas as pd

from tse_book.pages.markup import shown
from tse_book.recorded import PROVENANCE, read_provenance
from tse_book.studies import recorded_items, recorded_pairs
from tse_core.blimp.scores import accuracies
from tse_core.paths import data_folder
from tse_core.syntaxgym.library import public_suites
from tse_core.uncertainty.shares import wilson


def recorded_accuracies(model: str, by: str = "paradigm", *, bos: str = "default") -> pd.DataFrame | None:
    """BLiMP from a recorded run, as `tse_core.blimp.scores.accuracies` gives it; None where it is not recorded."""
    found = recorded_pairs(model, bos=bos)
    return None if found is None else accuracies({model: found}, by)


def recorded_suites(model: str, bos: str = "default") -> pd.DataFrame | None:
    """Accuracy on each public suite by its first prediction, as Hu et al. (2020) count; None where it is not recorded.

    Returns a table: circuit, suite, model, accuracy with its 95 % interval low, high (Wilson), correct, items, in_31.
    """
    found = recorded_items(model, bos)
    if found is None:
        return None
    groups = found[found["prediction"] == 1].groupby("suite", sort=False)["holds"]
    table = groups.agg(correct="sum", items="size").reset_index()
    shares = [wilson(int(row.correct), int(row.items)) for row in table.itertuples()]
    table = table.assign(
        model=model, accuracy=[s.estimate for s in shares], low=[s.low for s in shares], high=[s.high for s in shares]
    )
    known = public_suites()[["suite", "circuit", "in_31"]]
    return table.merge(known, on="suite")[
        ["circuit", "suite", "model", "accuracy", "low", "high", "correct", "items", "in_31"]
    ]


def recording_time(model: str, part: str) -> str:
    """How long a part of a recorded run (agreement, blimp, suites) took, in a sentence; "" where it is not recorded."""
    home = data_folder() / "recorded" / model
    made = read_provenance(home) if (home / PROVENANCE).exists() else {"files": {}}
    if part not in made["files"]:
        return ""
    minutes = round(made["files"][part]["seconds"] / 60)
    took = f"{minutes} minute{'' if minutes == 1 else 's'}" if minutes else "less than a minute"
    return f"The recorded run of these scores took {took} on one machine ({made['hardware']}, {made['date']})."


def not_recorded(model: str, what: str):
    """The note on a page if a recorded run lacks what the page would show."""
    return shown(
        f'<aside class="admonition note"><p class="admonition-title">Not yet recorded</p><p>{escape(what)} of '
        f"{escape(model)} have not been recorded yet; <code>tse record {escape(model)} --out data/recorded</code> "
        "records them, and this page then shows them. Published values are shown anyway.</p></aside>"
    )
