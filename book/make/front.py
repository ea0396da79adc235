"""The charts of the front page, as elements of the page: they are seen before any script has come.

The page's sentences about them are held by tests/book/test_front.py.
"""

import json
from functools import cache
from html import escape

import pandas as pd

from book.make.live_pages import recorded
from tse_book.charts.verbs import spread
from tse_book.claims.panels import NOUN, PLURAL, SINGULAR, cleaned, panel_of, sums_of
from tse_book.claims.real_sentences import AUXILIARIES
from tse_book.model_names import SHOWN_NAMES
from tse_book.recorded.treebanks import recorded_treebank
from tse_book.studies.treebank_verbs import ALSO, NEVER, PAIRS
from tse_core.paths import data_folder

MODELS = ("smollm2-135m-instruct", "gemma-3-270m")
TREEBANK = "ud/English-GUM"
KINDS = {
    PAIRS: "nouns, never verbs",
    ALSO: "verbs, also nouns",
    NEVER: "verbs, never nouns",
    AUXILIARIES[0]: "is, has",
}
LEARNERS = {"lab-lexical-causal": "verb by verb", "lab-systematic-causal": "by a rule"}
NAMED = {
    "gender": "gender",
    "design": "design",
    "plan": "plan",
    "show": "show",
    "know": "know",
    "be": "is",
    "have": "has",
}
AWAY = {  # names that would meet on a phone
    "gender": " front-before",
    "plan": " front-behind",
    "has": " front-before",
    "is": " front-behind",
}
AXIS = (-1, 7)  # nats


def finding() -> str:
    """How far each verb moves, a dot each: the first chart."""
    panels = [movement_panel(SHOWN_NAMES[model], verbs(model), KINDS) for model in MODELS]
    learners = pd.read_csv(data_folder() / "recorded" / "laboratory" / "verbs.csv")
    learners = learners.assign(kind=learners["model"])
    panels.append(
        movement_panel("Two models that learned a made-up language", learners, LEARNERS, "other")
    )
    return f'<div class="front-moves">{"".join(panels)}{movement_axis()}</div>'


@cache
def verbs(model: str) -> pd.DataFrame:
    """What a model does with each verb right after nouns: lemma, kind, sensitivity, singular and plural (m, nats)."""
    scores = recorded_treebank(model, TREEBANK)
    means = sums_of(cleaned(panel_of(scores))).means()
    table = pd.DataFrame(
        {
            "lemma": means.verbs["lemma"],
            "kind": means.verbs["kind"],
            "sensitivity": means.sensitivity(NOUN),
            "singular": means.log_odds[NOUN, SINGULAR],
            "plural": means.log_odds[NOUN, PLURAL],
        }
    )
    is_auxiliary = table["lemma"].isin(AUXILIARIES) & (table["kind"] != PAIRS)
    return table.assign(kind=table["kind"].mask(is_auxiliary, AUXILIARIES[0]))


def movement_panel(title: str, table: pd.DataFrame, rows: dict[str, str], colour: str = "") -> str:
    """The verbs of one model: a row for each kind, a dot for each verb at its sensitivity."""
    lines, words = [], []
    for kind, label in rows.items():
        own = table[table["kind"] == kind]
        lines.append(movement_row(label, own, colour or kind.split()[0]))
        low, middle, high = own["sensitivity"].quantile([0.05, 0.5, 0.95])
        words.append(
            f"{len(own)} {label}: median {middle:.1f}, nine tenths {low:.1f} to {high:.1f}"
        )
    heading = f'<div class="front-title">{escape(title)}</div>'
    return picture(f"{title}, sensitivity in nats. {'; '.join(words)}", heading + "".join(lines))


def movement_row(label: str, table: pd.DataFrame, colour: str) -> str:
    """A dot for each verb, its height without meaning; some with their names, where they are English verbs."""
    dots, named, names = [], [], []
    ordered = table.sort_values("sensitivity")
    for place, verb in enumerate(ordered.to_dict("records"), start=1):
        at = along(verb["sensitivity"])
        height = 50 * (1 + spread(place))
        name = NAMED.get(verb["lemma"])
        if not name or verb["kind"] not in (ALSO, NEVER, AUXILIARIES[0]):
            dots.append(f"M{at:.1f} {height:.0f}h0")
        else:
            named.append(f"M{at:.1f} 10h0")
            side = AWAY.get(name, "")
            names.append(f'<span class="front-verb{side}" style="left: {at:.1f}%">{name}</span>')
    drawing = (
        '<svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">'
        f'<path class="moves-{colour}" d="{"".join(dots)}"/>'
        f'<path class="moves-named" d="{"".join(named)}"/></svg>'
    )
    zero = f'<b style="left: {along(0):.1f}%"></b>'
    track = f'<span class="front-track">{zero}{drawing}{"".join(names)}</span>'
    tall = " front-tall" if named else ""
    label = f'<span class="front-label">{escape(label)}</span>'
    return f'<div class="front-row{tall}">{label}{track}</div>'


def along(sensitivity: float) -> float:
    """Where a sensitivity lies on the axis, in percent of its length."""
    low, high = AXIS
    return 100 * (sensitivity - low) / (high - low)


def movement_axis() -> str:
    ticks = [f'<span style="left: {along(0):.1f}%">0: unmoved</span>']
    for tick in (2, 4):
        ticks.append(f'<span style="left: {along(tick):.1f}%">{tick}</span>')
    ticks.append(f'<span style="left: {along(6):.1f}%">6 nats</span>')
    return f'<div class="front-row front-axis"><span></span><span class="front-scale">{"".join(ticks)}</span></div>'


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


def legend(names) -> str:
    return (
        '<p class="front-legend">'
        + "".join(f"<span>{mark(name)} {name}</span> " for name in names)
        + "</p>"
    )


def mark(name: str, style: str = "") -> str:
    """The mark of a score or a form."""
    return f'<i class="front-mark front-{name.split()[0].lower()}"{style}></i>'


def columns(*cells: str) -> str:
    """The numbers at the end of a row, or what stands over them."""
    return f'<span class="front-numbers">{"".join(f"<span>{cell}</span>" for cell in cells)}</span>'


def picture(alt: str, html: str) -> str:
    return f'<div class="front-chart" role="img" aria-label="{escape(alt)}">{html}</div>'
