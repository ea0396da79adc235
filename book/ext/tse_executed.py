"""Sphinx extension: the page of a notebook shows its executed copy, under the source's address.

What the button at its top downloads, and Colab opens, is its edition in plain Markdown
(book.make.edition). Buttons that lead to the repository (source, Colab) appear only where the
project has an address (book.make.address).
Tables that a notebook offers for download lie beside the pages, as files: inside a page every reader would fetch them.
"""

import base64
import re
import shutil
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import yaml
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.util import logging

from book.make import COLAB
from book.make.address import repository, site

LOG = logging.getLogger(__name__)
PARAMETERS = re.compile(r'<dl>\n(<dd><em class="sig-param">.*?)</dl>', re.DOTALL)
RAISED = re.compile(r"^( *)(\w+Error) : (.+)$")
ICON_FONT = re.compile(r"(?:\.fa[\w-]*:before,?)+\{content:[^}]*\}|@font-face\{[^}]*\}")


def swap_in(app, docname: str, source: list[str]) -> None:
    """Replace a notebook's text by that of its executed copy; a missing copy is a warning, and warnings are errors."""
    page = Path(app.env.doc2path(docname))
    if page.suffix != ".ipynb":
        return
    executed = Path(app.srcdir) / "_build" / "runs" / page.name
    app.env.note_dependency(str(executed))
    if executed.exists():
        source[0] = executed.read_text(encoding="utf8")
    else:
        LOG.warning(
            "%s has no executed copy in _build/runs: make book runs the notebooks",
            docname,
            location=docname,
        )


def repository_buttons(app, config) -> None:
    """Buttons to source and Colab where the book has an address. Colab opens the branch `colab`, edits go to `main`."""
    options, address = config.html_theme_options, repository()
    for button in ("use_repository_button", "use_issues_button", "use_edit_page_button"):
        options[button] = bool(address)
    if address:
        options |= {"repository_url": address, "repository_branch": "colab"}
        options["launch_buttons"] = {
            "colab_url": "https://colab.research.google.com",
            "notebook_interface": "jupyterlab",
        }
    if site():  # on GitHub
        config.html_context["edit_page_url_template"] = f"{address}/edit/main/{{{{ file_name }}}}"
        config.html_context["edit_page_provider_name"] = "GitHub"


def formulas_last(app, pagename, templatename, context, doctree) -> None:
    """MathJax (1 MB) only on a page that has a formula, and only named there: tse-charts.js loads it after the charts."""
    scripts = context.get("script_files", [])
    mathjax = [one for one in scripts if "mathjax" in str(getattr(one, "filename", "")).lower()]
    scripts[:] = [one for one in scripts if one not in mathjax]
    formulas = doctree and list(doctree.findall(is_formula))
    if formulas and mathjax:
        address = context["pathto"](mathjax[0].filename, resource=True)
        context["metatags"] += f'<meta name="tse-mathjax" content="{address}">\n'


def is_formula(node: nodes.Node) -> bool:
    return isinstance(node, (nodes.math, nodes.math_block))


def charts_first(app, pagename, templatename, context, doctree) -> None:
    """On a page with charts the bundle that draws them is fetched from the start, not after the other scripts."""
    if "altair-viz" in context.get("body", ""):
        bundle = context["pathto"]("_static/vega-bundle.js", resource=True)
        context["metatags"] += f'<link rel="preload" as="script" href="{bundle}">\n'


def picture_of_the_book(app, pagename, templatename, context, doctree) -> None:
    """What a link to the front page shows elsewhere; where the book has an address, the picture's is whole."""
    if pagename == app.config.root_doc:
        context["metatags"] += (
            f'<meta property="og:image" content="{site() or "../"}_static/book.png">\n'
        )


def without_icon_font(app, exception) -> None:
    """Take the theme's icon font (1 MB), its styles and its script out of the book: icons.css draws what is used."""
    if exception or app.builder.name != "html":
        return
    static = Path(app.outdir) / "_static"
    sheet = static / "styles" / "pydata-sphinx-theme.css"
    sheet.write_text(ICON_FONT.sub("", sheet.read_text(encoding="utf-8")), encoding="utf-8")
    shutil.rmtree(static / "vendor", ignore_errors=True)
    for script in (static / "scripts").glob("fontawesome*"):
        script.unlink()


