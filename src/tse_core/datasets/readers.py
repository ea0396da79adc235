"""Pairs from tables: files are read as text, columns renamed, sentences split at the verb, all of it spelled once.

Known names of columns include those of BLiMP (``sentence_good``, ``UID``), of MultiBLiMP (``sen``, ``wrong_sen``) and
of what Grew-TSE exports (``masked_text`` or ``prompt_text``, ``form_grammatical``, ``form_ungrammatical``). For any
other table, `columns` says which column holds what.
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
from tse_core.errors import InputError, check_known, warn
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
MASK = "[MASK]"  # marks the verb's place in a column `text`
NAMES = {  # what a column holds -> the names that it is known by
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
    **{
        name: (name,)
        for name in ("template", "subject", "noun", "attractor", "attractor_number", "lemma")
    },
}
_IN_SENTENCES = NAMES | {
    "id": ("pairID", "pair_id", "id", "sentence_id"),
    "construction": ("UID", "paradigm", "construction"),
    "phenomenon": ("linguistics_term", "phenomenon"),
}
_PREFIXES = {field for fields in PREFIX_FIELDS.values() for field in fields}
_OF_BLIMP = {  # fields that say nothing about agreement, so that they are no factors of a design
    "field", "linguistics_term", "UID", "simple_LM_method", "one_prefix_method", "two_prefix_method", "pairID",
    "lexically_identical", "dependency_length", "crucial_item", *_PREFIXES,
}  # fmt: skip
_NUMBERS = {
    **dict.fromkeys(("singular", "sing", "sg", "-1"), "singular"),
    **dict.fromkeys(("plural", "plur", "pl", "-2"), "plural"),
    "": "",
}
_GAP = ("left", "text", "right", "correct", "wrong")
_SENTENCES = {
    "good": trimmed,
    "bad": trimmed,
    "text": trimmed,
    "left": left_part,
    "right": right_part,
}
_WORD = re.compile(r"\S+")
_OPEN_QUOTATION = re.compile(r"(?<!\S)[\"“(]*['‘]\w(?!.*\w['’](?!\w))", re.DOTALL)
_WAYS = (
    ("left", "correct", "wrong"),
    ("text", "correct", "wrong"),
    ("good", "bad"),
)  # the first that a table has


def agreement_pairs(
    table: pd.DataFrame,
    columns: Mapping[str, str] | None = None,
    *,
    construction: str = "",
    first: First = "as-is",
    period: Period = "as-is",
) -> pd.DataFrame:
    """Agreement pairs from a table with other columns. Raises InputError, naming the table and the column or the line.

    Returns the columns of agreement pairs, then the factors, as text. Where the table does not say them, number is "",
    lemma follows from the verb's forms if the number is known, and noun is guessed from the subject, with a warning.

    Parameters
    ----------
    table : DataFrame
        Two whole sentences (good, bad) that differ in the verb alone, or a sentence with a gap and the verb's two
        forms: left and right or text (with [MASK] in the gap), correct, wrong. Optional: number (of the subject:
        singular or plural, SG or PL, Sing or Plur, -1 or -2; empty where it is not known), construction, id, subject
        and the other columns of agreement pairs. `NAMES` lists further names for them. Columns of any other name are
        factors, kept as text: an evaluation can be divided by them.
    columns : mapping, optional
        What a column holds -> its name in the table, if that is not a known name, e.g. ``{"good": "satz"}``.
    construction : of all pairs; by default the one that a row gives, else the file's name without its ending.
    first, period : the policies of spelling, see :func:`tse_core.datasets.pairs.shape`.
    """
    cells = _renamed(table, columns, NAMES)
    factors = [name for name in cells if name not in NAMES]
    pairs = cells.reindex(columns=[*AGREEMENT_COLUMNS, *factors], fill_value="").assign(
        **_parts(cells)
    )
    sides = zip(pairs["left"], pairs["right"], strict=True)
    pairs[["left", "right"]] = [shape(*both, first=first, period=period) for both in sides]
    number = (
        pairs["number"].str.partition("->")[0].str.strip().str.lower().map(_NUMBERS)
    )  # SG -> PL: the good one's
    refuse(
        number.isna(),
        "the number must be singular or plural (SG or PL, Sing or Plur, -1 or -2), or empty",
    )
    pairs["number"] = number
    pairs["lemma"] = lemmas_of(pairs)
    stem = _stem(table)
    pairs = _filled(pairs, id=_ids(table), template=stem, construction=stem or "pairs")
    if construction:
        pairs["construction"] = construction
    return with_nouns(pairs.reset_index(drop=True), table.attrs.get("where", "the pairs"))


def sentence_pairs(table: pd.DataFrame, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Sentence pairs from a table with other columns; see `agreement_pairs`; no number is needed.

    ``methods`` says which methods a row allows ("full-sentence one-prefix"): the full sentence always, a prefix method
    where the row has its fields and does not say otherwise. The columns of sentence pairs come first,
    then all others of the table, as text, such as one that pairs are clustered by.
    """
    cells = _renamed(table, columns, _IN_SENTENCES)
    if "good" not in cells:
        parts = _parts(cells)
        for side, form in (("good", "correct"), ("bad", "wrong")):
            cells[side] = [*map(join, parts["left"], parts[form], parts["right"])]
    for side in ("good", "bad"):
        refuse(cells[side] == "", f"the {side} sentence is empty")
    given = cells.rename(columns={"construction": "paradigm", "id": "pair_id"})
    pairs = given.reindex(columns=SENTENCE_COLUMNS, fill_value="")
    pairs = _filled(
        pairs,
        paradigm=_stem(table) or "pairs",
        pair_id=[name.rpartition("/")[2] for name in _ids(table)],
    )
    pairs = _filled(pairs, phenomenon=pairs["paradigm"]).assign(methods="full-sentence")
    for method, fields in PREFIX_FIELDS.items():
        allowed = (pairs[list(fields)] != "").all(axis=1)
        if (flag := method.replace("-", "_") + "_method") in cells:
            allowed &= cells[flag] != "False"
        pairs["methods"] = pairs["methods"].mask(allowed, pairs["methods"] + f" {method}")
    return _with_further_columns(pairs.reset_index(drop=True), table, columns or {})


