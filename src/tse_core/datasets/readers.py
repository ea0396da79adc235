"""Pairs from tables: files read as text, columns renamed, sentences split at the verb.

Known names of columns include those of BLiMP (``sentence_good``, ``UID``), of MultiBLiMP (``sen``,
``wrong_sen``) and of what Grew-TSE exports (``masked_text`` or ``prompt_text``,
``form_grammatical``, ``form_ungrammatical``). For any other table, `columns` says which column
holds what.
"""

import csv
import io
import json
import re
from collections.abc import Collection, Mapping, Sequence
from os.path import commonprefix
from pathlib import Path

import pandas as pd
import pyarrow as pa

from tse_core.datasets.pairs import (
    AGREEMENT_COLUMNS,
    PREFIX_FIELDS,
    SENTENCE_COLUMNS,
    shape,
    verb_lemma,
    with_nouns,
)
from tse_core.errors import InputError, check_known, one_line, warn
from tse_core.files import lines_of, read_text
from tse_core.words import (
    APOSTROPHES,
    CLOSING,
    DIVIDER,
    OPENING,
    First,
    Period,
    join,
    left_part,
    plain,
    right_part,
    trimmed,
)

TABLES = (".csv", ".tsv", ".txt")
SPREADSHEETS = (".xlsx", ".xls", ".ods")  # refused, with a line on how to save them
_SEPARATOR_LINE = r"\"?sep=([^\r\n])\"?[ ,;\t]*\r?\n"  # the first line of some files of Excel's
READ = (*TABLES, ".jsonl", ".json", ".parquet")
FILES = (*READ, *SPREADSHEETS)
MASK = "[MASK]"  # marks the gap in a column `text`
NAMES = {  # use of a column -> the names that it is known by, the usual one first
    "good": ("good", "sentence_good", "sen", "grammatical"),
    "bad": ("bad", "sentence_bad", "wrong_sen", "ungrammatical"),
    "correct": ("correct", "form_grammatical"),
    "wrong": ("wrong", "form_ungrammatical"),
    "text": ("text", "masked_text"),
    "left": ("left", "prompt_text"),
    "right": ("right",),
    "number": ("number", "label", "grammatical_feature", "feature_vals"),
    "id": ("id", "pair_id", "sentence_id"),
    "construction": ("construction", "paradigm"),
    "template": ("template",),
    "subject": ("subject",),
    "noun": ("noun",),
    "attractor": ("attractor",),
    "attractor_number": ("attractor_number",),
    "lemma": ("lemma",),
}
_IN_SENTENCES = NAMES | {
    "id": ("pairID", "pair_id", "id", "sentence_id"),
    "construction": ("UID", "paradigm", "construction"),
    "phenomenon": ("linguistics_term", "phenomenon"),
}
_PREFIXES = set().union(*PREFIX_FIELDS.values())
# BLiMP's fields that say nothing about agreement, so that they are no factors of a design.
_OF_BLIMP = {
    "field", "linguistics_term", "UID", "simple_LM_method", "one_prefix_method",
    "two_prefix_method", "pairID", "lexically_identical", "dependency_length", "crucial_item",
    *_PREFIXES,
}  # fmt: skip
_NUMBERS = {
    **dict.fromkeys(("singular", "sing", "sg", "-1"), "singular"),
    **dict.fromkeys(("plural", "plur", "pl", "-2"), "plural"),
    "": "",
}
_GAP = ("left", "text", "right", "correct", "wrong")
# How sentences and their parts are spelled; the white space inside them stays.
_SENTENCES = {
    "good": trimmed,
    "bad": trimmed,
    "text": trimmed,
    "left": left_part,
    "right": right_part,
}
_WORD = re.compile(r"\S+")
# A single quotation mark before a word, without one that closes the quotation behind it.
_OPEN_QUOTATION = re.compile(r"(?<!\S)[\"“(]*['‘]\w(?!.*\w['’](?!\w))", re.DOTALL)
# Columns that hold pairs; a table is read by the first of these of which it has all.
_LAYOUTS = (
    ("left", "correct", "wrong"),
    ("text", "correct", "wrong"),
    ("good", "bad"),
)
_LAYOUT_COLUMNS = set().union(*_LAYOUTS)