def plain_lists(app, pagename, templatename, context, doctree) -> None:
    """The bibliography and the parameters of a function claim to be lists that they are not: screen readers stumble."""

    def lines(found: re.Match) -> str:  # the parameters of a function, a line each
        return f'<span class="sig-lines">{found[1].replace("dd>", "span>")}</span>'

    if "body" in context:
        body = context["body"].replace(
            '<div role="list" class="citation-list">', '<div class="citation-list">'
        )
        # a folded cell is announced by the words that it shows
        body = body.replace(' aria-label="Toggle hidden content"', "")
        context["body"] = PARAMETERS.sub(lines, body)


def tables_beside(app, pagename, templatename, context, doctree) -> None:
    """Write each table that a link holds in itself into _downloads, and let the link lead there."""

    def beside(link: re.Match) -> str:
        data = base64.b64decode(link["data"])
        file = Path("_downloads", sha256(data).hexdigest()[:32], link["name"])
        (app.outdir / file).parent.mkdir(parents=True, exist_ok=True)
        (app.outdir / file).write_bytes(data)
        return (
            f'download="{link["name"]}" href="{context["pathto"](file.as_posix(), resource=True)}"'
        )

    if "body" in context:
        held = r'download="(?P<name>[\w.-]+)" href="data:text/csv;charset=utf-8;base64,(?P<data>[^"]+)"'
        context["body"] = re.sub(held, beside, context["body"])


def what_is_raised(app, what, name, obj, options, lines: list[str]) -> None:
    """A line "Error : when" of a docstring as two, the error and when it comes: the page shows it as a field."""
    lines[:] = [part for line in lines for part in RAISED.sub(r"\1\2\n\1    \3", line).split("\n")]


def editions(app, exception) -> None:
    """Put the edition of each notebook where the button at the top of its page looks for the source."""
    if exception or app.builder.name != "html":
        return
    for source in Path(app.outdir, "_sources", "notebooks").glob("*.ipynb"):
        shutil.copyfile(COLAB / "notebooks" / source.name, source)


def redirects(app, exception) -> None:
    """An address that the book had before leads to the page that has its contents now (book/redirects.yaml)."""
    if exception or app.builder.name != "html":
        return
    for old, new in yaml.safe_load(
        (Path(app.srcdir) / "book" / "redirects.yaml").read_text(encoding="utf-8")
    ).items():
        page = Path(app.outdir, old)
        page.parent.mkdir(parents=True, exist_ok=True)
        target = f"{'../' * old.count('/')}{new}"
        page.write_text(
            f'<!doctype html><title>Moved</title><meta http-equiv="refresh" content="0; url={target}">\n'
        )


def unbroken(app, doctree):
    """A number and its percent sign stay on one line."""
    for text in list(doctree.findall(nodes.Text)):
        if " %" in text and not isinstance(text.parent, (nodes.literal, nodes.FixedTextElement)):
            text.parent.replace(text, nodes.Text(re.sub(r"(?<=\d) %|^ %", "\u00a0%", text)))


class Made(Directive):
    """``{tse-made} MODULE.FUNCTION`` shows the HTML that a function of book/make gives."""

    required_arguments = 1

    def run(self):
        module, _, function = self.arguments[0].rpartition(".")
        html = getattr(import_module(f"book.make.{module}"), function)()
        if "tse-table" in html:  # scrolls as the tables of chapters do
            html = f'<div class="cell_output"><div class="output text_html">{html}</div></div>'
        return [nodes.raw("", html, format="html")]


def setup(app):
    app.add_directive("tse-made", Made)
    if repository():
        app.tags.add("published")  # for what only such a book says: {only} published
    app.connect(
        "autodoc-process-docstring", what_is_raised, priority=400
    )  # before napoleon reads the docstring
    app.connect("doctree-read", unbroken)
    app.connect("html-page-context", tables_beside)
    app.connect("html-page-context", plain_lists)
    app.connect("html-page-context", charts_first)
    app.connect("html-page-context", picture_of_the_book)
    app.connect("html-page-context", formulas_last, priority=900)
    app.connect("build-finished", editions)
    app.connect("build-finished", redirects)
    app.connect("build-finished", without_icon_font)
    app.connect("config-inited", repository_buttons)
    app.connect("source-read", swap_in)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
