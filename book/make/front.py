"""The charts of the front page, as elements of the page: they are seen before any script has come.

The page's sentences about them are held by the guards of chapter 18, and by tests/book/test_front.py.
"""

import json
from functools import cache
from html import escape

import pandas as pd

from book.make.live_pages import recorded
from tse_book import published
from tse_book.claims.statements import OPENER_NOUN
from tse_book.claims.statements import PRONOUN as HE_OR_SHE
from tse_book.model_names import SHOWN_NAMES
from tse_book.pages import statements

MODELS = (statements.FOUND_ON, statements.SECOND)
NOUN, PRONOUN = (statements.SUBJECTS[kind] for kind in (OPENER_NOUN, HE_OR_SHE))
NEVER, ALSO = statements.KINDS.values()
LABELS = {NOUN: "… the + noun", PRONOUN: "… he or she"}  # the dots are an opener
OPENER = "… means <em>I think that</em> or the like"
LEMMAS = "newman-clean"


def finding() -> str:
    """EW after a noun and after a pronoun: the first chart."""
    return subject_panels(NOUN, PRONOUN)


@cache
def tables() -> dict:
    """What is recorded of both models in the controls."""
    return statements.tables_of(MODELS, LEMMAS)


@cache
def subject_scores() -> pd.DataFrame:
    """EW by kind of subject and of verb."""
    return statements.subject_scores(tables())


@cache
def noun_scores() -> pd.DataFrame:
    """EW of verbs that are also nouns, after each noun and each name, from the lowest to the highest."""
    scores = statements.noun_scores(tables())
    return scores[scores["verbs"] == ALSO]


def subject_panels(*asked: str) -> str:
    panels = "".join(subject_panel(model, asked) for model in MODELS)
    asks = '<p class="front-asks">EW: the share of verbs whose agreeing form is more probable</p>'
    marks = [
        f"<span>{mark(NEVER)} verbs that are never nouns</span>",
        f"<span>{mark(ALSO)} also nouns</span>",
        f"<span>{mark(ALSO, unit=True)} after one noun</span>",
        '<span><b class="front-line"></b> 95&nbsp;% interval</span>',
    ]
    legend_line = f'<p class="front-legend">{" ".join(marks)}</p>'
    return f'{asks}{legend_line}<div class="front-panels">{panels}</div>'


def subject_panel(model: str, asked: tuple[str, ...]) -> str:
    """The subjects of one model: the means of both kinds of verb with intervals, and below them a dot for each noun."""
    scores = subject_scores().query("model == @model").set_index(["subject", "verbs"])
    nouns = noun_scores().query("model == @model").set_index("subject")
    lines, words = [], []
    for subject in asked:
        own = nouns.loc[[subject]] if subject in nouns.index else nouns.iloc[:0]
        both = scores.loc[subject]
        lines.append(subject_row(subject, both, own))
        words.append(in_words(subject, both, own))
    name = SHOWN_NAMES[model]
    heading = head(name, f'<span class="front-opener">{OPENER}</span> EW', mark(NEVER), mark(ALSO))
    rows = "".join(lines) + axis(0, 4)
    return picture(f"{name}. {'; '.join(words)}", f"{heading}{rows}")


def subject_row(subject: str, both: pd.DataFrame, nouns: pd.DataFrame) -> str:
    marks = []
    for kind in (NEVER, ALSO):
        low, high = both.loc[kind, ["low", "high"]]
        if low == low:  # an interval
            ends = f"left: {100 * low:.1f}%; right: {100 - 100 * high:.1f}%"
            marks.append(f'<b class="front-{kind.split()[0]}" style="{ends}"></b>')
    for ew in nouns["EW"]:
        marks.append(mark(ALSO, f' style="left: {100 * ew:.1f}%"', unit=True))
    for kind in (NEVER, ALSO):
        marks.append(mark(kind, f' style="left: {100 * both.loc[kind, "EW"]:.1f}%"'))
    label, spread = escape(LABELS[subject]), ""
    if len(nouns):
        first, last = nouns.iloc[0], nouns.iloc[-1]
        label += f"<br>mean of {len(nouns)} nouns"
        right = 100 - 100 * last["EW"]
        if first["EW"] < 0.5:  # each name below its own dot; they never meet
            for side, at, noun in (("left", 100 * first["EW"], first), ("right", right, last)):
                style = f"{side}: min({at:.1f}%, 50% - 5.6em)"
                marks.append(f'<span class="front-noun" style="{style}">{named(noun)}</span>')
        else:
            style, both_names = f"right: {right:.1f}%", f"{named(first)} to {named(last)}"
            marks.append(f'<span class="front-noun" style="{style}">{both_names}</span>')
        spread = " front-spread"
    numbers = [decimals(both.loc[kind, "EW"]) for kind in (NEVER, ALSO)]
    return (
        f'<div class="front-row{spread}"><span class="front-label">{label}</span>'
        f'<span class="front-track">{"".join(marks)}</span>{columns(*numbers)}</div>'
    )