def agreement_pairs(
    table: pd.DataFrame,
    columns: Mapping[str, str] | None = None,
    *,
    construction: str = "",
    first: First = "as-is",
    period: Period = "as-is",
) -> pd.DataFrame:
    """Agreement pairs from a table with other columns.

    Returns the columns of agreement pairs, then the factors, as text. Where the table lacks them,
    number is "", lemma follows from the verb's forms if the number is known, and noun is guessed
    from the subject, with a warning. Raises InputError, naming the table and the column or line.

    Parameters
    ----------
    table : DataFrame
        Two whole sentences (good, bad) that differ in the verb alone, or a sentence with a gap and
        the verb's two forms: left and right or text (with [MASK] in the gap), correct, wrong.
        Optional: number (of the subject: singular or plural, SG or PL, Sing or Plur, -1 or -2;
        empty where it is not known), construction, id, subject and the other columns of agreement
        pairs. `NAMES` lists further names for them. Columns of any other name are factors, kept as
        text: an evaluation can be divided by them.
    columns : mapping, optional
        Use of a column -> its name in the table, if that is not a known name, e.g.
        ``{"good": "satz"}``.
    construction :
        of all pairs; by default that of the row, else the file's name without its ending.
    first, period : the policies of spelling, see :func:`tse_core.datasets.pairs.shape`.
    """
    cells = _renamed(table, columns, NAMES)
    factors = [name for name in cells if name not in NAMES]
    pairs = cells.reindex(columns=[*AGREEMENT_COLUMNS, *factors], fill_value="")
    pairs = pairs.assign(**_parts(cells))
    sides = zip(pairs["left"], pairs["right"], strict=True)
    pairs[["left", "right"]] = [
        shape(left, right, first=first, period=period) for left, right in sides
    ]
    pairs["number"] = _numbers(pairs["number"])
    pairs["lemma"] = lemmas_of(pairs)
    stem = _stem(table)
    pairs = _filled(pairs, id=_ids(table), template=stem, construction=stem or "pairs")
    if construction:
        pairs["construction"] = construction
    return with_nouns(pairs.reset_index(drop=True), table.attrs.get("where", "the pairs"))


def _numbers(labels: pd.Series) -> pd.Series:
    """Labels of numbers as "singular", "plural" or ""; raises InputError for any other label."""
    # MultiBLiMP writes both sentences' numbers, SG -> PL; the good one's is the subject's.
    labels = labels.str.partition("->")[0].str.strip().str.lower()
    numbers = labels.map(_NUMBERS)
    fault = "the number must be singular or plural (SG or PL, Sing or Plur, -1 or -2), or empty"
    refuse(numbers.isna(), fault)
    return numbers


