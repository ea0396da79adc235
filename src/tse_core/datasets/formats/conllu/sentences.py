"""Treebanks of Universal Dependencies: their sentences, from files in CoNLL-U.

The package conllu reads the lines. What is added here is where each word stands in the text of its
sentence, and the document and the genre of each sentence.
"""

import glob
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import conllu
from conllu.exceptions import ParseException
from conllu.models import Token, TokenList

from tse_core.errors import InputError, one_line
from tse_core.files import is_file, is_folder, read_text

ENDING = ".conllu"
RUN = 25  # consecutive sentences that are one cluster, where a file names no documents
DOCUMENTS, RUNS = "documents", f"runs-of-{RUN}-sentences"  # the two kinds of clusters
LANGUAGE = re.compile(r"([a-z]{2,3})_\w+-ud-")  # the start of a usual file name: en_ewt-ud-test
WORD, MULTIWORD, PART = "word", "multiword token", "part of one"  # kinds of tokens
_GENRE = re.compile(r"(?:GUM|GENTLE)_([a-z]+)_")  # in the names of documents


class Word(NamedTuple):
    """A syntactic word of a sentence, with the fields of CoNLL-U that are read here."""

    number: int  # in the sentence, from 1
    form: str
    lemma: str
    tag: str  # UPOS
    features: Mapping[str, str]
    head: int  # 0 for the root
    relation: str  # deprel, with its subtype
    start: int  # where its text begins in the sentence; that of its multiword token
    end: int
    is_contracted: bool  # whether it is a part of a multiword token


class Sentence(NamedTuple):
    """A sentence of a treebank."""

    where: str  # file and name, for messages
    name: str  # sent_id, else its number in the file
    document: str  # that of `newdoc id`, else a run of `RUN` sentences
    genre: str  # "" where none is stated
    text: str
    words: list[Word]


def is_treebank(name: str) -> bool:
    """Whether a name is that of a treebank: a .conllu file, a folder of these, or a pattern."""
    if name.endswith(ENDING):
        return True
    return is_folder(name) and any(Path(name).glob(f"*{ENDING}"))


def treebank_files(name: str) -> list[Path]:
    """The files of a treebank, sorted. Raises InputError for a pattern that fits none."""
    path = Path(name)
    if is_folder(path):
        return sorted(path.glob(f"*{ENDING}"))
    if is_file(path) or not glob.has_magic(name):
        return [path]
    files = sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
    if not files:
        raise InputError(f"{name}: no file has such a name")
    return files


def treebank_name(name: str) -> str:
    """What a treebank is called: its file's or folder's name, of a pattern what its files share.

    >>> treebank_name("corpora/en_ewt-ud-test.conllu"), treebank_name("en_ewt-ud-*.conllu")
    ('en_ewt-ud-test', 'en_ewt-ud')
    """
    stem = Path(name).name.removesuffix(ENDING)
    shared = re.split(r"[*?\[]", stem)[0].strip("-_.")
    return shared or Path(name).resolve().parent.name


def language_of(files: Iterable[Path]) -> str:
    """The code of the language in the files' names, as en in en_ewt-ud-test.conllu; else "".

    >>> language_of([Path("de_gsd-ud-dev.conllu"), Path("de_gsd-ud-test.conllu")])
    'de'
    """
    languages = set()
    for file in files:
        match = LANGUAGE.match(file.name)
        languages.add(match[1] if match else "")
    return languages.pop() if len(languages) == 1 else ""


def read_sentences(files: Iterable[Path]) -> tuple[list[Sentence], str]:
    """The sentences of files, and what their documents are: `DOCUMENTS` or `RUNS`.

    Raises InputError: a file is no CoNLL-U, or a sentence's text does not fit its words.
    """
    sentences: list[Sentence] = []
    kinds = []
    for file in files:
        parsed = list(_parsed(file))
        has_documents = any("newdoc id" in sentence.metadata for sentence in parsed)
        kinds.append(DOCUMENTS if has_documents else RUNS)
        sentences += _with_documents(file, parsed, has_documents)
    return sentences, "+".join(sorted(set(kinds)))


