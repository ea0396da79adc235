"""The charts of the front page, as elements of the page: they are seen before any script has come.

The sentences of the front page are guarded here: where its numbers no longer bear one out, the build stops.
"""

import json
from functools import cache
from html import escape

import pandas as pd

from book.make import live_pages
from tse_book import published
from tse_book.charts.theme import SHOWN_NAMES
from tse_book.pages import guard, statements

MODELS = (statements.FOUND_ON, statements.SECOND)
AUTHOR, HE = "I think that the author", "I think that he"
LABELS = {
    "the author": "a noun, as in The author",
    AUTHOR: "a noun, as in I think that the author",
    "I think that Mary": "a name, as in I think that Mary",
    "I think that everyone": "I think that everyone or nobody",
    HE: "I think that he or she",
    "the author who": "who, as in The author who",
}
KINDS = ("never nouns", "also nouns")


@cache
def tables() -> dict:
    """What is recorded of both models in the controls."""
    return statements.tables_of(MODELS, "newman-clean")


@cache
def subject_scores() -> pd.DataFrame:
    """EW by kind of subject and of verb of both models."""
    return statements.subject_scores(tables())


def finding() -> str:
    """EW after a noun and after a pronoun: the first chart."""
    table = subject_scores()
    ew = table.pivot(index=["subject", "model"], columns="verbs", values="EW").loc[[AUTHOR, HE]]
    said = ew.round(2).groupby("subject").agg(["min", "max"])
    guard(
        "98 to 99 % of the verbs that are never nouns and for 63 to 76 % of those that are also nouns",
        said.loc[AUTHOR].tolist() == [0.63, 0.76, 0.98, 0.99],
    )
    guard("after *I think that he* or *she*, for 93 to 100 %", said.loc[HE].tolist() == [0.93, 0.97, 1, 1])
    return subject_panels(table[table["subject"].isin([AUTHOR, HE])])


def author() -> str:
    """EW after a noun alone, for the slide that asks what it means."""
    table = subject_scores()
    return subject_panels(table[table["subject"] == AUTHOR])


def subjects() -> str:
    """EW after every kind of subject that has been scored."""
    table = subject_scores()
    ew = table.pivot(index=["model", "subject"], columns="verbs", values="EW")
    missing = (ew["never nouns"] - ew["also nouns"]).unstack("subject")
    guard(
        "So most of what EW shows as missing agreement after a singular noun is not seen after a pronoun",
        (missing[HE] < missing[AUTHOR] / 2).all(),
    )
    asked = ["Opener + the N", "Opener + a name"]
    nouns = [of.controls.groupby("construction")["noun"].nunique()[asked].tolist() for of in tables().values()]
    guard("twenty nouns, ten names", nouns == [[20, 10]] * len(nouns))
    listed = tables()[statements.FOUND_ON].verbs["also_noun"]
    asked = [(~of.likelihoods.merge(of.verbs, on="lemma")["also_noun"]).sum() for of in tables().values()]
    guard("fewer than half of those that are never nouns", max(asked) < (~listed).sum() / 2)
    names = ew.xs("I think that Mary", level="subject").loc[list(MODELS)]
    guard(
        "after ten names such as *Mary* EW of verbs that are also nouns is .85 on SmolLM2 and .66 on Gemma",
        names["also nouns"].round(3).tolist() == [0.845, 0.664],
    )
    guard("A noun hardly ever follows a name either", names["never nouns"].round(3).tolist() == [0.993, 0.939])
    share = statements.noun_share_scores(tables())
    last = share[share["subject"] == HE].pivot(index="model", columns="fifth", values="EW").loc[list(MODELS)]
    guard("EW after *he* or *she* is .92 on SmolLM2 and .76 on Gemma", last[5].round(2).tolist() == [0.92, 0.76])
    guard("weakest for words seldom used as verbs", (last.idxmin(axis=1) == 5).all())
    return subject_panels(table)


def subject_panels(table: pd.DataFrame) -> str:
    panels = []
    for model in MODELS:
        rows = table[table["model"] == model].pivot(index="subject", columns="verbs", values="EW")
        rows = rows.loc[list(dict.fromkeys(table["subject"]))]
        points = [
            (LABELS.get(subject, subject), [(kind, row[kind]) for kind in KINDS]) for subject, row in rows.iterrows()
        ]
        panels.append(panel(SHOWN_NAMES[model], points, 0.5))
    said = '<p class="front-asks">EW: the share of verbs whose agreeing form is more probable</p>'
    return said + legend(KINDS, "verbs that are ") + f'<div class="front-panels">{"".join(panels)}</div>'


