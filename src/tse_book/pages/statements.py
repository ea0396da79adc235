"""The tables of the chapter on the gap: what was measured of each model in the controls, and the verdicts."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from tse_book.charts.theme import KIND_COLOURS
from tse_book.claims import statements
from tse_book.claims.statements import (
    OPENER_NOUN,
    PRONOUN,
    Tables,
    fifths,
    row_verbs,
    subject_verbs,
)
from tse_book.pages.newman import label, opened
from tse_book.recorded import control_tables, recorded_details
from tse_book.studies.controls import MEASURES, controlled_verbs, controls_for
from tse_core.errors import InputError
from tse_core.uncertainty.intervals import interval

KINDS = dict(
    zip((False, True), KIND_COLOURS, strict=True)
)  # of verbs, by whether they are also nouns
SUBJECTS = {  # an opener is "I think that" or one of four like it
    "The N": "the + noun",
    "Opener + the N": "opener + the + noun",
    "Opener + a name": "opener + name",
    "Everyone or nobody": "opener + everyone",
    "It": "opener + it",
    "He, she or they": "opener + he or she",
    "The N who": "the + noun + who",
}
WITH_NOUNS = ("The N", OPENER_NOUN, "Opener + a name", "The N who")  # twenty nouns, ten names
FOUND_ON = "smollm2-135m-instruct"  # the model on which the statements were found
SECOND = "gemma-3-270m"
STATEMENTS = "statements"  # the verdicts of a recorded run: data/recorded/statements.py
FEWEST = 3  # units of a kind over which an interval is drawn


def tables_of(models: Iterable[str], lemmas: str) -> dict[str, Tables]:
    """What was measured of each model in the controls, by its name: recorded, or measured now (minutes to hours).

    A model that cannot be opened here, and of which nothing is recorded, is left out.
    """
    found = {}
    for name in models:
        known = control_tables(label(name))
        try:
            known = known or {
                part: made().table
                for part, made in controls_for(opened(name), lemmas, MEASURES).items()
            }
        except InputError:
            continue
        found[label(name)] = Tables(**known, verbs=controlled_verbs(lemmas))
    return found


def subject_scores(tables: Mapping[str, Tables]) -> pd.DataFrame:
    """EW after each kind of subject in the singular, by whole words and by tokens, and the margin in nats.

    Returns a table with model, subject, verbs (the kind), EW, low, high (95 %: over nouns, openers and verbs, crossed,
    where there are three or more; NaN where every verb is right everywhere, since no variance can be estimated), nats
    (mean margin), EW of tokens, ends (share of the token's probability after which the word ends, the mean of both
    forms'), contexts.
    """
    rows = []
    for model, of in tables.items():
        verbs = subject_verbs(of)
        verbs = verbs[verbs["number"] == "singular"]
        for (construction, also_noun), part in verbs.groupby(
            ["construction", "also_noun"], sort=False
        ):
            nouns = part["noun"] if part["noun"].nunique() >= FEWEST else part["left"]
            openers = [part["opener"]] * (part["opener"].nunique() >= FEWEST)
            found = interval(part["correct"], nouns, crossed_with=[*openers, part["lemma"]])
            ends = np.exp(part[["end_singular", "end_plural"]]).mean(axis=None)
            row: dict[str, Any] = {
                "model": model,
                "subject": SUBJECTS[construction],
                "verbs": KINDS[also_noun],
                "EW": found.estimate,
            }
            low, high = found.low, found.high
            if part["correct"].all():
                low, high = np.nan, np.nan
            row |= {"low": low, "high": high, "nats": part["margin"].mean()}
            row |= {
                "EW of tokens": part["correct_tokens"].mean(),
                "ends": ends,
                "contexts": part["left"].nunique(),
            }
            rows.append(row)
    models, order = list(tables), list(SUBJECTS.values())
    rows.sort(
        key=lambda row: (models.index(row["model"]), order.index(row["subject"]), row["verbs"])
    )
    return pd.DataFrame(rows)


def noun_scores(tables: Mapping[str, Tables]) -> pd.DataFrame:
    """EW by whole words after each noun or name in the singular: what `subject_scores` takes the mean of.

    Returns a table with model, subject, verbs (the kind), noun, EW, from the lowest EW to the highest; pronouns and
    their like are left out.
    """
    parts = []
    for model, of in tables.items():
        verbs = subject_verbs(of)
        verbs = verbs[verbs["number"] == "singular"]
        verbs = verbs[verbs["construction"].isin(WITH_NOUNS)]
        means = verbs.groupby(["construction", "also_noun", "noun"], sort=False)["correct"].mean()
        found = means.rename("EW").reset_index()
        found["subject"] = found["construction"].map(SUBJECTS)
        found["verbs"] = found["also_noun"].map(KINDS)
        parts.append(found.assign(model=model))
    table = pd.concat(parts)[["model", "subject", "verbs", "noun", "EW"]]
    return table.sort_values(["EW", "noun"], ascending=[True, False], ignore_index=True)


def side_by_side(table: pd.DataFrame, scores: list[str]) -> pd.DataFrame:
    """A table by subject and kind of verb with the scores of each model beside each other, in its order."""
    rows = pd.MultiIndex.from_frame(table[["subject", "verbs"]].drop_duplicates())
    models = list(dict.fromkeys(table["model"]))
    wide = table.pivot(index=["subject", "verbs"], columns="model", values=scores)
    return wide.swaplevel(axis=1)[models].reindex(rows).reset_index()


def twin_shifts(tables: Mapping[str, Tables]) -> pd.DataFrame:
    """How far the log-odds of the singular form move from a plural to a singular subject, by whole words.

    Returns a table with model, subject, verbs (the kind), shift (mean, nats), share (of twins and verbs above 0).
    """
    rows = []
    for model, of in tables.items():
        verbs = subject_verbs(of)
        verbs = verbs.replace(
            {"noun": {"they": "he"}}
        )  # twins share a noun, and an opener where there is one
        wide = verbs.pivot_table(
            "log_odds", ["construction", "noun", "opener", "also_noun", "lemma"], "number"
        )
        shift = (wide["singular"] - wide["plural"]).dropna()
        for (construction, also_noun), part in shift.groupby(
            ["construction", "also_noun"], sort=False
        ):
            names = {"model": model, "subject": SUBJECTS[construction], "verbs": KINDS[also_noun]}
            rows.append(names | {"shift": part.mean(), "share": (part > 0).mean()})
    return pd.DataFrame(rows)


def fifth_scores(tables: Mapping[str, Tables], key: str = "modal") -> pd.DataFrame:
    """EW of Table 2's rows over fifths of the verbs by a key: model, verbs, number (the subject's), fifth, EW."""
    rows = []
    for model, of in tables.items():
        for (also_noun, number), part in row_verbs(of).groupby(["also_noun", "number"], sort=False):
            found = fifths(part, "correct", key).rename(columns={"value": "EW", "verbs": "count"})
            rows.append(found.assign(model=model, verbs=KINDS[also_noun], number=number))
    return pd.concat(rows, ignore_index=True)


def noun_share_scores(tables: Mapping[str, Tables]) -> pd.DataFrame:
    """EW of also-nouns over fifths of their noun share (of the uses that WordNet counts), after an opener and *the N*,
    and *he* or *she*.

    Returns a table with model, subject, fifth (1 to 5, the last is most of a noun), EW.
    """
    rows = []
    for model, of in tables.items():
        verbs = subject_verbs(of)
        verbs = verbs[verbs["also_noun"] & (verbs["number"] == "singular")]
        verbs = verbs[verbs["construction"].isin([OPENER_NOUN, PRONOUN])]
        for construction, part in verbs.groupby("construction", sort=False):
            found = fifths(part, "correct", "noun_share")
            rows.append(
                found.rename(columns={"value": "EW"}).assign(
                    model=model, subject=SUBJECTS[construction]
                )
            )
    return pd.concat(rows, ignore_index=True)[["model", "subject", "fifth", "EW"]]


def preposition_scores(tables: Mapping[str, Tables]) -> pd.DataFrame:
    """EW of never-nouns after a singular subject and a preposition: model, preposition, attractor (its number), EW."""
    rows = []
    for model, of in tables.items():
        cells = of.attractors
        cells = cells[
            ~cells["also_noun"] & (cells["number"] == "singular") & (cells["adverb"] == "none")
        ]
        found = cells.assign(EW=cells["correct"] / cells["verbs"])
        found = (
            found.groupby(["preposition", "attractor_number"], sort=False)["EW"]
            .mean()
            .reset_index()
        )
        rows.append(found.rename(columns={"attractor_number": "attractor"}).assign(model=model))
    return pd.concat(rows, ignore_index=True)


def verdict_table(tables: Mapping[str, Tables]) -> pd.DataFrame:
    """The verdicts on the statements, a row for each and each model: measured (with its interval), Holm's p, units,
    verdict, and the choices by which the recorded verdict is another one.

    A choice that leaves a statement's interval as it is, and moves only the correction for many tests, is not named.
    """
    parts = []
    for model, of in tables.items():
        known = recorded_details(model, STATEMENTS)
        every = (
            statements.judge(of).assign(choice=statements.AS_FIXED)
            if known is None
            else known.table
        )
        fixed = every[every["choice"] == statements.AS_FIXED].set_index("id")
        moved = every["low"] != every["id"].map(fixed["low"])  # not by the correction alone
        others = every[(every["verdict"] != every["id"].map(fixed["verdict"])) & moved]
        otherwise = others.groupby("id")["choice"].agg("; ".join)
        turned = otherwise.reindex(fixed.index, fill_value="" if known else "not judged")
        measured = [_in_words(row) for row in fixed.itertuples()]
        parts.append(fixed.assign(model=model, measured=measured, turned=turned).reset_index())
    table = pd.concat(parts, ignore_index=True).sort_values("id", kind="stable", ignore_index=True)
    table = table[["id", "statement", "model", "measured", "p_holm", "units", "verdict", "turned"]]
    return table.rename(columns={"p_holm": "Holm's p", "turned": "another verdict by"})


def _in_words(row) -> str:
    """A statistic with its interval and unit: three digits of EW, two of nats."""
    if pd.isna(row.value):
        return "–"
    digits = 3 if row.unit == "EW" else 2
    bounds = "" if pd.isna(row.low) else f" [{row.low:.{digits}f}, {row.high:.{digits}f}]"
    return f"{row.value:.{digits}f}{bounds} {'' if row.unit == 'EW' else row.unit}".rstrip()
