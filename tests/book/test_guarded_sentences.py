"""No sentence that its numbers do not bear out: what compares or counts results is glued, or stands under a guard.

A sentence that a cell prints comes from its numbers; a sentence of a markdown cell does not. So a comparing sentence
there quotes a glued value, or a cell of its chapter (for a page of the book: of any chapter) calls ``guard`` with its
words and a condition, which fails the build when it stops being true. A cell that defines or explains, without a claim
about results, has the tag ``explains``; there a sentence is looked at only where it names a model.
"""

import ast
import re
from functools import cache

import jupytext
import pytest

from book.make import NOTEBOOKS

CHAPTERS = sorted(path.stem for path in NOTEBOOKS.glob("*.py"))
PAGES = sorted(path.stem for path in (NOTEBOOKS.parent / "book").glob("*.md") if path.stem != "glossary")
COUNTED = r"(?:rows?|models?|cells?|curves?|constructions?|paradigms?|phenomena|suites?|items?)"
COMPARES = re.compile(
    r"\b(?:high|low|lar[g]|small|great|strong|weak|hard|eas|near|furth|steep|wid|narrow|sur)i?(?:er|est)\b|"
    r"\b(?:more|most|mostly|fewer|fewest|less|least|better|best|worse|worst|above|below|exceeds?|beats?|leads?|"
    r"nearly|almost|hardly|none|always|never|only|twice|majority|mainly|rarely|rises?|falls?|drops?|equal)\b|"
    rf"\b(?:all|every|both|no|each)\s(?:\w+\s)?{COUNTED}\b",
    re.IGNORECASE,
)
MODELS = re.compile(r"\b(?:SmolLM2|GPT-?2|BERT|RoBERTa|LSTM|5-gram|Transformer-XL|humans?|people)\b")
LEFT_OUT = re.compile(
    r"^(`{3,})\{(?:margin|exercise|glue:?|raw|code\S*)\}.*?^\1$|^(:::+)\{admonition\} This notebook.*?^\2$|"
    r"^---\n.*?^---$|^\$\$.*?^\$\$$|^\|.*?$",
    re.DOTALL | re.MULTILINE,
)
FENCE = re.compile(r"^(?:`{3,}|:{3,}).*?(?:\{(?:dropdown|grid-item-card)\}(.*))?$|^:[\w-]+:.*$|^#+ .*$", re.MULTILINE)


def sentences(text: str) -> list[str]:
    """The sentences of a text in MyST, questions left out; a list's items and paragraphs end a sentence."""
    text = FENCE.sub(lambda match: f"\n\n{match[1] or ''}\n\n", LEFT_OUT.sub("\n\n", text))
    blocks = re.split(r"\n\s*\n|\n(?=[-*\d] |: )", text)
    lines = [re.sub(r"^(?:[-*] |\d\. |: )", "", " ".join(block.split())) for block in blocks]
    found = [one for line in lines for one in re.split(r"(?<=[.!?])\s+(?=[A-Z*{\[(\"])", line)]
    return [one for one in found if one and not one.endswith("?")]


def guards(code: str) -> list[str]:
    """The words that the calls of `guard` quote."""
    calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    quoted = [call.args[0] for call in calls if isinstance(call.func, ast.Name) and call.func.id == "guard"]
    assert all(isinstance(one, ast.Constant) for one in quoted), "a guard quotes its sentence as it stands"
    return [" ".join(one.value.split()) for one in quoted]


@cache
def cells_of(chapter: str) -> list:
    return jupytext.read(NOTEBOOKS / f"{chapter}.py").cells


@cache
def read(chapter: str) -> tuple[list[tuple[str, bool]], list[str]]:
    """The sentences of a chapter, each with whether its cell explains, and the words under guard."""
    cells = cells_of(chapter)
    prose = [cell for cell in cells if cell.cell_type == "markdown"]
    code = [guards(cell.source) for cell in cells if cell.cell_type == "code" and "guard(" in cell.source]
    said = [(one, "explains" in cell.metadata.get("tags", [])) for cell in prose for one in sentences(cell.source)]
    return said, sum(code, [])


def unguarded(said, guarded) -> list[str]:
    claims = [one for one, explains in said if COMPARES.search(one) and (not explains or MODELS.search(one))]
    return [one for one in claims if "{glue:" not in one and not any(words in one for words in guarded)]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_sentence_of_a_chapter_that_compares_results_is_glued_or_under_guard(chapter):
    assert not unguarded(*read(chapter))
    texts = [cell.source for cell in cells_of(chapter) if cell.cell_type == "markdown"]
    texts += [(NOTEBOOKS.parent / "book" / f"{name}.md").read_text() for name in PAGES]
    there = " ".join(" ".join(texts).split())
    assert not [words for words in read(chapter)[1] if words not in there], "a guard quotes what stands nowhere"


@pytest.mark.parametrize("name", PAGES)
def test_a_sentence_of_a_page_that_names_a_model_and_compares_is_glued_or_under_guard(name):
    guarded = [words for chapter in CHAPTERS for words in read(chapter)[1]]
    said = sentences((NOTEBOOKS.parent / "book" / f"{name}.md").read_text())
    assert not unguarded([(one, True) for one in said], guarded)


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("## Higher\n\nEW is higher than TSE. It stands in Table 2.", ["EW is higher than TSE."]),
        ("EW falls in {glue:text}`n:d` rows.", []),
        ("Is EW higher?\n\n```{margin} EW\nThe share of all verbs.\n```", []),
        ("- Rows differ.\n- None is equal.", ["None is equal."]),
        ("```{dropdown} Predict: which?\nGPT-2 is always ahead.\n```", ["GPT-2 is always ahead."]),
        ("| row | more |\n|---|---|", []),
    ],
)
def test_comparing_sentences_are_found(cell, found):
    assert unguarded([(one, False) for one in sentences(cell)], []) == found


def test_a_cell_that_explains_may_compare_unless_it_names_a_model():
    said = [(one, True) for one in sentences("More verbs count. SmolLM2 gets more of them right.")]
    assert unguarded(said, []) == ["SmolLM2 gets more of them right."]
    assert unguarded(said, ["gets more of them"]) == []


def test_a_guard_names_its_sentence_when_it_fails():
    from tse_book.pages import guard

    guard("EW is below TSE", True)
    with pytest.raises(AssertionError, match="no longer bear out the sentence: EW is below TSE"):
        guard("EW is below TSE", False)