def in_words(subject: str, both: pd.DataFrame, nouns: pd.DataFrame) -> str:
    """What a row shows, for those who do not see it."""
    scores = []
    for kind in (NEVER, ALSO):
        ew, low, high = both.loc[kind, ["EW", "low", "high"]]
        interval = f" (95 % interval {low:.2f} to {high:.2f})" if low == low else ""
        scores.append(f"{kind} {ew:.2f}{interval}")
    label = LABELS[subject].replace("…", "I think that")
    text = f"{label}: {', '.join(scores)}"
    if len(nouns):
        text += (
            f", mean of {len(nouns)} nouns from {named(nouns.iloc[0])} to {named(nouns.iloc[-1])}"
        )
    return text


def named(noun: pd.Series) -> str:
    """A noun with its EW: "tourist .32"."""
    return f"{noun['noun']} {decimals(noun['EW'])}"


def decimals(value: float) -> str:
    """Two decimals without the zero in front: ".32", "1.00"."""
    return f"{value:.2f}".removeprefix("0")


def measured(rows: pd.DataFrame) -> str:
    """TSE and EW of the rows of Table 2, a column of tracks for each model: for the slide.

    `rows`: model, construction, metric, score.
    """
    wide = rows.pivot(index=["construction", "model"], columns="metric", values="score")
    models = list(rows["model"].unique())
    low = min(0.5, wide.min(axis=None) // 0.1 * 0.1)
    lines, words = [], []
    for construction in rows["construction"].unique():
        cells = [f'<span class="front-label">{escape(construction)}</span>']
        for model in models:
            scores = wide.loc[(construction, model), ["TSE", "EW"]]
            places = 100 * (scores - low) / (1 - low)
            marks = [mark(name, f' style="left: {p:.1f}%"') for name, p in places.items()]
            ends = f"left: {places.min():.1f}%; right: {100 - places.max():.1f}%"
            numbers = [decimals(score) for score in scores]
            cells.append(f'<span class="front-track"><b style="{ends}"></b>{"".join(marks)}</span>')
            cells.append(columns(*numbers))
            said = f"TSE {numbers[0]}, EW {numbers[1]}"
            words.append(f"{construction}, {SHOWN_NAMES.get(model, model)}: {said}")
        lines.append(f'<div class="front-row">{"".join(cells)}</div>')
    ends = f"<span>{low:.1f}</span><span>{(low + 1) / 2:.2g}</span><span>1</span>"
    scale = f'<span class="front-ticks">{ends}</span><span></span>' * len(models)
    lines.append(f'<div class="front-row front-axis"><span></span>{scale}</div>')
    heads = "".join(
        f'<span class="front-title">{SHOWN_NAMES.get(m, m)}</span>{columns("TSE", "EW")}'
        for m in models
    )
    heading = f'<div class="front-row front-axis"><span></span>{heads}</div>'
    chart = picture("; ".join(words), heading + "".join(lines))
    return f'{legend(["TSE", "EW"])}<div class="front-beside">{chart}</div>'


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
        f'{legend(("correct", "wrong"))}<div class="front-slider">'
        f"<p>The likeliest errors among them: {escape(wrong)}.</p></div>"
        f'<script type="application/json" id="front-steps">{held}</script><script src="../_static/front.js"></script>'
    )


def legend(names, what: str = "") -> str:
    return (
        '<p class="front-legend">'
        + "".join(f"<span>{mark(name)} {what}{name}</span> " for name in names)
        + "</p>"
    )


def mark(name: str, style: str = "", unit: bool = False) -> str:
    """The mark of a score or kind of verb; a small round one for a single noun (`unit`)."""
    shape = "front-unit" if unit else "front-mark"
    return f'<i class="{shape} front-{name.split()[0].lower()}"{style}></i>'


def head(title: str, before: str, *over: str) -> str:
    """The line above a panel: its title, and what stands over the columns of numbers and before them."""
    return (
        f'<div class="front-row front-head"><span class="front-title">{escape(title)}</span>'
        f'<span class="front-before">{before}</span>{columns(*over)}</div>'
    )


def columns(*cells: str) -> str:
    """The numbers at the end of a row, or what stands over them."""
    return f'<span class="front-numbers">{"".join(f"<span>{cell}</span>" for cell in cells)}</span>'


def axis(low: float, steps: int) -> str:
    """The line of ticks below a panel, `steps` of equal length from `low` to 1."""
    ticks = "".join(f"<span>{low + (1 - low) * n / steps:.3g}</span>" for n in range(steps + 1))
    return (
        '<div class="front-row front-axis"><span class="front-label"></span>'
        f'<span class="front-ticks">{ticks}</span><span class="front-numbers"></span></div>'
    )


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
        numbers = columns(*(decimals(value) for value in row))
        lines.append(
            f'<div class="front-row"><span class="front-label">{escape(label)}</span>'
            f'<span class="front-track">{between}{marks}</span>{numbers}</div>'
        )
    lines.append(axis(low, 2))
    return picture(f"{title}. {'; '.join(said)}", head(title, "", *scores) + "".join(lines))


def picture(alt: str, html: str) -> str:
    return f'<div class="front-chart" role="img" aria-label="{escape(alt)}">{html}</div>'
