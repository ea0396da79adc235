"""The paper's full lemma list: reading the PDF and plain lists, the authors' rule, counts said plainly."""

import pandas as pd
import pytest

from tse_core.datasets.giant_verb_list import check_counts, extend_with_giant_verb_list, read_verbs, save_full_list
from tse_core.datasets.lemmas import load_lemmas
from tse_core.errors import InputError


def pdf(pages: list[list[str]]) -> bytes:
    """A small PDF by hand: one list of lines a page."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        text = "BT /F1 12 Tf 14 TL 72 720 Td " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"
        objects.append(f"<< /Length {len(text)} >>\nstream\n{text}\nendstream".encode())
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {len(objects)} 0 R "
        objects.append((page + "/Resources << /Font << /F1 3 0 R >> >> >>").encode())
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    content, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(content))
        content += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    start = len(content)
    content += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode()
    return content + f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()


@pytest.fixture
def published(tmp_path):
    """Laid out as the published file: verbs only from the seventh page on, numbered, some starred, two columns."""
    pytest.importorskip("pypdf")
    file, front = tmp_path / "verbs.pdf", [["1. contents"]] * 6
    verbs = [["1. abase", "2. * yodel", "The letter B", "3. be 4. breath"], ["5. Zigzag", "6. walk"]]
    file.write_bytes(pdf([*front, *verbs]))
    return file


def test_verbs_are_the_tokens_after_each_number_from_the_seventh_page_on(published):
    assert read_verbs(published) == ["abase", "yodel", "be", "breath", "zigzag", "walk"]


def test_rows_are_united_by_the_authors_rule(published):
    full = extend_with_giant_verb_list(published).table.set_index("plural")["singular"]
    assert len(full) == 1951 + 4  # walk was there, be is skipped
    assert full[["abase", "yodel", "breathe", "zigzag"]].tolist() == ["abases", "yodels", "breathes", "zigzags"]
    assert full["are"] == "is" and not {"be", "breath"} & set(full.index)


def test_a_plain_list_does_as_well(tmp_path):
    file = tmp_path / "verbs.txt"
    file.write_text("# mine\nwaltz\n\ntry\nbreathe\nhave\n")
    singular = extend_with_giant_verb_list(file).table.set_index("plural")["singular"]
    assert singular["waltz"] == "waltzes"
    # have/has is a row beside the released have/haves, as in the authors' union
    assert singular["have"].tolist() == ["haves", "has"]


def test_counts_that_agree_are_said_to(monkeypatch):
    monkeypatch.setattr("tse_core.datasets.giant_verb_list.LEMMAS_EXPECTED", 1951)
    assert check_counts(load_lemmas("newman-released"))["verdict"].tolist() == ["as in the paper"]


def test_the_full_list_is_found_once_made_and_one_of_an_older_version_has_to_be_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    with pytest.raises(InputError, match="tse data lemmas --giant-verb-list FILE"):
        load_lemmas("newman-full")
    file = tmp_path / "verbs.txt"
    file.write_text("waltz\n")
    made = extend_with_giant_verb_list(file)
    save_full_list(made)
    found = load_lemmas("newman-full")
    assert found.hash == made.hash
    pd.testing.assert_frame_equal(found.table, made.table, check_dtype=False)
    (older,) = (tmp_path / "cache").rglob("newman-full.csv")
    older.write_text("lemma,singular,plural\nwalk,walks,walk\n")
    with pytest.raises(InputError, match="no column past, it was made by an older version: tse data lemmas"):
        load_lemmas("newman-full")


def test_the_full_list_says_of_every_verb_what_the_other_lists_say(tmp_path):
    file = tmp_path / "verbs.txt"
    file.write_text("beset\nyodel\nhave\nwalk\n")
    table = extend_with_giant_verb_list(file).table
    assert list(table) == list(load_lemmas("newman-released").table)
    columns = ["past", "homograph", "noun", "left_out"]
    described = table.set_index("singular")[columns].T.to_dict("list")
    assert described["yodels"] == ["yodeled", "", True, ""]
    assert described["besets"] == ["beset", "past", False, ""]
    assert described["has"] == described["haves"]  # the same verb, in the released spelling and in the right one
    assert table[columns].notna().all(axis=None) and table["noun"].dtype == bool


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"walk\nto run\n", "line 2: 'to run' is not one verb"),
        ("a.pdf", b"%PDF-1.4\nnonsense", "not a readable PDF"),
        ("a.pdf", pdf([["1. walk"]]), "1 pages; the verbs stand on pages 7 to 32"),
    ],
)
def test_a_faulty_file_is_one_clear_line(tmp_path, name, content, message):
    pytest.importorskip("pypdf")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        extend_with_giant_verb_list(tmp_path / name)
