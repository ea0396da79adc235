"""The charts of the front page, as elements of the page: they are seen before any script has come.

The page's sentences about them are held by the guards of chapter 18, and by tests/book/test_front.py.
"""

import json
from functools import cache
from html import escape

import pandas as pd

from book.make.live_pages import recorded
from tse_book import published
from tse_book.model_names import SHOWN_NAMES
from tse_book.pages import statements

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


def finding() -> str:
    """EW after a noun and after a pronoun: the first chart."""
    return subject_panels(AUTHOR, HE)


def author() -> str:
    """EW after a noun alone, for the slide that asks what it means."""
    return subject_panels(AUTHOR)


def subjects() -> str:
    """EW after every kind of subject that has been scored."""
    return subject_panels(*subject_scores()["subject"].unique())


@cache
def subject_scores() -> pd.DataFrame:
    """EW by kind of subject and of verb, of what is recorded of both models in the controls."""
    return statements.subject_scores(statements.tables_of(MODELS, "newman-clean"))


def subject_panels(*asked: str) -> str:
    wide = subject_scores().pivot(index=["model", "subject"], columns="verbs", values="EW")[
        ["never nouns", "also nouns"]
    ]
    panels = [
        panel(SHOWN_NAMES[model], wide.loc[model].loc[list(asked)].rename(LABELS), 0.5)
        for model in MODELS
    ]
    said = '<p class="front-asks">EW: the share of verbs whose agreeing form is more probable</p>'
    return (
        said
        + legend(wide, "verbs that are ")
        + f'<div class="front-panels">{"".join(panels)}</div>'
    )


def paper() -> str:
    """The published Table 2, TSE and EW: one model in view, the other three folded."""
    table = published.table2()
    wide = table.pivot(index=["hf_name", "construction"], columns="metric", values="score")[
        ["TSE", "EW"]
    ]
    order = table["construction"].unique()
    shown = {
        model: panel(SHOWN_NAMES[model], wide.loc[model].loc[order], 0.4)
        for model in table["hf_name"].unique()
    }
    first = shown.pop("gpt2-xl")
    return f"{legend(wide)}{first}<details><summary>The other three models</summary>{''.join(shown.values())}</details>"


def expected() -> str:
    """The likeliest entries after the first example, as bars."""
    entries = recorded()["story"]["likeliest"]
    rows = "".join(
        f'<div class="front-row"><span class="front-label">{escape(word)}</span><span class="front-bar">'
        f'<i class="front-{form}" style="width: {100 * p / entries[0][1]:.1f}%"></i>{p:.3f}</span></div>'
        for word, p, form in entries
    )
    said = ", ".join(f"{word} {p:.3f} ({form})" for word, p, form in entries)
    return legend(("correct", "wrong", "past", "other")) + picture(
        f"Probability of the next word: {said}", rows
    )


def slider() -> str:
    """The verbs that go wrong at every cut-off: the data for front.js, and what is seen without a script."""
    steps = recorded()["story"]["steps"]
    whole = next(step for step in steps if step["cutoff"] == 1)
    wrong = ", ".join(verb[1] for verb in whole["verbs"][:8])
    held = json.dumps(steps).replace("<", "\\u003c")
    return (
        f'{legend(("correct", "wrong"))}<div class="front-slider"><p>The likeliest: {escape(wrong)}.</p></div>'
        f'<script type="application/json" id="front-steps">{held}</script><script src="../_static/front.js"></script>'
    )


def legend(names, what: str = "") -> str:
    return (
        '<p class="front-legend">'
        + "".join(f"<span>{mark(name)} {what}{name}</span> " for name in names)
        + "</p>"
    )


def mark(name: str, style: str = "") -> str:
    return f'<i class="front-mark front-{name.split()[0].lower()}"{style}></i>'


def panel(title: str, scores: pd.DataFrame, low: float) -> str:
    """A dot plot: a row a label, a mark for each column; the axis goes from `low` to 1."""
    lines, said = [], []
    for label, row in scores.iterrows():
        said.append(f"{label}: " + ", ".join(f"{name} {value:.2f}" for name, value in row.items()))
        places = 100 * (row - low) / (1 - low)
        between = (
            f'<b style="left: {max(0, places.min()):.1f}%; right: {100 - places.max():.1f}%"></b>'
        )
        marks = "".join(
            mark(name, f' style="left: {max(0, place):.1f}%"') for name, place in places.items()
        )
        numbers = " ".join(f"{value:.2f}".lstrip("0") for value in row)
        lines.append(
            f'<div class="front-row"><span class="front-label">{escape(label)}</span>'
            f'<span class="front-track">{between}{marks}</span><span class="front-numbers">{numbers}</span></div>'
        )
    ticks = "".join(f"<span>{low + (1 - low) * n / 2:.2g}</span>" for n in range(3))
    lines.append(
        f'<div class="front-row front-axis"><span class="front-label"></span><span class="front-ticks">{ticks}</span>'
        '<span class="front-numbers"></span></div>'
    )
    return picture(
        f"{title}. {'; '.join(said)}", f'<p class="front-title">{escape(title)}</p>{"".join(lines)}'
    )


def picture(alt: str, html: str) -> str:
    return f'<div class="front-chart" role="img" aria-label="{escape(alt)}">{html}</div>'