def _with_further_columns(
    pairs: pd.DataFrame, table: pd.DataFrame, columns: Mapping[str, str]
) -> pd.DataFrame:
    """Sentence pairs with all other columns of the table, under their own names, as text."""
    used = {*SENTENCE_COLUMNS, *_OF_BLIMP, ""}
    for holds in ("good", "bad", *_GAP):
        used |= {*NAMES[holds], columns.get(holds, "")}
    table = table.rename(columns=str).reset_index(drop=True)
    names = [name for name in table if name.strip() not in used]
    further = plain_table(table, table.attrs.get("where", "the pairs"), names)[names]
    return pd.concat([pairs, further], axis=1)


def split_pair(good: str, bad: str, where: str) -> tuple[str, str, str, str]:
    """(left, correct, wrong, right) of two sentences that differ in one word; ``where`` names their place in errors.

    A mark belongs to the sentence where both forms carry it. `join` gives the sentences again, to the letter.
    """
    good_words, bad_words = list(_WORD.finditer(good)), list(_WORD.finditer(bad))
    both_words = list(zip(good_words, bad_words, strict=False))
    different = [(word, other) for word, other in both_words if word[0] != other[0]]
    if len(good_words) != len(bad_words) or len(different) != 1:
        raise InputError(
            f"{where}: the sentences must differ in exactly one word: {good!r} / {bad!r}"
        )
    if _WORD.split(good) != _WORD.split(bad):
        raise InputError(
            f"{where}: the sentences must not differ in their white space: {good!r} / {bad!r}"
        )
    word, other = different[0]
    front, correct, wrong, rest = _parted(word[0], other[0])
    before, after = good[: word.start()] + front, rest + good[word.end() :]
    opening, correct, wrong, closing = _without_marks(before, correct, wrong)
    left, right = left_part(before + opening), right_part(closing + after)
    if not correct or not wrong or _has_mark(correct) or _has_mark(wrong):
        raise InputError(
            f"{where}: the two verb forms must carry the same punctuation: {good!r} / {bad!r}"
        )
    if (join(left, correct, right), join(left, wrong, right)) != (good, bad):
        fault = "the marks around the verb do not show which belong to it; put spaces between them and other words"
        raise InputError(f"{where}: {fault}: {good!r} / {bad!r}")
    return left, correct, wrong, right


def _parted(good: str, bad: str) -> tuple[str, str, str, str]:
    """Two words, or several with dashes between: the text before the one that differs, that one in both, the rest."""
    words, others = DIVIDER.split(good), DIVIDER.split(bad)
    different = [place for place, word in enumerate(words) if others[place : place + 1] != [word]]
    if len(words) != len(others) or len(different) != 1:
        return "", good, bad, ""
    (place,) = different
    return "".join(words[:place]), words[place], others[place], "".join(words[place + 1 :])


