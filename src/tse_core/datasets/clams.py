"""CLAMS (Mueller et al. 2020): Marvin and Linzen's constructions in five languages, read as agreement pairs.

The files hold a True and a False sentence in turn and nothing else. ``data/clams.yaml`` lists their nouns and verbs,
and three rules turn them into pairs:

- A pair is kept if its sentences differ in one word, which is a form of a verb. Pairs in which an adjective agrees too
  (les auteurs sont petits / est petit) are set aside: they have no single slot, and the adjective would tell a masked
  model the number. So are Russian pairs without a verb (авторы старые / старый).
- Text is in Unicode's composed form (NFC) and written as the language writes it: no space before a comma, l'auteur, and
  Hebrew prefixes joined to their word, except right before the slot, where "and" stays a separate word.
- Files on reflexives and negative polarity (English only) are about no verb and are not in data/datasets.yaml.

Known faults are kept as they are: German "den Wächter" behind a preposition lacks the ending of the dative.
"""

import re
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

from tse_core.datasets import downloads
from tse_core.datasets.grammar_notation import load_grammar
from tse_core.datasets.pairs import AGREEMENT_COLUMNS, NUMBERS, shape
from tse_core.datasets.registry import data_sets
from tse_core.datasets.tables import read_table
from tse_core.errors import SetAsideWarning, check_known, unknown
from tse_core.files import read_yaml
from tse_core.paths import data_folder
from tse_core.words import composed

NEAREST = ("sentential-complement", "in-object-relative", "in-object-relative-no-that")  # agree with the last noun
REASONS = {
    "several words": "an adjective agrees too",
    "no verb": "an adjective stands in the verb's place",
}


@dataclass(frozen=True)
class Lexicon:
    """The words of one language of CLAMS.

    Attributes
    ----------
    nouns : form -> {number: noun}
    verbs : (singular, plural) -> lemma
    ambiguous : rules for the number of nouns whose form does not show it, see data/clams.yaml
    joined : words that are joined to the word after them
    pattern : finds the nouns in words with spaces around them
    """

    nouns: dict[str, dict[str, str]]
    verbs: dict[tuple[str, str], str]
    ambiguous: list[dict[str, str]]
    joined: list[str]
    pattern: re.Pattern


def clams_names(name: str) -> list[str]:
    """Every name for pairs of one language: clams/fr, clams/fr/simple, ..."""
    return [name, *(f"{name}/{slug}" for slug in dict.fromkeys(slug for _, slug in _files(name)))]


def load_clams(name: str, construction: str = "", *, capital: bool = True, period: bool = True) -> pd.DataFrame:
    """The agreement pairs of a language (``clams/fr``) or of one construction of it (``simple``).

    A warning says in one line how many pairs were set aside and why. Raises InputError for an unknown name, or where a
    file is not downloaded yet.
    """
    asked = f"{name}/{construction}" if construction else name
    if asked not in (known := clams_names(name)):
        raise unknown("agreement data", asked, known)
    tables, left = [], dict.fromkeys(REASONS, 0)
    for file, slug in _files(name):
        if construction in ("", slug):
            path, language = downloads.files(file)[0], name.rpartition("/")[2]
            pairs, aside = read_clams(path, language, capital=capital, period=period)
            tables.append(pairs)
            left = {reason: left[reason] + aside[reason] for reason in left}
    pairs = pd.concat(tables, ignore_index=True)
    if total := sum(left.values()):
        reasons = "; ".join(f"{count:,}: {REASONS[reason]}" for reason, count in left.items() if count)
        warnings.warn(
            f"{asked}: {total:,} of {total + len(pairs):,} pairs set aside ({reasons})", SetAsideWarning, stacklevel=4
        )
    return pairs