def sentence_pairs(table: pd.DataFrame, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Sentence pairs from a table with other columns; see `agreement_pairs`; no number is needed.

    ``methods`` lists the methods that a row allows ("full-sentence one-prefix"): always the full
    sentence, a prefix method where the row has its fields and no flag against it. The columns of
    sentence pairs come first, then all others of the table, as text, such as one that pairs are
    clustered by.
    """
    cells = _renamed(table, columns, _IN_SENTENCES)
    if "good" not in cells:
        # A table of agreement pairs: each form in the gap gives a sentence.
        parts = _parts(cells)
        for side, form in (("good", "correct"), ("bad", "wrong")):
            cells[side] = list(map(join, parts["left"], parts[form], parts["right"]))
    for side in ("good", "bad"):
        refuse(cells[side] == "", f"the {side} sentence is empty")
    cells = cells.rename(columns={"construction": "paradigm", "id": "pair_id"})
    pairs = cells.reindex(columns=SENTENCE_COLUMNS, fill_value="")
    pair_ids = [label.rpartition("/")[2] for label in _ids(table)]
    pairs = _filled(pairs, paradigm=_stem(table) or "pairs", pair_id=pair_ids)
    pairs = _filled(pairs, phenomenon=pairs["paradigm"])
    pairs["methods"] = "full-sentence"
    for method, fields in PREFIX_FIELDS.items():
        is_allowed = (pairs[list(fields)] != "").all(axis=1)
        flag = method.replace("-", "_") + "_method"
        if flag in cells:
            is_allowed &= cells[flag] != "False"
        pairs["methods"] = pairs["methods"].mask(is_allowed, pairs["methods"] + f" {method}")
    return _with_further_columns(pairs.reset_index(drop=True), table, columns or {})


def _with_further_columns(
    pairs: pd.DataFrame, table: pd.DataFrame, columns: Mapping[str, str]
) -> pd.DataFrame:
    """Sentence pairs with all other columns of the table, under their own names, as text."""
    used = {*SENTENCE_COLUMNS, *_OF_BLIMP, ""}
    for use in ("good", "bad", *_GAP):
        used.update(NAMES[use])
        used.add(columns.get(use, ""))
    table = table.rename(columns=str).reset_index(drop=True)
    names = [name for name in table if name.strip() not in used]
    further = plain_table(table, table.attrs.get("where", "the pairs"), names)[names]
    return pd.concat([pairs, further], axis=1)


def split_pair(good: str, bad: str, where: str) -> tuple[str, str, str, str]:
    """The parts of two sentences that differ in one word: (left, correct, wrong, right).

    A mark belongs to the sentence where both forms carry it. `join` gives the sentences again, to
    the letter. Raises InputError; ``where`` is the location of the pair that it names.
    """
    sentences = f"{good!r} / {bad!r}"
    word, other = _different_words(good, bad)
    if word is None or other is None:
        raise InputError(f"{where}: the sentences must differ in exactly one word: {sentences}")
    if _WORD.split(good) != _WORD.split(bad):
        raise InputError(
            f"{where}: the sentences must not differ in their white space: {sentences}"
        )
    start, correct, wrong, end = _parted_at_dashes(word[0], other[0])
    before = good[: word.start()] + start
    after = end + good[word.end() :]
    opening, correct, wrong, closing = _without_marks(before, correct, wrong)
    left = left_part(before + opening)
    right = right_part(closing + after)
    if not correct or not wrong or _has_mark(correct) or _has_mark(wrong):
        raise InputError(
            f"{where}: the two verb forms must carry the same punctuation: {sentences}"
        )
    if join(left, correct, right) != good or join(left, wrong, right) != bad:
        raise InputError(
            f"{where}: the marks around the verb do not show which belong to it; put spaces "
            f"between them and other words: {sentences}"
        )
    return left, correct, wrong, right


def _different_words(good: str, bad: str) -> tuple[re.Match | None, re.Match | None]:
    """The one word of each sentence that differs; None, None if there is not exactly one."""
    good_words = list(_WORD.finditer(good))
    bad_words = list(_WORD.finditer(bad))
    if len(good_words) != len(bad_words):
        return None, None
    both_words = zip(good_words, bad_words, strict=True)
    different = [(word, other) for word, other in both_words if word[0] != other[0]]
    return different[0] if len(different) == 1 else (None, None)


def _parted_at_dashes(good: str, bad: str) -> tuple[str, str, str, str]:
    """The parts of two words, or of several with dashes or dots between.

    They are the text before the one word that differs, that word in both, and the text behind it.
    """
    good_parts = DIVIDER.split(good)
    bad_parts = DIVIDER.split(bad)
    if len(good_parts) != len(bad_parts):
        return "", good, bad, ""
    different = [i for i in range(len(good_parts)) if good_parts[i] != bad_parts[i]]
    if len(different) != 1:
        return "", good, bad, ""
    position = different[0]
    start = "".join(good_parts[:position])
    end = "".join(good_parts[position + 1 :])
    return start, good_parts[position], bad_parts[position], end


def _without_marks(before: str, good: str, bad: str) -> tuple[str, str, str, str]:
    """Two forms without the marks that both carry: (opening, good, bad, closing).

    ``before`` is the text before the forms. An apostrophe at one edge alone is a letter of the form
    (goin', va', 're), unless a quotation that was opened before it ends there.
    """
    opening = commonprefix([OPENING.match(good)[0], OPENING.match(bad)[0]])
    # The opening marks go first, so that a form of nothing but marks does not count them twice.
    good = good.removeprefix(opening)
    bad = bad.removeprefix(opening)
    closing = _common_end(CLOSING.search(good)[0], CLOSING.search(bad)[0])
    if not closing.startswith(tuple(APOSTROPHES)):
        marks = opening.rstrip(APOSTROPHES)
        apostrophes = opening.removeprefix(marks)
        opening, good, bad = marks, apostrophes + good, apostrophes + bad
    elif not opening.endswith((*APOSTROPHES, "‘")) and not _OPEN_QUOTATION.search(before):
        closing = closing.lstrip(APOSTROPHES)
    return opening, good.removesuffix(closing), bad.removesuffix(closing), closing


def _common_end(one: str, other: str) -> str:
    """The longest text with which both end."""
    reversed_texts = [one[::-1], other[::-1]]
    return commonprefix(reversed_texts)[::-1]


def _has_mark(form: str) -> bool:
    """Whether a form has a mark at an edge, apart from an apostrophe."""
    marks = OPENING.match(form)[0] + CLOSING.search(form)[0]
    return marks.strip(APOSTROPHES) != ""


def lemmas_of(pairs: pd.DataFrame) -> pd.Series:
    """The lemma of each pair: its own, else that of its plural form, if the number is known."""
    plural = pairs["correct"].where(pairs["number"] == "plural", pairs["wrong"])
    missing = (pairs["lemma"] == "") & (pairs["number"] != "")
    return pairs["lemma"].mask(missing, plural.map(verb_lemma))


def plain_table(
    table: pd.DataFrame,
    where: str,
    columns: Sequence[str] | None = None,
    parts: Collection[str] = (),
) -> pd.DataFrame:
    """The table with its columns, or some of them, as plain text (`tse_core.words.plain`).

    Columns of any type become text: 1, 1.0 and "1" are "1", a missing value is "", a category or an
    entry of an Arrow dictionary is its text. Sentences (columns good, bad, text) and what stands on
    either side of a gap (left, right) keep their white space, but for that at the ends of a
    sentence, of which a warning tells. ``parts`` are columns of parts of a sentence, which stay as
    they are. Raises InputError if two columns have the same name.
    """
    for name in table.columns[table.columns.duplicated()]:
        raise InputError(f"{where}: two columns are called {name!r}; keep one of each")
    if columns is None:
        columns = table.columns
    spelled = {}
    has_space = pd.Series(False, table.index)
    for name in columns:
        spell = str if name in parts else _SENTENCES.get(name, plain)
        # Most texts stand in many rows, so that each is spelled once and looked up.
        texts = [_text(value) for value in table[name].astype(object)]
        spelling = {text: spell(text) for text in set(texts)}
        spelled[name] = pd.Series([spelling[text] for text in texts], table.index, dtype="str")
        if name in _SENTENCES:
            with_space = {text for text in spelling if _has_space_at_end(name, text)}
            has_space |= pd.Series([text in with_space for text in texts], table.index, dtype=bool)
    if has_space.any():
        first = str(has_space.idxmax()).removeprefix(where).lstrip(":, ")
        count = f"{has_space.sum():,} of {len(table):,} rows, the first: {first}"
        warn(f"{where}: white space at the ends of sentences is left out ({count})")
    return table.assign(**spelled)


def _has_space_at_end(column: str, text: str) -> bool:
    """Whether a text of this column has white space where its sentence begins or ends."""
    if not text.strip():
        return False
    begins = text[0].isspace()
    ends = text[-1].isspace()
    # The other ends of these two are at the gap, where white space belongs to the sentence.
    if column == "left":
        return begins
    if column == "right":
        return ends
    return begins or ends


def read_table(path: str | Path) -> pd.DataFrame:
    """The rows of a file with one of the endings `READ`, cells of tables as text.

    A .json file is an array of records, or one record a line. The index holds line numbers; for a
    .parquet file and for an array, where ``attrs["by_row"]`` is True, numbers of rows from 1.
    ``attrs["where"]`` is the path. Raises InputError with the file and the line.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending in SPREADSHEETS:
        raise InputError(
            f"{path}: spreadsheets are not read; save it as CSV UTF-8 (comma delimited)"
        )
    by_row = ending == ".parquet"
    if by_row:
        table = _parquet(path)
    elif ending == ".jsonl":
        table = _json_lines(read_text(path), path)
    elif ending == ".json":
        table, by_row = _json(read_text(path), path)
    else:
        table = _cells(read_text(path), path)
    if table.empty:
        raise InputError(
            f"{path}: holds no row; it needs a header and a line for each row, "
            "or a JSON object a line"
        )
    if by_row:
        table.index = range(1, len(table) + 1)
    table.attrs = {"where": str(path), "by_row": by_row}
    return table


def row_locations(table: pd.DataFrame, what: str) -> list[str]:
    """Location of each row of a table: file and line; or the file, else ``what``, and the row."""
    where = table.attrs.get("where")
    if where and not table.attrs.get("by_row"):
        return [f"{where}:{line}" for line in table.index]
    return [f"{where or what}, row {number}" for number in range(1, len(table) + 1)]


def refuse(is_faulty: pd.Series, fault: str) -> None:
    """Raise InputError if a row is faulty, with the location of the first, from the index."""
    if is_faulty.any():
        raise InputError(f"{is_faulty.idxmax()}: {fault}")


def _text(value: object) -> str:
    """A cell as text; empty for a missing value, without a fraction of zero."""
    if isinstance(value, str):
        return str(value)  # of numpy's strings, Python's
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _cells(text: str, path: Path) -> pd.DataFrame:
    """The rows of a table in text, separated by tabs in .tsv, else by what its first line shows."""
    text, separator = _with_separator(text, path)
    several_lines = _check_quoting(text, path, separator)
    options = {"dtype": "str", "keep_default_na": False, "skip_blank_lines": False, "header": None}
    try:
        table = pd.read_csv(io.StringIO(text), sep=separator, **options)
    except (pd.errors.EmptyDataError, pd.errors.ParserError) as error:
        reason = one_line(error)
        # A stray mark swallows the lines up to the next one, which then have too few cells.
        if several_lines:
            raise _quoting_error(path, several_lines, reason) from None
        raise InputError(f"{path}: cannot be read as a table ({reason})") from None
    # Lines of empty cells go only now, so that the index has counted them.
    table = table[(table != "").any(axis=1)]
    if table.empty:
        return table
    table.columns = table.iloc[0].str.strip().tolist()
    table.index = table.index + 1
    return table.iloc[1:]


def _with_separator(text: str, path: Path) -> tuple[str, str]:
    """The text of a table and its separator. A first line that names the separator is emptied."""
    separator_line = re.match(_SEPARATOR_LINE, text, re.IGNORECASE)
    if separator_line:
        separator = separator_line[1]
        rest = text[separator_line.end() :]
        header = rest.partition("\n")[0]
        cells = next(csv.reader([header], delimiter=separator), [])
        # A line of empty cells in its stead: the other lines keep their numbers.
        return separator * (len(cells) - 1) + "\n" + rest, separator
    header = text.partition("\n")[0]
    if path.suffix.lower() == ".tsv":
        other = max(",;", key=header.count)
        if "\t" not in header and other in header:
            raise InputError(
                f"{path}: the cells of a .tsv are separated by tabs, and its header has none, but "
                f"{other!r}; call the file .csv if that separates them"
            )
        return text, "\t"
    return text, max(",;\t", key=header.count)


def _check_quoting(text: str, path: Path, separator: str) -> int:
    """The line where the first row of several lines begins; 0 where there is none.

    Raises InputError for quotation marks that do not enclose a cell: pandas would drop them.
    """
    reader = csv.reader(io.StringIO(text, None), delimiter=separator, strict=True)
    first = 0
    begin = 1
    try:
        for _ in reader:
            if reader.line_num > begin and not first:
                first = begin
            begin = reader.line_num + 1
    except csv.Error as error:
        if "NUL" in str(error):
            raise InputError(f"{path}:{begin}: cannot be read as a table ({error})") from None
        raise _quoting_error(path, begin, str(error)) from None
    return first


def _quoting_error(path: Path, line: int, reason: str) -> InputError:
    """The error for a quotation mark of the text that was read as one that encloses a cell."""
    cause = "a quotation mark at the start of a cell encloses it; where it is part of the text"
    remedy = 'enclose the cell and double its marks ("""No,"" he says."), or save it as .jsonl'
    return InputError(f"{path}:{line}: cannot be read as a table ({reason}): {cause}, {remedy}")


def _parquet(path: Path) -> pd.DataFrame:
    """The rows of a Parquet file, with its index as columns if that has names."""
    try:
        table = pd.read_parquet(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = one_line(error, 200)
        raise InputError(f"{path}: cannot be read as Parquet ({reason})") from None
    has_names = all(name is not None for name in table.index.names)
    return table.reset_index(drop=not has_names)


def _json(text: str, path: Path) -> tuple[pd.DataFrame, bool]:
    """The records of an array or of lines, and whether it was an array, whose rows have numbers."""
    try:
        records = json.loads(text)
        json.dumps(records, ensure_ascii=False).encode()  # fails for half of a surrogate pair
    except (ValueError, RecursionError) as error:
        if text.lstrip().startswith("{"):
            return _json_lines(text, path), False
        raise InputError(f"{path}: cannot be read as JSON ({error})") from None
    # One object in one line is a file of lines with one record.
    if isinstance(records, dict) and len(lines_of(text.strip())) == 1:
        return _json_lines(text, path), False
    is_array = isinstance(records, list)
    if not is_array or not all(isinstance(record, dict) for record in records):
        example = '[{"good": "He laughs.", "bad": "He laugh."}]'
        raise InputError(f"{path}: is no array of records, such as {example}")
    return pd.DataFrame.from_records(records), True


def _json_lines(text: str, path: Path) -> pd.DataFrame:
    """The records of a text with one JSON object a line, under the numbers of their lines."""
    records = {}
    for number, line in enumerate(lines_of(text), start=1):
        if not line.strip():
            continue
        try:
            record = {**json.loads(line)}  # raises TypeError for what is no object
            json.dumps(record, ensure_ascii=False).encode()  # fails for half of a surrogate pair
        except (ValueError, TypeError, RecursionError) as error:
            raise InputError(f"{path}:{number}: not a JSON object ({error})") from None
        records[number] = record
    return pd.DataFrame.from_records(list(records.values()), index=list(records))


def _renamed(
    table: pd.DataFrame, columns: Mapping[str, str] | None, names: Mapping[str, tuple]
) -> pd.DataFrame:
    """The table in plain text: the known columns under the names of their uses, then all others.

    ``columns`` takes precedence over the known ``names``. The index holds the location of each row.
    Raises InputError: a column that is not there, no two sentences and no sentence with two forms.
    """
    where = table.attrs.get("where", "the pairs")
    if table.empty:
        raise InputError(f"{where}: there are no pairs to score")
    table = table.set_axis(row_locations(table, where)).rename(columns=str)
    table = plain_table(table, where, [])  # changes no column, but refuses names that repeat
    name_of = _names_of_uses(table, columns or {}, names, where)
    layout = _layout(name_of)
    if layout is None:
        raise InputError(
            f"{where}: the columns ({', '.join(table)}) hold no pairs; needed: two sentences "
            "(good, bad) or a sentence with a gap (left or text) and two forms (correct, wrong); "
            f"{_columns_hint(names)}"
        )
    for use in layout:
        refuse(table[name_of[use]].isna(), f"{name_of[use]} is missing")
    cells = {}
    for use, name in name_of.items():
        if use in layout or use not in _LAYOUT_COLUMNS:
            cells[use] = table[name]
    # A second column for a use, such as id beside pairID, is neither that nor a factor.
    other_uses = {*name_of.values(), ""}.union(*names.values())
    if names is NAMES:
        other_uses |= _OF_BLIMP
    for name in table:
        if name not in other_uses:
            cells[name] = table[name]
    return plain_table(pd.DataFrame(cells), where, parts=_PREFIXES)


def _names_of_uses(
    table: pd.DataFrame, columns: Mapping[str, str], names: Mapping[str, tuple], where: str
) -> dict[str, str]:
    """The name in the table of the column for each use, as far as it has one."""
    for use, name in columns.items():
        check_known("use of a column", use, names)
        check_known(f"column of {where}", name, table.columns)
    name_of = {}
    for use, known_names in names.items():
        present = [name for name in known_names if name in table]
        if present:
            name_of[use] = present[0]
    return name_of | dict(columns)


def _layout(uses: Collection[str]) -> tuple[str, ...] | None:
    """The first of the layouts of pairs whose columns are all there; None if there is none."""
    for layout in _LAYOUTS:
        if all(use in uses for use in layout):
            return layout
    return None


def _columns_hint(names: Mapping[str, tuple]) -> str:
    """How a caller names the columns that hold the pairs."""
    function = "load_pairs" if names is NAMES else "load_sentence_pairs"
    in_python = f"{function}(..., columns={{'good': NAME, 'bad': NAME}})"
    return f"--columns good=NAME,bad=NAME, in Python {in_python}, says which is which"


def _parts(cells: pd.DataFrame) -> dict[str, list[str]]:
    """The parts of each row's sentences, as columns: left, correct, wrong and right."""
    if "good" in cells:
        return _parts_of_sentences(cells)
    left, right = _sides(cells)
    correct, wrong = cells["correct"], cells["wrong"]
    refuse((correct == "") | (wrong == ""), "a form of the verb is empty")
    refuse(correct == wrong, "the correct and the wrong form are the same")
    return {"left": left, "correct": correct.tolist(), "wrong": wrong.tolist(), "right": right}


def _parts_of_sentences(cells: pd.DataFrame) -> dict[str, list[str]]:
    parts: dict[str, list[str]] = {"left": [], "correct": [], "wrong": [], "right": []}
    for where, good, bad in cells[["good", "bad"]].itertuples():
        for column, part in zip(parts.values(), split_pair(good, bad, where), strict=True):
            column.append(part)
    return parts


def _sides(cells: pd.DataFrame) -> tuple[list[str], list[str]]:
    """The texts before and behind the gap of each row."""
    if "text" not in cells:
        right = cells["right"].tolist() if "right" in cells else [""] * len(cells)
        return cells["left"].tolist(), right
    texts = cells["text"]
    fault = f"not one {MASK} in the text; it marks the verb's place"
    refuse(texts.str.count(re.escape(MASK)) != 1, fault)
    sides = texts.str.partition(MASK)
    left = sides[0].map(left_part).tolist()
    right = sides[2].map(right_part).tolist()
    # `join` sets the form between the sides later, and must give the sentence as it was written.
    rejoined = [join(before, MASK, after) for before, after in zip(left, right, strict=True)]
    fault = f"{MASK} must stand apart from other words, with a space between them"
    refuse(pd.Series(rejoined, cells.index) != texts, fault)
    return left, right


def _filled(pairs: pd.DataFrame, **defaults: str | Sequence[str] | pd.Series) -> pd.DataFrame:
    """The pairs with default values, one of a column or one a row, in the cells that are empty."""
    columns = {}
    for name, values in defaults.items():
        columns[name] = pairs[name].mask(pairs[name] == "", values)
    return pairs.assign(**columns)


def _stem(table: pd.DataFrame) -> str:
    """The name of a table's file without the ending; empty where it is of no file."""
    return Path(table.attrs.get("where", "")).stem


def _ids(table: pd.DataFrame) -> list[str]:
    """A label of each row: the name of the file and the line, else the number of the row."""
    stem = _stem(table)
    if stem:
        return [f"{stem}/{line}" for line in table.index]
    return [str(number) for number in range(1, len(table) + 1)]
