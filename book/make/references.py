"""Where the words of a notebook lead on the book's site, and how a paper is cited in plain text.

The places are those that Sphinx gives to pages, terms of the glossary, functions of the reference
and downloads.
"""

import posixpath
from functools import cache
from types import SimpleNamespace

from pybtex.database import BibliographyData, Entry, parse_file
from sphinx.util import DownloadFiles
from sphinx.util.nodes import make_id

from book.make import ROOT
from book.make.address import site

BOOK = ROOT / "book"
FOLDER = "notebooks"  # relative links of a notebook start here


def linked(words: str, place: str) -> str:
    """The words as a link to a place of the site; alone where the site has no address."""
    return f"[{words}]({site()}{place})" if site() else words


def page(link: str) -> str:
    """The place of a page, from a notebook's relative link: ``../book/gpu.md`` is book/gpu.html.

    Raises ValueError for a link to what is no page.
    """
    path, hash_sign, part = link.partition("#")
    source = posixpath.normpath(posixpath.join(FOLDER, path))
    stem, ending = posixpath.splitext(source)
    if ending not in (".md", ".ipynb") or not (ROOT / source).is_file():
        raise ValueError(f"{link} is no page of the book")
    return f"{stem}.html{hash_sign}{part}"


def download(link: str) -> str:
    """The place of a file that the book offers for download."""
    source = posixpath.normpath(posixpath.join(FOLDER, link))
    return f"_downloads/{DownloadFiles().add_file('', source)}"


def term(name: str) -> str:
    """The place of a term in the glossary. Raises ValueError: the glossary lacks it."""
    known = glossary()
    if name.lower() not in known:
        raise ValueError(f"the glossary has no term {name!r}")
    return f"book/glossary.html#{known[name.lower()]}"


@cache
def glossary() -> dict[str, str]:
    """The terms in small letters, each with its anchor on the page: the lines not indented."""
    lines = (BOOK / "glossary.md").read_text().splitlines()
    inside = lines[lines.index(":::{glossary}") + 1 :]
    inside = inside[: inside.index(":::")]
    names = [line for line in inside if line and not line.startswith(" ")]
    document = SimpleNamespace(ids=())
    return {name.lower(): make_id(None, document, "term", name) for name in names}


def function(name: str) -> str:
    """The place of a function or class in the reference. Raises ValueError: it has none."""
    if name not in reference():
        raise ValueError(f"the reference has no entry {name}")
    return f"book/api/{reference()[name]}.html#{name}"


@cache
def reference() -> dict[str, str]:
    """The names that the reference documents, each with its page."""
    found = {}
    for path in sorted((BOOK / "api").glob("*.md")):
        entries = [line for line in path.read_text().splitlines() if line.startswith(".. auto")]
        found |= {entry.partition("::")[2].strip(): path.stem for entry in entries}
    return found


@cache
def bibliography() -> BibliographyData:
    return parse_file(str(BOOK / "references.bib"))


def cited(key: str, *, in_sentence: bool) -> str:
    """A paper as a link to it: *Newman et al. (2021)* in a sentence, else *Newman et al., 2021*.

    Raises KeyError: references.bib has no such paper.
    """
    paper = bibliography().entries[key]
    names, year = authors(paper), paper.fields["year"]
    words = f"{names} ({year})" if in_sentence else f"{names}, {year}"
    address = web_address(paper)
    return f"[{words}]({address})" if address else words


def authors(paper: Entry) -> str:
    """One or two family names, or the first *et al.*"""
    names = ["".join(map(str, person.rich_last_names)) for person in paper.persons["author"]]
    if len(names) > 2:
        return f"{names[0]} et al."
    return " and ".join(names)


def web_address(paper: Entry) -> str:
    doi = paper.fields.get("doi")
    return f"https://doi.org/{doi}" if doi else paper.fields.get("url", "")