def read_clams(
    path: str | Path, language: str, *, capital: bool = True, period: bool = True
) -> tuple[pd.DataFrame, dict[str, int]]:
    """The agreement pairs of one file, and how many pairs were set aside for each of `REASONS`."""
    path = Path(path)
    check_known("language of CLAMS", language, _lexicons())
    check_known("file of CLAMS", path.stem, _constructions())
    lexicon, (slug, construction) = _lexicons()[language], _constructions()[path.stem]
    rows, aside, template = [], dict.fromkeys(REASONS, 0), path.stem
    table = read_table(path)
    for pair, sentences in enumerate(zip(table["good"], table["bad"], strict=True), start=1):
        good, bad = (composed(sentence).split() for sentence in sentences)
        parted = [i for i, words in enumerate(zip(good, bad, strict=False)) if words[0] != words[1]]
        if len(good) != len(bad) or len(parted) != 1:
            aside["several words"] += 1
            continue
        correct, wrong = good[parted[0]], bad[parted[0]]
        number = "singular" if (correct, wrong) in lexicon.verbs else "plural"
        lemma = lexicon.verbs.get((correct, wrong) if number == "singular" else (wrong, correct))
        if lemma is None:
            aside["no verb"] += 1
            continue
        before, behind = good[: parted[0]], good[parted[0] + 1 :]
        left, right = written(before, lexicon.joined), written(behind, lexicon.joined)
        left, right = shape(left, right, capital=capital, period=period)
        rows.append(
            {"id": f"{language}/{template}/{pair}", "construction": construction, "template": template, "lemma": lemma}
            | {"left": left, "right": right, "number": number, "correct": correct, "wrong": wrong}
            | _roles(before, lexicon, template, slug)
        )
    return pd.DataFrame(rows, columns=AGREEMENT_COLUMNS).fillna(""), aside


def written(words: list[str], joined: list[str]) -> str:
    """Words that a file separates by spaces, spelled as in their language.

    >>> written("les auteurs , que l' adjoint".split(), ["l'"])
    "les auteurs, que l'adjoint"
    """
    text = previous = ""
    for word in words:
        apart = previous and previous not in joined and word != ","
        text, previous = f"{text} {word}" if apart else text + word, word
    return text


def _roles(words: list[str], lexicon: Lexicon, template: str, slug: str) -> dict[str, str]:
    """The noun that the verb agrees with, and the last other one before the verb, of the words before the verb."""
    left = f" {' '.join(words)} "
    found = []
    for match in lexicon.pattern.finditer(left):
        numbers = lexicon.nouns[match[1]]
        before = (left[: match.start()].split() or [""])[-1]
        number = next(iter(numbers)) if len(numbers) == 1 else _number(lexicon, template, before)
        found.append((match[1], numbers[number], number))
    if not found:
        return {}
    form, noun, _ = found.pop(-1 if slug in NEAREST else 0)
    attractor, _, number = found[-1] if found else ("", "", "")
    return {"subject": form, "noun": noun, "attractor": attractor, "attractor_number": number}


def _number(lexicon: Lexicon, template: str, before: str) -> str:
    """The number of a noun that has the same form in both."""
    there = {"file": template, "after": before}
    return next(
        rule["number"]
        for rule in lexicon.ambiguous
        if all(rule[key] == value for key, value in there.items() if key in rule)
    )


@cache
def _lexicons() -> dict[str, Lexicon]:
    """Language code -> its words."""
    return {code: _lexicon(said) for code, said in read_yaml(data_folder() / "clams.yaml").items()}


def _lexicon(said: dict) -> Lexicon:
    nouns: dict[str, dict[str, str]] = {}
    for line in said["nouns"]:
        forms = [[form.strip() for form in side.split(",")] for side in line.split(" / ")]
        for number, side in zip(NUMBERS, forms, strict=True):
            for form in side:
                nouns.setdefault(form, {})[number] = forms[0][0]
    verbs = {tuple(forms.split(" / ")): lemma for lemma, forms in said["verbs"].items()}
    longest = sorted(nouns, key=len, reverse=True)
    pattern = re.compile(f"(?<= )({'|'.join(map(re.escape, longest))})(?= )")
    return Lexicon(nouns, verbs, said.get("ambiguous", []), said.get("joined", []), pattern)


@cache
def _constructions() -> dict[str, tuple[str, str]]:
    """File name without its ending -> slug and name of the construction, as Marvin and Linzen's grammar has them."""
    return {
        template.name: (template.slug, template.construction) for template in load_grammar("marvin-linzen").templates
    }


def _files(name: str) -> list[tuple[str, str]]:
    """The files of a language, in their order: (name for `downloads.files`, construction's slug)."""
    stems = [Path(path).stem for path in data_sets()[name].files]
    return [(f"{name}/{stem}", _constructions()[stem][0]) for stem in stems]
