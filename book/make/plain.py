"""Plain Markdown out of MyST, for readers of a notebook outside the book: in Colab, in Jupyter.

myst-parser reads a cell and the bodies of its directives, mdformat writes the tokens back. An
admonition becomes a block quote, a definition list a list, an exercise a heading; what the page
folds is folded, but for a question in its title, which stands above its folded answer. A role
becomes its words, with a link where the site has an address (see `references`). Whatever has no
rule here is an error.
"""

from dataclasses import dataclass
from html import escape

import yaml
from docutils.parsers.rst import Directive
from docutils.parsers.rst.directives import unchanged
from markdown_it import MarkdownIt
from mdformat.renderer import DEFAULT_RENDERERS, MDRenderer, RenderContext, RenderTreeNode
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.directives import parse_directive_text
from myst_parser.parsers.mdit import create_md_parser
from nbformat import read
from sphinx.util.docutils import ReferenceRole

from book.make import ROOT, references
from book.make.references import linked

QUOTED = ("admonition", "margin")
FOLDED = ("dropdown", "solution")
ANSWER = "Answer"  # on what is folded below a question


def plain(text: str) -> str:
    """A cell of MyST as CommonMark with tables, folds in HTML, and formulas between dollar signs.

    Raises ValueError: a role or directive without a rule here, a term or page that the book lacks.
    Raises KeyError: other syntax without a rule, a paper that references.bib lacks.
    """
    return PARSER.render(text).strip()


@dataclass(frozen=True)
class MystDirective:
    """A directive: its name, the title beside it, its options, and what is inside, MyST again."""

    name: str
    title: str
    options: dict[str, str]
    body: str


class AnyDirective(Directive):
    """How a fence is cut into title, options and body; the options are those that notebooks use."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = dict.fromkeys(("class", "label", "doc"), unchanged)


def directive_of(fence) -> MystDirective | None:
    """The directive of a fence, or None for plain code. Raises ValueError: an unknown option."""
    braced, _, title = fence.info.partition(" ")
    if not braced.startswith("{"):
        return None
    parts = parse_directive_text(AnyDirective, title, fence.content)
    if parts.warnings:
        raise ValueError(f"{fence.info}: {parts.warnings[0].msg}")
    return MystDirective(
        braced.strip("{}"), "".join(parts.arguments), parts.options, "\n".join(parts.body)
    )


def directives(text: str) -> list[MystDirective]:
    """The directives of a cell, in order, without those inside others."""
    fences = [token for token in PARSER.parse(text) if token.type in ("fence", "colon_fence")]
    return [directive for directive in map(directive_of, fences) if directive]


def title_of(path: str) -> str:
    """The title of a page of the book, from its place: the first heading."""
    stem = ROOT / path.partition("#")[0].removesuffix(".html")
    notebook, prose = stem.with_suffix(".ipynb"), stem.with_suffix(".md")
    text = read(notebook, 4).cells[0].source if notebook.is_file() else prose.read_text()
    tokens = PARSER.parse(text)
    heading = next(place for place, token in enumerate(tokens) if token.type == "heading_open")
    return plain(tokens[heading + 1].content)


# One function for each kind of token; those of CommonMark are mdformat's.


def children(node: RenderTreeNode, context: RenderContext) -> str:
    return "".join(child.render(context) for child in node.children)


def nothing(node: RenderTreeNode, context: RenderContext) -> str:
    return ""


def fence(node: RenderTreeNode, context: RenderContext) -> str:
    directive = directive_of(node)
    if directive is None:
        return DEFAULT_RENDERERS["fence"](node, context)
    if directive.name in QUOTED:
        text = f"**{plain(directive.title)}**\n\n{plain(directive.body)}"
        return "\n".join(f"> {line}".rstrip() for line in text.splitlines())
    if directive.name in FOLDED:
        return folded(directive)
    if directive.name == "exercise":
        return f"### {plain(directive.title)}\n\n{plain(directive.body)}"
    if directive.name == "glue:":
        place = references.page(directive.options["doc"])
        return f"*(On the page {linked(title_of(place), place)}.)*"
    raise ValueError(f"no plain Markdown for the directive {directive.name}")


def folded(directive: MystDirective) -> str:
    """The body, folded under the title; a question stands above, in bold."""
    title, question = directive.title, ""
    if directive.name == "solution":
        title = "Solution"
    elif title.endswith("?"):
        title, question = ANSWER, f"**{plain(title)}**\n\n"
    summary = f"<details>\n<summary>{escape(title)}</summary>"
    return f"{question}{summary}\n\n{plain(directive.body)}\n\n</details>"


def role(node: RenderTreeNode, context: RenderContext) -> str:
    name, content = node.meta["name"], node.content
    if name in ("cite", "cite:t"):
        papers = [references.cited(key, in_sentence=name == "cite:t") for key in content.split(",")]
        listed = "; ".join(papers)
        return listed if name == "cite:t" else f"({listed})"
    explicit = ReferenceRole.explicit_title_re.match(content)
    words, target = explicit.groups() if explicit else (content, content)
    if name == "term":
        return linked(words, references.term(target))
    if name == "download":
        return linked(words, references.download(target))
    if name in ("py:func", "py:class"):
        call = "()" if name == "py:func" else ""
        return linked(f"`{words}{call}`", references.function(target))
    raise ValueError(f"no plain Markdown for the role {name}")


def link(node: RenderTreeNode, context: RenderContext) -> str:
    """A link to a page leads to the site; without words it has the page's title."""
    href = node.attrs["href"]
    if "://" in href:
        return DEFAULT_RENDERERS["link"](node, context)
    place = references.page(href)
    return linked(children(node, context) or title_of(place), place)


def definitions(node: RenderTreeNode, context: RenderContext) -> str:
    """A list with an item for each term, in bold, and what the page has indented below it."""
    items: list[str] = []
    for child in node.children:
        if child.type == "dt":
            items.append(f"- **{children(child, context)}**:")
        else:
            below = "\n\n".join(part.render(context) for part in child.children)
            items[-1] += " " + below.replace("\n", "\n  ")
    return "\n".join(items)


def table(node: RenderTreeNode, context: RenderContext) -> str:
    rows = [row for part in node.children for row in part.children]
    lines = [table_row(row, context) for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0].children))
    return "\n".join(lines)


def table_row(node: RenderTreeNode, context: RenderContext) -> str:
    cells = [children(cell, context).replace("|", "\\|") for cell in node.children]
    return f"| {' | '.join(cells)} |"


def formula(node: RenderTreeNode, context: RenderContext) -> str:
    return f"${node.content}$"


def displayed_formula(node: RenderTreeNode, context: RenderContext) -> str:
    return f"$$\n{node.content.strip()}\n$$"


class PlainMarkdown:
    """What mdformat takes as a plugin."""

    RENDERERS = {
        "fence": fence,
        "colon_fence": fence,
        "myst_role": role,
        "link": link,
        "span": children,  # [words]{.class}
        "dl": definitions,
        "table": table,
        "math_inline": formula,
        "math_block": displayed_formula,
        "myst_target": nothing,
        "myst_line_comment": nothing,
    }


def parser() -> MarkdownIt:
    """The book's own reader of MyST, which writes plain Markdown."""
    settings = yaml.safe_load((ROOT / "_config.yml").read_text())
    extensions = set(settings["parse"]["myst_enable_extensions"])
    markdown = create_md_parser(MdParserConfig(enable_extensions=extensions), MDRenderer)
    markdown.options["parser_extension"] = [PlainMarkdown]
    return markdown


PARSER = parser()