def _without_marks(before: str, good: str, bad: str) -> tuple[str, str, str, str]:
    """Two forms between the marks that both carry at an edge; `before` is the text before them.

    An apostrophe at one edge alone is a letter of the form (goin', va', 're), unless a quotation that was opened before
    it ends there.
    """
    opening = commonprefix([OPENING.match(good)[0], OPENING.match(bad)[0]])
    good, bad = good[len(opening) :], bad[len(opening) :]
    closing = _common_end(CLOSING.search(good)[0], CLOSING.search(bad)[0])
    if not closing.startswith(tuple(APOSTROPHES)):
        letters = opening[len(opening.rstrip(APOSTROPHES)) :]
        opening, good, bad = opening.removesuffix(letters), letters + good, letters + bad
    elif not opening.endswith((*APOSTROPHES, "‘")) and not _OPEN_QUOTATION.search(before):
        closing = closing.lstrip(APOSTROPHES)
    return opening, good.removesuffix(closing), bad.removesuffix(closing), closing


def _common_end(one: str, other: str) -> str:
    return commonprefix([one[::-1], other[::-1]])[::-1]


def _has_mark(form: str) -> bool:
    """Whether a form has a mark at an edge, apart from an apostrophe."""
    marks = OPENING.match(form)[0] + CLOSING.search(form)[0]
    return marks.strip(APOSTROPHES) != ""


def lemmas_of(pairs: pd.DataFrame) -> pd.Series:
    """The lemma of each pair: what it says, else what its verb's plural form shows, where the number is known."""
    plural = pairs["correct"].where(pairs["number"] == "plural", pairs["wrong"])
    return pairs["lemma"].mask(
        (pairs["lemma"] == "") & (pairs["number"] != ""), plural.map(verb_lemma)
    )


def plain_table(
    table: pd.DataFrame,
    where: str,
    columns: Sequence[str] | None = None,
    parts: Collection[str] = (),
) -> pd.DataFrame:
    """The table with its columns, or some of them, as plain text (`tse_core.words.plain`), whatever their type was.

    1, 1.0 and "1" are "1", a missing value is "", a category or an entry of an Arrow dictionary is its text. Sentences
    (columns good, bad, text) and what stands on either side of a gap (left, right) keep their white space, but for that
    at the ends of a sentence, of which a warning tells. `parts` are columns that are not changed until they are joined.
    Raises InputError if two columns have the same name.
    """
    for name in table.columns[table.columns.duplicated()]:
        raise InputError(f"{where}: two columns are called {name!r}; keep one of each")
    spelled = {}
    untidy = pd.Series(False, table.index)
    for name in table.columns if columns is None else columns:
        spell = str if name in parts else _SENTENCES.get(name, plain)
        texts = [_text(value) for value in table[name].astype(object)]
        spelling = {text: spell(text) for text in set(texts)}
        spelled[name] = pd.Series([spelling[text] for text in texts], table.index, dtype="str")
        if name in _SENTENCES:
            has_space = {text: _has_space_at_end(name, text) for text in spelling}
            untidy |= pd.Series([has_space[text] for text in texts], table.index, dtype=bool)
    if untidy.any():
        first = str(untidy.idxmax()).removeprefix(where).lstrip(":, ")
        count = f"{untidy.sum():,} of {len(table):,} rows, the first: {first}"
        text = f"{where}: white space at the ends of sentences is left out ({count})"
        warn(text)
    return table.assign(**spelled)


def _has_space_at_end(name: str, text: str) -> bool:
    """Whether a text has white space where its sentence begins or ends; `name` says which part of it the text is."""
    text = text.strip() and text
    begins, ends = text[:1].isspace(), text[-1:].isspace()
    return {"left": begins, "right": ends}.get(name, begins or ends)


