"""What tells a stranger about the project: README, how to cite, the glossary."""

import re
import tomllib
from pathlib import Path

import yaml
from pybtex.database import parse_string

from golden_facts import facts

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())


def bibtex(page: str):
    """The entry of a page's BibTeX block."""
    block = re.search(r"```bibtex\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    return parse_string(block[1], "bibtex").entries["tse_core"]


def test_every_page_that_says_how_to_cite_says_the_same_as_the_citation_file():
    for page in ("book/cite.md", "README.md"):
        fields = bibtex(page).fields
        assert fields["title"].strip("{}") == CITATION["title"]
        assert fields["version"].strip("{}") == CITATION["version"] == PROJECT["version"]
        assert fields["year"] == CITATION["date-released"][:4]
        authors = bibtex(page).persons["author"]
        assert [str(person).strip("{}") for person in authors] == [author["name"] for author in CITATION["authors"]]


def test_the_papers_that_the_citation_file_names_are_in_the_bibliography():
    entries = parse_string((ROOT / "book" / "references.bib").read_text(), "bibtex").entries
    dois = {entry.fields.get("doi") for entry in entries.values()}
    assert {reference["doi"] for reference in CITATION["references"]} <= dois


def test_the_readme_shows_a_picture_of_the_book_that_loads_quickly():
    text = (ROOT / "README.md").read_text()
    alternative, picture = re.search(r"!\[(.+?)\]\((\S+)\)", text).groups()
    assert len(alternative) > 20 and (ROOT / picture).stat().st_size < 200_000


def test_the_glossary_is_in_alphabetical_order_and_uses_each_term_once():
    terms = re.findall(r"^(\S.*)\n  \S", (ROOT / "book" / "glossary.md").read_text(), re.MULTILINE)
    assert terms == sorted(terms, key=str.lower) and len(set(terms)) == len(terms) > 60


def test_every_table_and_figure_of_the_papers_has_its_place():
    """The page names all that the papers' captions number, and each chapter it leads to speaks of it."""
    text = (ROOT / "book" / "figures.md").read_text()
    apart = {"newman-2021": (), "blimp-2020": ("Table 2",), "syntaxgym-2020": ("Figure 3", "Figure 4b")}
    for paper, part in zip(apart, text.split("\n## ")[1:], strict=True):
        rows = re.findall(r"^\| ((?:Table|Figure) \d)([ab]?) \|.*?\]\((\S+?)\)", part, re.MULTILINE)
        assert {name for name, _, _ in rows} == set(facts()["captions"][paper])
        for name, letter, page in rows:
            chapter = (ROOT / "book" / page).resolve()
            assert chapter.exists()
            there = name + letter in apart[paper] or name in chapter.with_suffix(".py").read_text()
            assert there, f"{paper}: {name}"


def test_what_pages_quote_of_a_chapter_is_glued_there():
    place = re.compile(r"(?:[{]\w+[}][ `]|notebooks/)(\d\d_\w+)(?:\.ipynb)?::([\w-]+)")
    pages = [*(ROOT / "book").glob("*.md"), *(ROOT / "notebooks").glob("*.py")]
    quoted = {found for page in pages for found in place.findall(page.read_text())}
    assert len(quoted) > 50
    for notebook, name in sorted(quoted):
        text = (ROOT / "notebooks" / f"{notebook}.py").read_text()
        made = [re.sub(r"\\{.*?\\}", ".+", re.escape(one)) for one in re.findall(r'f"(\w*{[^"]+)"', text)]
        assert f'"{name}"' in text or any(re.fullmatch(one, name) for one in made), f"{notebook} glues no {name}"
