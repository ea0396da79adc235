"""The notebooks in plain Markdown, for Colab and downloads: nothing only the book understands, nothing lost."""

import os
import re
import subprocess
import sys
from functools import cache
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import PurePosixPath

import nbformat
import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from book.make import COLAB, HTML, NOTEBOOKS, references
from book.make.edition import edition
from book.make.exercises import chapters, learners_notebook
from book.make.plain import plain, title_of
from book.make.profile import load_profile, notebook_names
from tse_core.paths import data_folder

GITHUB, SITE = "https://github.com/someone/book", "https://someone.github.io/book/"
DIRECTIVE = re.compile(r"^(?:`{3,}|:{3,})\{[\w:]+\}(?: \d\d-[\w-]+$)?", re.MULTILINE)
OPTION = re.compile(r"^:(?:class|label|doc):.*$", re.MULTILINE)
ROLE = re.compile(r"\{[\w:]+\}`([^`<]*?)(?: ?<[^`>]*>)?`")
CITATION = re.compile(r"\{cite(?::t)?\}`[^`]*`")
# The link that stands for a citation; two works have no DOI.
PAPER = re.compile(r"\[[^\]]*\]\(https://(?:doi|aclanthology|www\.english-corpora)\S*\)")
UNNAMED_LINK = re.compile(r"\[\]\((?:\.\./)?([\w/]+)\.(?:md|ipynb)\)")
TARGET = re.compile(r"\]\([^)]*\)|\{\.[\w-]+\}")
GLUED = re.compile(r"^```\{glue:\} \w+\n:doc: (\w+)\.ipynb\n```", re.MULTILINE)
QUESTION = re.compile(r"^```\{dropdown\} ([^\n]*\?)\n(.*?)^```", re.DOTALL | re.MULTILINE)
FOLD = re.compile(r"<details>\n<summary>(.*?)</summary>(.*?)</details>", re.DOTALL)
WORD = re.compile(r"[^\W_]+")


@pytest.fixture(params=["", GITHUB], ids=["no address", "with an address"])
def address(request, monkeypatch):
    """Where the project is on the web."""
    monkeypatch.setenv("TSE_REPOSITORY", request.param)
    return request.param


