"""The slides of the lesson: book/slides.md with charts and tables out of the executed notebooks, as one file.

In the text, ``---`` separates the slides, and a quotation is a note for the teacher. The directives ``{chart}`` and
``{table}`` with NOTEBOOK#SECTION bring the first chart or table of a section; a number after it says how many columns of
the table the slide shows. ``{dots}`` draws TSE and EW of a section's first chart anew, large enough for a slide;
``{made}`` brings a figure of the front page (book.make.front).
"""

import json
import re

import nbformat
import pandas as pd
from bs4 import BeautifulSoup
from docutils.nodes import make_id
from markdown_it import MarkdownIt  # Jupyter Book's own reader of Markdown
from mdit_py_plugins.attrs import attrs_plugin

from book.make import ASSETS, BUILD, ROOT, RUNS, fail, front

SOURCE = ROOT / "book" / "slides.md"
TARGET = BUILD / "slides" / "slides.html"
LOOKS = ROOT / "book" / "assets"
STYLES = (LOOKS / "tse.css", LOOKS / "front.css", LOOKS / "slides.css")
OWN = [LOOKS / name for name in ("common.js", "tse-charts.js", "slides.js")]
SCRIPTS = (ASSETS / "vega-versions.js", ASSETS / "vega-bundle.js", *OWN)
PARTS = (*STYLES, *SCRIPTS)
SHOWS = {"chart": "altair-viz", "table": "tse-table"}  # what an output of each kind contains


def notebooks_used() -> list[str]:
    """The notebooks that the slides take something from."""
    return sorted(set(re.findall(r"{(?:chart|table|dots)} (\w+)#", SOURCE.read_text())))


def shown(kind: str, address: str, columns: str = "") -> str:
    """The first chart or table of NOTEBOOK#SECTION, of a table the first `columns`; or a figure of the front page."""
    if kind == "made":
        return f'<div class="shown">{getattr(front, address.removeprefix("front."))()}</div>'
    if kind == "dots":
        drawn = first_of_section("chart", *address.split("#"))
        return f'<div class="shown">{front.measured(rows_of_chart(drawn))}</div>'
    html = first_of_section(kind, *address.split("#"))
    if columns:
        page = BeautifulSoup(html, "html.parser")
        for row in page("tr"):
            for cell in row(["th", "td"])[int(columns) :]:
                cell.decompose()
        html = str(page)
    scrolls = ' tabindex="0" role="region" aria-label="Table"' if kind == "table" else ""
    return f'<div class="shown {kind}"{scrolls}>{html}</div>'


def first_of_section(kind: str, notebook: str, section: str) -> str:
    inside = False
    for cell in nbformat.read(RUNS / f"{notebook}.ipynb", 4).cells:
        if cell.cell_type == "markdown" and (
            headings := re.findall(r"^#+ (.*)", cell.source, re.MULTILINE)
        ):
            inside = make_id(headings[-1]) == section
        for output in cell.get("outputs", []) if inside else []:
            html = output.get("data", {}).get("text/html", "")
            if SHOWS[kind] in html:
                return html
    raise fail(f"book/slides.md: {notebook} has no section {section!r} with a {kind}")


def rows_of_chart(html: str) -> pd.DataFrame:
    """The rows that a chart in a notebook draws."""
    start = html.index('"datasets": ') + len('"datasets": ')
    datasets, _ = json.JSONDecoder().raw_decode(html, start)
    return pd.concat([pd.DataFrame(rows) for rows in datasets.values()], ignore_index=True)


def write_slides() -> None:
    """The slides as one file that needs nothing beside it."""
    text = SOURCE.read_text()
    markdown = MarkdownIt("commonmark").enable("table").use(attrs_plugin, spans=True)
    markdown.add_render_rule(
        "fence", lambda self, tokens, i, *_: shown(*re.findall(r"[^{}\s]+", tokens[i].info))
    )
    parts = re.split(r"\n---\n", text)
    css = "\n".join(path.read_text() for path in STYLES)
    scripts = "\n".join(path.read_text() for path in SCRIPTS).replace("</script", r"<\/script")
    slides = "\n".join(
        f'<section id="{place}" aria-label="Slide {place} of {len(parts)}">\n{markdown.render(part)}</section>'
        for place, part in enumerate(parts, 1)
    )
    page = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{re.search(r"^# (.*)", text, re.MULTILINE)[1]}</title>
<link rel="icon" href="data:,">
<style>{css}</style>
<script>{scripts}</script>
</head>
<body>
<main class="bd-article">
{slides}
</main>
<nav aria-label="Slides">
<button type="button" id="back" aria-label="Back">←</button>
<span id="place" role="status"></span>
<button type="button" id="next" aria-label="Next">→</button>
<button type="button" id="notes">Notes</button>
</nav>
</body>
</html>
"""
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(page)


if __name__ == "__main__":
    write_slides()
