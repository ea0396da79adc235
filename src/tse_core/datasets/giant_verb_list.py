"""The paper's full lemma list: the released rows united with a published list of verbs.

Newman et al. (2021) scored 3,562 lemmas: 1,951 rows (`newman-released`) and the 3,250 verbs of the Giant Verb List, a
PDF for writers that each reader downloads (`ADDRESS`; it may not be redistributed, so it is not in the project). The
authors' spelling rule gives the third person of its verbs; rows that both lists hold count once.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd

from tse_core.datasets.lemmas import Lemmas, full_list_file, load_lemmas, third_person
from tse_core.errors import InputError
from tse_core.files import lines_of, read_text, write_output

ADDRESS = "https://patternbasedwriting.com/1/Giant-Verb-List-3250-Verbs.pdf"  # as the paper's appendix gives it
VERBS_EXPECTED = 3250
LEMMAS_EXPECTED = 3562
IN_VOCABULARY_EXPECTED = {
    "bert-large-cased": 980,
    "bert-large-uncased": 1159,
    "roberta-large": 1265,
    "gpt2-xl": 1265,
}
FIRST_PAGE, LAST_PAGE = 6, 31  # counted from 0
ENTRY = re.compile(r"\d+\.\s*\*?\s*([^\W\d_]+(?:[-'’][^\W\d_]+)*)")


def extend_with_giant_verb_list(path: str | Path) -> Lemmas:
    """The released rows united, as a set, with the verbs of a PDF or plain text file.

    `be` is skipped (the released rows hold is/are) and the list's `breath` is read as `breathe`. The table has the
    columns of the released one; for added verbs, all but the two forms comes from the library lemminflect.

    Raises
    ------
    InputError
        If the file is missing, is no readable PDF or list, or holds no verb; if lemminflect is not installed.
    """
    path = Path(path)
    released = load_lemmas("newman-released").table
    verbs = ["breathe" if verb == "breath" else verb for verb in read_verbs(path) if verb != "be"]
    added = pd.DataFrame({"lemma": verbs, "singular": [third_person(verb) for verb in verbs], "plural": verbs})
    added = added.merge(_described(added["plural"], released), on="plural")
    table = pd.concat([released, added]).drop_duplicates(["singular", "plural"], ignore_index=True)
    return Lemmas("newman-full", table)


def save_full_list(lemmas: Lemmas) -> Path:
    """Keep the full list, so that ``load_lemmas("newman-full")`` finds it. Returns the file."""
    file = full_list_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    nouns = lemmas.table["noun"].map({True: "yes", False: "no"})
    write_output(file, lemmas.table.assign(noun=nouns).to_csv(index=False))
    return file


def check_counts(
    lemmas: Lemmas, verbs: int | None = None, vocabularies: Mapping[str, Callable[[str], int | None]] = {}
) -> pd.DataFrame:
    """The counts given in the paper beside those found.

    Parameters
    ----------
    lemmas : Lemmas
    verbs : int, optional
        How many verbs the file held.
    vocabularies : mapping
        Model name -> function from a whole word to its vocabulary index or None.

    Returns
    -------
    DataFrame
        count, found, expected (<NA> where the paper says nothing), verdict (one readable phrase).
    """
    rows: list[tuple[str, int, int | None]] = []
    if verbs is not None:
        rows.append(("verbs in the file", verbs, VERBS_EXPECTED))
    rows.append(("lemmas", len(lemmas), LEMMAS_EXPECTED))
    for model, word_id in vocabularies.items():
        found = len(lemmas.inflection_ids(word_id)[0])
        rows.append((f"lemmas in the vocabulary of {model}", found, IN_VOCABULARY_EXPECTED.get(Path(model).name)))
    table = pd.DataFrame(rows, columns=["count", "found", "expected"]).astype({"expected": "Int64"})
    table["verdict"] = [
        _verdict(found, expected) for found, expected in zip(table["found"], table["expected"], strict=True)
    ]
    return table


def read_verbs(path: Path) -> list[str]:
    """The verbs of the file, in its order: a PDF laid out like the published one, or text with one verb per line."""
    if not path.is_file():
        raise InputError(f"no such verb list: {path}")
    verbs = _from_pdf(path) if path.read_bytes()[:5] == b"%PDF-" else _from_text(path)
    if not verbs:
        raise InputError(f"{path}: no verb found; expected a PDF with lines like '12. abide' or one verb a line")
    return verbs


def _described(verbs: pd.Series, released: pd.DataFrame) -> pd.DataFrame:
    """Past form, homograph, noun and left_out of each verb: as the released rows have them, else by lemminflect."""
    try:
        from lemminflect import getAllInflections, getInflection
    except ImportError as error:
        raise InputError(
            "the past forms of the added verbs, and which of them are also nouns, come from lemminflect, which is not "
            "installed: pip install lemminflect"
        ) from error
    rows = released[["plural", "past", "homograph", "noun", "left_out"]].set_index("plural")
    new = [verb for verb in dict.fromkeys(verbs) if verb not in rows.index]
    past = [next(iter(getInflection(verb, "VBD")), "") for verb in new]
    homograph = ["past" if form == verb else "" for verb, form in zip(new, past, strict=True)]
    noun = [bool(getAllInflections(verb, "NOUN")) for verb in new]
    details = {"plural": new, "past": past, "homograph": homograph, "noun": noun, "left_out": ""}
    return pd.concat([rows[rows.index.isin(verbs)].reset_index(), pd.DataFrame(details)], ignore_index=True)


def _from_pdf(path: Path) -> list[str]:
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError as error:
        raise InputError(f"{path}: reading a PDF needs pypdf (pip install pypdf), or give one verb a line") from error
    try:
        pages = PdfReader(path).pages
        if len(pages) <= FIRST_PAGE:
            raise InputError(f"{path}: {len(pages)} pages; the verbs stand on pages 7 to 32")
        texts = [page.extract_text() for page in pages[FIRST_PAGE : LAST_PAGE + 1]]
    except PyPdfError as error:
        raise InputError(f"{path}: not a readable PDF ({error})") from error
    lines = [line.strip() for text in texts for line in text.splitlines()]
    return [verb.lower() for line in lines if re.match(r"\d+\.", line) for verb in ENTRY.findall(line)]


def _from_text(path: Path) -> list[str]:
    verbs = []
    for number, line in enumerate(map(str.strip, lines_of(read_text(path))), start=1):
        if not line or line.startswith("#"):
            continue
        if not re.fullmatch(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*", line):
            raise InputError(f"{path}, line {number}: {line!r} is not one verb; expected one verb a line")
        verbs.append(line.lower())
    return verbs


def _verdict(found: int, expected) -> str:
    if pd.isna(expected):
        return "no count in the paper"
    return "as in the paper" if found == expected else f"differs from the paper by {found - expected:+d}"