def _parsed(file: Path) -> Iterator[TokenList]:
    """The sentences of a file as conllu reads them. Raises InputError."""
    text = read_text(file)
    number = 0
    # One sentence at a time, so that an error has the number of its sentence.
    sentences = conllu.parse_incr(io.StringIO(text))
    while True:
        number += 1
        try:
            sentence = next(sentences, None)
        except (ParseException, ValueError) as error:
            raise _format_error(file, number, one_line(error, 200)) from None
        if sentence is None:
            break
        if not sentence or "deprel" not in sentence[0]:
            raise _format_error(file, number, "its lines do not have ten cells")
        yield sentence
    if number == 1:
        raise InputError(f"{file}: holds no sentence; a {ENDING} file has a line for each word")


def _format_error(file: Path, number: int, reason: str) -> InputError:
    form = "ten cells a line with tabs between them, and an empty line behind each sentence"
    return InputError(f"{file}, sentence {number}: is no CoNLL-U ({reason}); it needs {form}")


def _with_documents(
    file: Path, parsed: Iterable[TokenList], has_documents: bool
) -> Iterator[Sentence]:
    """The sentences of a file, each with its document and genre."""
    document = genre = ""
    for position, sentence in enumerate(parsed):
        metadata = sentence.metadata
        if "newdoc id" in metadata:
            document = metadata["newdoc id"] or ""
            genre = metadata.get("meta::genre") or _genre_in(document)
        elif not has_documents and position % RUN == 0:
            document = f"{file.stem}:{position + 1}-{position + RUN}"
        name = metadata.get("sent_id") or str(position + 1)
        where = f"{file}, sentence {name}"
        text, words = _words(sentence, where)
        of_sentence = metadata.get("genre") or genre
        yield Sentence(where, name, document, of_sentence, text, words)


def _genre_in(document: str) -> str:
    match = _GENRE.match(document)
    return match[1] if match else ""


def _words(sentence: TokenList, where: str) -> tuple[str, list[Word]]:
    """The text of a sentence and its words, each with its place in the text. Raises InputError."""
    text = sentence.metadata.get("text") or _joined_forms(sentence)
    words = []
    start = end = 0
    for token, kind in _visible_tokens(sentence):
        if kind != PART:  # a part stands where its multiword token does
            start = _position(text, token["form"], end, where)
            end = start + len(token["form"])
        if kind == MULTIWORD:
            continue
        words.append(
            Word(
                number=token["id"],
                form=token["form"],
                lemma=token["lemma"] or "",
                tag=token["upos"] or "",
                features=token["feats"] or {},
                head=token["head"] or 0,
                relation=token["deprel"] or "",
                start=start,
                end=end,
                is_contracted=kind == PART,
            )
        )
    return text, words


def _joined_forms(sentence: TokenList) -> str:
    """The text of a sentence that states none: its tokens, with the spaces that they state."""
    parts = []
    for token, kind in _visible_tokens(sentence):
        if kind == PART:
            continue
        is_joined = (token["misc"] or {}).get("SpaceAfter") == "No"
        parts.append(token["form"] if is_joined else f"{token['form']} ")
    return "".join(parts).rstrip()


def _visible_tokens(sentence: TokenList) -> Iterator[tuple[Token, str]]:
    """The tokens of a sentence that its text shows, each with its kind.

    A `WORD` is in the text. A `MULTIWORD` token (du, numbered 3-4) is there in place of its `PART`s
    (de and le), which follow it. No text shows an empty node (numbered 4.1).
    """
    last_part = 0  # the number of the last part of the multiword token that came last
    for token in sentence:
        number = token["id"]
        if isinstance(number, int):
            yield token, PART if number <= last_part else WORD
        elif number[1] == "-":
            last_part = number[2]
            yield token, MULTIWORD


def _position(text: str, form: str, end: int, where: str) -> int:
    """Where a form begins in a text, behind the white space at `end`. Raises InputError."""
    rest = text[end:]
    start = end + len(rest) - len(rest.lstrip())
    if not text.startswith(form, start):
        raise InputError(
            f"{where}: its text has {text[start : start + 20]!r} where its words have {form!r}; "
            "the line '# text =' must be these words, with the spaces between them"
        )
    return start