def paper() -> str:
    """The published Table 2, TSE and EW: one model in view, the other three folded."""
    table = published.table2()
    wide = table.pivot(index=["hf_name", "construction"], columns="metric", values="score")
    guard("37 of 40 cells", len(wide) == 40 and (wide["EW"] < wide["TSE"]).sum() == 37)
    shown = {}
    for model in dict.fromkeys(table["hf_name"]):
        of = wide.loc[model].reindex(dict.fromkeys(table["construction"]))
        rows = [(row, [("TSE", scores["TSE"]), ("EW", scores["EW"])]) for row, scores in of.iterrows()]
        shown[model] = panel(SHOWN_NAMES[model], rows, 0.4)
    first = shown.pop("gpt2-xl")
    rest = f"<details><summary>The other three models</summary>{''.join(shown.values())}</details>"
    return legend(("TSE", "EW")) + first + rest


def expected() -> str:
    """The likeliest entries after the first example, as bars."""
    entries = story()["likeliest"]
    most = entries[0][1]
    given = {word: round(p, 3) for word, p, _ in entries}
    guard("It gives *are* .372 and *is* .006", (given["are"], given["is"]) == (0.372, 0.006))
    rows = "".join(
        f'<div class="front-row"><span class="front-label">{escape(word)}</span>'
        f'<span class="front-bar"><i class="front-{form}" style="width: {100 * p / most:.1f}%"></i>{p:.3f}</span></div>'
        for word, p, form in entries
    )
    said = ", ".join(f"{word} {p:.3f} ({form})" for word, p, form in entries)
    return legend(("correct", "wrong", "past", "other")) + picture(f"Probability of the next word: {said}", rows)


def slider() -> str:
    """The verbs that go wrong at every cut-off: the data for front.js, and what is seen without a script."""
    data = story()
    whole = next(step for step in data["steps"] if step["cutoff"] == 1)
    wrong = ", ".join(verb[1] for verb in whole["verbs"][:8])
    guard("SmolLM2 gets 52 of 962 verbs wrong", whole["inside"] == 962 and whole["wrong"] == 52)
    held = json.dumps(data["steps"]).replace("<", "\\u003c")
    return (
        f'{legend(("correct", "wrong"))}<div class="front-slider"><p>The likeliest: {escape(wrong)}.</p></div>'
        f'<script type="application/json" id="front-steps">{held}</script><script src="../_static/front.js"></script>'
    )


def story() -> dict:
    return live_pages.recorded()["story"]


def legend(names, what: str = "") -> str:
    return '<p class="front-legend">' + "".join(f"<span>{mark(name)} {what}{name}</span> " for name in names) + "</p>"


def mark(name: str, style: str = "") -> str:
    return f'<i class="front-mark front-{name.split()[0].lower()}"{style}></i>'


def panel(title: str, rows: list, low: float) -> str:
    """A dot plot: a row a label, a mark for each (name, value); the axis goes from `low` to 1."""
    lines, said = [], []
    for label, points in rows:
        said.append(f"{label}: " + ", ".join(f"{name} {value:.2f}" for name, value in points))
        places = [100 * (value - low) / (1 - low) for _, value in points]
        between = f'<b style="left: {max(0, min(places)):.1f}%; right: {100 - max(places):.1f}%"></b>'
        marks = "".join(
            mark(name, f' style="left: {max(0, place):.1f}%"') for (name, _), place in zip(points, places, strict=True)
        )
        numbers = " ".join(f"{value:.2f}".lstrip("0") for _, value in points)
        lines.append(
            f'<div class="front-row"><span class="front-label">{escape(label)}</span>'
            f'<span class="front-track">{between}{marks}</span><span class="front-numbers">{numbers}</span></div>'
        )
    ticks = "".join(f"<span>{low + (1 - low) * n / 2:.2g}</span>" for n in range(3))
    lines.append(
        f'<div class="front-row front-axis"><span class="front-label"></span><span class="front-ticks">{ticks}</span>'
        '<span class="front-numbers"></span></div>'
    )
    return picture(f"{title}. {'; '.join(said)}", f'<p class="front-title">{escape(title)}</p>{"".join(lines)}')


def picture(alt: str, html: str) -> str:
    return f'<div class="front-chart" role="img" aria-label="{escape(alt)}">{html}</div>'