def read_table(path: str | Path) -> pd.DataFrame:
    """The rows of a file with one of the endings `READ`, cells of tables as text. Raises InputError.

    A .json file is an array of records, or one record a line. The index holds line numbers, of a
    .parquet file and an array the numbers of rows, which ``attrs["by_row"]`` says; ``attrs["where"]``
    is the path.
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
            f"{path}: holds no row; it needs a header and a line for each row, or a JSON object a line"
        )
    if by_row:
        table.index = range(1, len(table) + 1)
    table.attrs = {"where": str(path), "by_row": by_row}
    return table


def places(table: pd.DataFrame, what: str) -> list[str]:
    """Where each row of a table stands: file and line, or `what` it is and the row."""
    where = table.attrs.get("where")
    if where and not table.attrs.get("by_row"):
        return [f"{where}:{line}" for line in table.index]
    return [f"{where or what}, row {number}" for number in range(1, len(table) + 1)]


def refuse(rows: pd.Series, fault: str) -> None:
    """Raises InputError, naming the place of the first of the rows that are at fault."""
    if rows.any():
        raise InputError(f"{rows.idxmax()}: {fault}")


def _text(value: object) -> str:
    if isinstance(value, str):
        return str(value)
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def _cells(text: str, path: Path) -> pd.DataFrame:
    """The rows of a table in text, separated by tabs in .tsv, else by what its first line shows."""
    first_line = re.match(_SEPARATOR_LINE, text, re.IGNORECASE)
    rest = text[first_line.end() :] if first_line else text
    head = rest.partition("\n")[0]
    separator = max(",;\t", key=head.count)
    if path.suffix.lower() == ".tsv":
        separator = "\t"
    if first_line:
        separator = first_line[1]
        cells = next(csv.reader([head], delimiter=separator), [])
        text = separator * (len(cells) - 1) + "\n" + rest  # empty cells: lines keep their numbers
    doubtful = _check_quoting(text, path, separator)
    try:
        read = {"dtype": "str", "keep_default_na": False, "skip_blank_lines": False, "header": None}
        table = pd.read_csv(io.StringIO(text), sep=separator, **read)
    except (pd.errors.EmptyDataError, pd.errors.ParserError) as error:
        reason = " ".join(str(error).split())
        if doubtful:
            raise _quoting_error(path, doubtful, reason) from None
        raise InputError(f"{path}: cannot be read as a table ({reason})") from None
    table = table[(table != "").any(axis=1)]
    if table.empty:
        return table
    table.columns, table.index = table.iloc[0].str.strip().tolist(), table.index + 1
    return table.iloc[1:]


def _check_quoting(text: str, path: Path, separator: str) -> int:
    """The first line that begins a cell in quotation marks of several lines; 0 where there is none.

    Raises InputError for quotation marks that do not enclose a cell: pandas would drop them.
    """
    lines = csv.reader(io.StringIO(text, None), delimiter=separator, strict=True)
    first, begin = 0, 1
    try:
        for _ in lines:
            if lines.line_num > begin:
                first = first or begin
            begin = lines.line_num + 1
    except csv.Error as error:
        if "NUL" in str(error):
            raise InputError(f"{path}:{begin}: cannot be read as a table ({error})") from None
        raise _quoting_error(path, begin, str(error)) from None
    return first


def _quoting_error(path: Path, line: int, reason: str) -> InputError:
    """A quotation mark is a character of the text, and was read as one that encloses a cell."""
    cause = "a quotation mark at the start of a cell encloses it; where it is part of the text"
    remedy = 'enclose the cell and double its marks ("""No,"" he says."), or save it as .jsonl'
    return InputError(f"{path}:{line}: cannot be read as a table ({reason}): {cause}, {remedy}")


