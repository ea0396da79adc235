"""CLAMS (Mueller et al. 2020): Marvin and Linzen's constructions in five languages, read as agreement pairs.

The files hold a True and a False sentence in turn and nothing else, so that subjects and attractors are not known.
``data/clams.yaml`` lists their verbs, and three rules turn the sentences into pairs:

- A pair is kept if its sentences differ in one word, which is a form of a verb. Pairs in which an adjective agrees too
  (les auteurs sont petits / est petit) are set aside: they have no single slot, and the adjective would tell a masked
  model the number. So are Russian pairs without a verb (авторы старые / старый).
- Text is in Unicode's composed form (NFC) and written as the language writes it: no space before a comma, l'auteur, and
  Hebrew prefixes joined to their word, except right before the slot, where "and" stays a separate word.
- Files on reflexives and negative polarity (English only) are about no verb and are not in data/datasets.yaml.

Known faults are kept as they are: German "den Wächter" behind a preposition lacks the ending of the dative.
"""

import warnings
from collections import Counter
from pathlib import Path

import pandas as pd

from tse_core.datasets import downloads
from tse_core.datasets.grammar import Template, load_grammar
from tse_core.datasets.pairs import AGREEMENT_COLUMNS, shape
from tse_core.datasets.registry import data_sets
from tse_core.datasets.tables import read_table
from tse_core.errors import TseWarning, check_known
from tse_core.files import read_yaml
from tse_core.paths import data_folder
from tse_core.words import plain

SEVERAL, NO_VERB = "an adjective agrees too", "an adjective stands in the verb's place"  # why a pair is set aside


def clams_names(name: str) -> list[str]:
    """Every name for pairs of one language: clams/fr, clams/fr/simple, ..."""
    return [name, *(f"{name}/{slug}" for slug in dict.fromkeys(pattern.slug for pattern in _files(name).values()))]


def load_clams(name: str, construction: str = "", *, capital: bool = True, period: bool = True) -> pd.DataFrame:
    """The agreement pairs of a language (``clams/fr``) or of one construction of it (``simple``).

    A warning says in one line how many pairs were set aside and why. Raises InputError for an unknown name, or where a
    file is not downloaded yet.
    """
    asked = f"{name}/{construction}" if construction else name
    check_known("agreement data", asked, clams_names(name))
    tables: list[pd.DataFrame] = []
    aside: Counter[str] = Counter()
    for file, pattern in _files(name).items():
        if construction in ("", pattern.slug):
            pairs, left = read_clams(downloads.files(file)[0], name.rpartition("/")[2], capital=capital, period=period)
            tables.append(pairs)
            aside += left
    pairs = pd.concat(tables, ignore_index=True)
    if total := aside.total():
        reasons = "; ".join(f"{count:,}: {why}" for why, count in sorted(aside.items()))
        what = f"{asked}: {total:,} of {total + len(pairs):,} pairs set aside ({reasons})"
        warnings.warn(what, TseWarning, stacklevel=3)
    return pairs


def read_clams(
    path: str | Path, language: str, *, capital: bool = True, period: bool = True
) -> tuple[pd.DataFrame, Counter[str]]:
    """The agreement pairs of one file, and how many pairs were set aside for which reason."""
    words, pattern = read_yaml(data_folder() / "clams.yaml")[language], _patterns()[Path(path).stem]
    lemma_of = {tuple(forms.split("/")): lemma for lemma, forms in words["verbs"].items()}
    joined, table = words.get("joined", []), read_table(path)
    rows: list[dict[str, str]] = []
    aside: Counter[str] = Counter()
    for pair, sentences in enumerate(zip(table["good"], table["bad"], strict=True), start=1):
        good, bad = (plain(sentence).split() for sentence in sentences)
        parted = [i for i, both in enumerate(zip(good, bad, strict=False)) if both[0] != both[1]]
        if len(good) != len(bad) or len(parted) != 1:
            aside[SEVERAL] += 1
            continue
        verb = parted[0]
        correct, wrong = good[verb], bad[verb]
        singular = (correct, wrong) in lemma_of
        lemma = lemma_of.get((correct, wrong) if singular else (wrong, correct))
        if lemma is None:
            aside[NO_VERB] += 1
            continue
        sides = written(good[:verb], joined), written(good[verb + 1 :], joined)
        left, right = shape(*sides, capital=capital, period=period)
        rows.append(
            {"id": f"{language}/{pattern.name}/{pair}", "construction": pattern.construction, "template": pattern.name}
            | {"lemma": lemma, "left": left, "right": right, "number": "singular" if singular else "plural"}
            | {"correct": correct, "wrong": wrong}
        )
    return pd.DataFrame(rows).reindex(columns=AGREEMENT_COLUMNS, fill_value=""), aside


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


def _files(name: str) -> dict[str, Template]:
    """The files of a language, by their names for `downloads.files`, and the patterns that they are named after."""
    stems = [Path(path).stem for path in data_sets()[name].files]
    return {f"{name}/{stem}": _patterns()[stem] for stem in stems}


def _patterns() -> dict[str, Template]:
    return {pattern.name: pattern for pattern in load_grammar("marvin-linzen").templates}