@cache
def edition_at(name: str, address: str):
    """The edition of a chapter where `address` is the project's, made once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TSE_REPOSITORY", address)
        return edition(name)


def markdown(notebook) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def source(name: str):
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", 4)


def title(stem: str) -> str:
    """The title of a page, from its name in a link of a notebook."""
    return title_of(stem if "/" in stem else f"notebooks/{stem}")


def words_of_myst(text: str) -> list[str]:
    """The words that the page shows, without citations."""
    text = GLUED.sub(lambda match: f"On the page {title(match[1])}", text)
    text = UNNAMED_LINK.sub(lambda match: title(match[1]), text)
    text = ROLE.sub(r"\1", CITATION.sub("", text))
    return WORD.findall(unescape(DIRECTIVE.sub("", OPTION.sub("", TARGET.sub("", text)))))


def words(text: str) -> list[str]:
    """The words that a notebook shows outside the book, without citations and the two words on folds."""
    text = re.sub(r"<summary>(Answer|Solution)</summary>", "", PAPER.sub("", text))
    for key, paper in references.bibliography().entries.items():
        if not references.web_address(paper):
            text = text.replace(references.cited(key, in_sentence=False), "")
    return WORD.findall(unescape(re.sub(r"</?\w+>", "", TARGET.sub("", text))))


# Rules, by example


@pytest.mark.parametrize(
    ("myst", "expected"),
    [
        (
            ":::{admonition} Mind\n:class: important\nEW *and* MW.\n:::",
            "> **Mind**\n>\n> EW *and* MW.",
        ),
        (
            "```{dropdown} Predict: is *be* right?\nNo.\n```",
            "**Predict: is *be* right?**\n\n<details>\n<summary>Answer</summary>\n\nNo.\n\n</details>",
        ),
        (
            "```{solution} 01-a\n:class: dropdown\n{term}`EW`.\n```",
            "<details>\n<summary>Solution</summary>\n\nEW.\n\n</details>",
        ),
        (
            "````{exercise} ★ Ties\n:label: 01-a\n\nHow many?\n\n```{dropdown} Hint\nCount.\n```\n````",
            "### ★ Ties\n\nHow many?\n\n<details>\n<summary>Hint</summary>\n\nCount.\n\n</details>",
        ),
        (
            "Time\n: 5 minutes\n\nYou need\n: [nothing](methods.ipynb)",
            "- **Time**: 5 minutes\n- **You need**: nothing",
        ),
        ("|a|b|\n|---|---|\n|[is]{.good}|`x\\|y`|", "| a | b |\n|---|---|\n| is | `x\\|y` |"),
        ("{term}`cut-offs <cut-off>` of [](../book/designer.md)", "cut-offs of Design a suite"),
        (
            "{py:func}`tse_core.evaluate` ({download}`data <../data/README.md>`)",
            "`tse_core.evaluate()` (data)",
        ),
        ("so $a_1 * b_1$\n\n$$\na_1\n$$", "so $a_1 * b_1$\n\n$$\na_1\n$$"),
        ("```python\n{x}\n```", "```python\n{x}\n```"),
    ],
)
def test_what_becomes_of_a_piece_of_myst(myst, expected, monkeypatch):
    monkeypatch.setenv("TSE_REPOSITORY", "")
    assert plain(myst) == expected


def test_words_lead_to_the_site_where_it_has_an_address(monkeypatch):
    monkeypatch.setenv("TSE_REPOSITORY", GITHUB)
    assert (
        plain("{term}`BOS tokens <BOS token>`")
        == f"[BOS tokens]({SITE}book/glossary.html#term-BOS-token)"
    )
    assert plain("[how](../book/gpu.md)") == f"[how]({SITE}book/gpu.html)"
    assert plain("{py:class}`tse_core.LanguageModel`") == (
        f"[`tse_core.LanguageModel`]({SITE}book/api/models.html#tse_core.LanguageModel)"
    )


def test_a_paper_is_named_by_its_authors_and_its_year_and_linked():
    marvin, newman = (
        "https://doi.org/10.18653/v1/D18-1151",
        "https://doi.org/10.18653/v1/2021.naacl-main.290",
    )
    assert plain("{cite:t}`marvin2018targeted` say") == f"[Marvin and Linzen (2018)]({marvin}) say"
    both = f"([Newman et al., 2021]({newman}); [Marvin and Linzen, 2018]({marvin}))"
    assert plain("{cite}`newman2021refining,marvin2018targeted`") == both


@pytest.mark.parametrize(
    ("myst", "error"),
    [
        ("```{figure} a.png\n```", "directive figure"),
        ("{kbd}`a`", "role kbd"),
        ("```{dropdown} Hint\n:colour: red\n```", "colour"),
        ("{term}`gavagai`", "no term 'gavagai'"),
        ("{py:func}`tse_core.gavagai`", "no entry tse_core.gavagai"),
        ("[there](99_gavagai.ipynb)", "no page of the book"),
    ],
)
def test_what_has_no_rule_or_no_place_is_an_error(myst, error):
    with pytest.raises(ValueError, match=error):
        plain(myst)


# Every chapter


@pytest.mark.slow
@pytest.mark.parametrize("name", notebook_names())
def test_no_cell_holds_a_role_a_directive_or_a_relative_link(name, address):
    reader = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin)
    for text in markdown(edition_at(name, address)) + (
        markdown(learners_notebook(name)) if name in chapters() else []
    ):
        blocks = reader.parse(text)
        inline = [token for block in blocks for token in block.children or []]
        assert not [
            token.info for token in blocks if token.type == "fence" and token.info.startswith("{")
        ]
        assert not [
            token.content for token in inline if token.type == "text" and ":::" in token.content
        ]
        assert not [before.content for before, after in pairwise(inline)
                    if after.type == "code_inline" and re.search(r"\{[\w:]+\}$", before.content)]  # fmt: skip
        links = [token.attrs["href"] for token in inline if token.type == "link_open"]
        assert all(link.startswith("https://") for link in links), links
        assert any(link.startswith(SITE) for link in links) <= bool(address)


@pytest.mark.parametrize("name", notebook_names())
def test_all_other_text_is_the_chapters(name, address):
    for before, after in zip(
        markdown(source(name)), markdown(edition_at(name, address)), strict=True
    ):
        assert words(after) == words_of_myst(before)


@pytest.mark.parametrize("name", notebook_names())
def test_a_question_stands_outside_the_fold_and_its_answer_inside(name):
    for before, after in zip(markdown(source(name)), markdown(edition_at(name, "")), strict=True):
        outside, inside = FOLD.sub("", after), " ".join(text for _, text in FOLD.findall(after))
        for question, answer in QUESTION.findall(before):
            assert " ".join(words_of_myst(question)) in " ".join(words(outside))
            assert " ".join(words_of_myst(answer)) in " ".join(words(inside))
            assert " ".join(words_of_myst(answer)) not in " ".join(words(outside))


@pytest.mark.parametrize("name", notebook_names())
def test_code_is_the_chapters_with_the_parameters_of_the_page(name):
    notebook, chosen = edition_at(name, ""), load_profile()
    nbformat.validate(notebook)
    for before, after in zip(source(name).cells, notebook.cells, strict=True):
        tags = set(before.metadata.get("tags", []))
        if before.cell_type == "markdown" or "install" in tags:
            continue
        if "parameters" not in tags:
            first, _, rest = after.source.partition("\n")
            assert (rest if first.startswith("# @title ") else after.source) == before.source
            continue
        values = {}
        exec(after.source, values)
        assert values.get("models", chosen["models"]) == chosen["models"]
        assert values.get("lemmas", chosen["lemmas"][0]) == chosen["lemmas"][0]


def test_links_of_output_lead_to_the_site_where_it_has_an_address():
    [install] = [cell.source for cell in edition_at("methods", GITHUB).cells if is_install(cell)]
    assert f'os.environ["TSE_BOOK"] = "{SITE}"' in install.splitlines()
    [install] = [cell.source for cell in edition_at("methods", "").cells if is_install(cell)]
    assert "TSE_BOOK" not in install


def test_only_where_the_package_has_no_address_the_install_cell_says_what_to_upload(address):
    for notebook in (edition_at("methods", address), learners_notebook("methods")):
        [install] = [cell.source for cell in notebook.cells if is_install(cell)]
        assert ("first upload" in install) == (not address)
        assert (".whl" in install) == (not address)


def test_without_links_the_edition_says_where_pages_and_exercises_are(address):
    [install] = [cell.source for cell in edition_at("methods", address).cells if is_install(cell)]
    where = title("book/related")
    assert (f'page "{where}" has' in install and "exercises.zip" in install) == (not address)


def is_install(cell) -> bool:
    return "install" in cell.metadata.get("tags", [])


# Without what the book needs besides


def test_curves_of_the_published_figures_need_no_altair():
    """Exercises read them, which need the package alone."""
    done = without_altair("print(len(charts.published_curves(1)))")
    points = data_folder() / "published" / "newman_fig1_digitised_bert-large-cased.csv"
    assert int(done.stdout) == len(points.read_text().splitlines()) - 1


def test_a_chart_without_altair_says_what_to_install():
    last = without_altair("charts.table2_dots").stderr.splitlines()[-1]
    assert last.endswith("pip install 'tse-core[figures]' (or altair)")


def without_altair(statement: str):
    """What a statement says in a Python that has no altair."""
    code = f"import sys; sys.modules['altair'] = None; from tse_book import charts; {statement}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


# The built book


class Anchors(HTMLParser):
    """The ids of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.ids |= {value for name, value in attrs if name == "id"}


@pytest.mark.slow
def test_the_button_downloads_the_edition_and_its_links_lead_to_places_of_the_built_book():
    if not (HTML / "book" / "glossary.html").exists() and not os.environ.get("CI"):
        pytest.skip("the book is not built: make book")
    places = set()
    for name in notebook_names():
        downloaded = HTML / "_sources" / "notebooks" / f"{name}.ipynb"
        assert downloaded.read_bytes() == (COLAB / "notebooks" / f"{name}.ipynb").read_bytes()
        places |= {
            place
            for text in markdown(edition_at(name, GITHUB))
            for place in re.findall(rf"{SITE}([^)\s]+)", text)
        }
    assert places
    by_page: dict[PurePosixPath, set[str]] = {}
    for place in places:
        page, _, anchor = place.partition("#")
        by_page.setdefault(PurePosixPath(page), set()).update({anchor} - {""})
    for page, anchors in by_page.items():
        assert (HTML / page).is_file(), page
        assert not anchors or anchors <= Anchors((HTML / page).read_text()).ids, page