def _parquet(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_parquet(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"{path}: cannot be read as Parquet ({reason})") from None
    named = [name is not None for name in table.index.names]
    return table.reset_index(drop=not all(named))


def _json(text: str, path: Path) -> tuple[pd.DataFrame, bool]:
    """The records of an array, or of lines; and whether it was an array, so that rows are numbered."""
    try:
        records = json.loads(text)
        json.dumps(records, ensure_ascii=False).encode()  # fails for half of a character
    except (ValueError, RecursionError) as error:
        if text.lstrip().startswith("{"):
            return _json_lines(text, path), False
        raise InputError(f"{path}: cannot be read as JSON ({error})") from None
    if isinstance(records, dict) and len(lines_of(text.strip())) == 1:
        return _json_lines(text, path), False
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        example = '[{"good": "He laughs.", "bad": "He laugh."}]'
        raise InputError(f"{path}: is no array of records, such as {example}")
    return pd.DataFrame.from_records(records), True


def _json_lines(text: str, path: Path) -> pd.DataFrame:
    records = {}
    for number, line in enumerate(lines_of(text), start=1):
        if line.strip():
            try:
                records[number] = {**json.loads(line)}
                json.dumps(records[number], ensure_ascii=False).encode()
            except (
                ValueError,
                TypeError,
                RecursionError,
            ) as error:  # UnicodeEncodeError: half of a character
                raise InputError(f"{path}:{number}: not a JSON object ({error})") from None
    return pd.DataFrame.from_records(list(records.values()), index=list(records))


def _renamed(
    table: pd.DataFrame, columns: Mapping[str, str] | None, names: Mapping[str, tuple]
) -> pd.DataFrame:
    """The table in plain text: the known columns by what they hold, then all others; names said take precedence.

    The index says where each row stands. Raises InputError: a column that is not there, no two sentences and no
    sentence with two forms.
    """
    where, columns = table.attrs.get("where", "the pairs"), dict(columns or {})
    if table.empty:
        raise InputError(f"{where}: there are no pairs to score")
    table = plain_table(table.set_axis(places(table, where)).rename(columns=str), where, [])
    for holds, name in columns.items():
        check_known("use of a column", holds, names)
        check_known(f"column of {where}", name, table.columns)
    found = {
        holds: name for holds, known in names.items() for name in reversed(known) if name in table
    } | columns
    needed = next((way for way in _WAYS if set(way) <= found.keys()), None)
    if needed is None:
        raise InputError(
            f"{where}: the columns ({', '.join(table)}) hold no pairs; needed: two sentences (good, bad) or a sentence "
            f"with a gap (left or text) and two forms (correct, wrong); {_columns_said(names)}"
        )
    for holds in needed:
        refuse(table[found[holds]].isna(), f"{found[holds]} is missing")
    unused = {holds for way in _WAYS for holds in way} - set(needed)
    cells = {holds: table[name] for holds, name in found.items() if holds not in unused}
    taken = {name for known in names.values() for name in known} | {*found.values(), ""}
    taken |= _OF_BLIMP if names is NAMES else set()
    cells |= {name: table[name] for name in table if name not in taken}
    return plain_table(pd.DataFrame(cells), where, parts=_PREFIXES)


def _columns_said(names: Mapping[str, tuple]) -> str:
    """How a caller says which columns hold the pairs."""
    function = "load_pairs" if names is NAMES else "load_sentence_pairs"
    in_python = f"{function}(..., columns={{'good': NAME, 'bad': NAME}})"
    return f"--columns good=NAME,bad=NAME, in Python {in_python}, says which is which"


def _parts(cells: pd.DataFrame) -> dict[str, list[str]]:
    """What stands before the verb, its correct and its wrong form, and what stands behind it, of each row."""
    if "good" in cells:
        parts = [
            split_pair(good, bad, where) for where, good, bad in cells[["good", "bad"]].itertuples()
        ]
        return {
            name: [part[i] for part in parts]
            for i, name in enumerate(("left", "correct", "wrong", "right"))
        }
    found = {
        name: cells[name].tolist()
        for name in ("left", "correct", "wrong", "right")
        if name in cells
    }
    if "text" in cells:
        sides = cells["text"].str.partition(MASK)
        refuse(
            cells["text"].str.count(r"\[MASK\]") != 1,
            f"not one {MASK} in the text; it marks the verb's place",
        )
        found |= {
            "left": sides[0].map(left_part).tolist(),
            "right": sides[2].map(right_part).tolist(),
        }
        rejoined = pd.Series(
            map(join, found["left"], [MASK] * len(cells), found["right"]), cells.index
        )
        refuse(
            rejoined != cells["text"],
            f"{MASK} must stand apart from other words, with a space between them",
        )
    refuse((cells["correct"] == "") | (cells["wrong"] == ""), "a form of the verb is empty")
    refuse(cells["correct"] == cells["wrong"], "the correct and the wrong form are the same")
    return {"right": [""] * len(cells)} | found


def _filled(pairs: pd.DataFrame, **usual) -> pd.DataFrame:
    """The pairs with the usual values, one or one a row, in the cells that are empty."""
    return pairs.assign(
        **{name: pairs[name].mask(pairs[name] == "", values) for name, values in usual.items()}
    )


def _stem(table: pd.DataFrame) -> str:
    """The name of a table's file without the ending."""
    return Path(table.attrs.get("where", "")).stem


def _ids(table: pd.DataFrame) -> list[str]:
    """A label of each row: that name and the line; or the number of the row."""
    stem = _stem(table)
    return (
        [f"{stem}/{line}" for line in table.index]
        if stem
        else [str(i + 1) for i in range(len(table))]
    )
