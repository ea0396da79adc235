"""Make newman-appendix.csv, the appendix' verb lemmas with their forms and what else those forms can be, and
newman-released.csv, the rows of the authors' published file: most forms by `third_person`, the rest as listed.

The forms come from the inflection library lemminflect, corrected by the reviewed exceptions.yaml; zipf says how
frequent the two forms are together in wordfreq's English: log10 of their uses in a billion words, of nouns spelled
alike too.

    python data/lemmas/make.py            # writes the tables
    python data/lemmas/make.py --review   # also prints each form that is not what the plain spelling rule gives
"""

import csv
import math
import sys
from pathlib import Path

import yaml
from giant_verb_list import third_person
from lemminflect import getAllInflections, getInflection

HERE = Path(__file__).parent
COLUMNS = ["lemma", "singular", "plural", "past", "homograph", "noun", "left_out", "zipf"]


def rows() -> list[dict]:
    """One row per line of appendix.txt, in its order."""
    exceptions = yaml.safe_load((HERE / "exceptions.yaml").read_text(encoding="utf-8"))
    return [
        _row(entry, exceptions)
        for entry in (HERE / "appendix.txt").read_text(encoding="utf-8").split()
    ]


def released(table: list[dict]) -> list[dict]:
    """The rows of `rows` that the authors' file has, with its third persons, faults included."""
    faults = yaml.safe_load((HERE / "released.yaml").read_text(encoding="utf-8"))
    singular = {row["plural"]: third_person(row["plural"]) for row in table} | faults["singular"]
    return [
        row | {"singular": singular[row["plural"]]}
        for row in table
        if row["plural"] not in faults["left_out"]
    ]


def _row(entry: str, exceptions: dict) -> dict:
    lemma, (singular, plural, past) = entry, _forms(entry, exceptions)
    if entry in exceptions["forms_of_be"]:
        lemma, (singular, plural, past) = "be", exceptions["forms_of_be"][entry]
    return {
        "lemma": lemma,
        "singular": singular,
        "plural": plural,
        "past": past,
        "homograph": _homograph(entry, plural, past, exceptions),
        "noun": "yes"
        if entry in exceptions["also_nouns"] or getAllInflections(entry, "NOUN")
        else "no",
        "left_out": exceptions["left_out"].get(entry, ""),
        "zipf": _zipf(singular, plural),
    }


def _zipf(*forms: str) -> str:
    """0.00 for forms that wordfreq does not have."""
    from wordfreq import word_frequency

    frequency = sum(word_frequency(form, "en") for form in forms)
    return f"{math.log10(frequency * 1e9) if frequency else 0:.2f}"


def _forms(entry: str, exceptions: dict) -> tuple[str, str, str]:
    """Third person singular, base, past."""
    verb = bool(getAllInflections(entry, "VERB")) and entry not in exceptions["left_out"]
    singular = getInflection(entry, "VBZ")[0] if verb else third_person(entry)
    if entry in exceptions["left_out"] and entry not in exceptions["modals"]:
        past = ""  # no verb, no past
    elif verb or entry in exceptions["modals"]:
        past = getInflection(entry, "VBD")[0]
    else:
        past = _regular_past(entry)
    return exceptions["singular"].get(entry, singular), entry, exceptions["past"].get(entry, past)


def _homograph(entry: str, plural: str, past: str, exceptions: dict) -> str:
    """Why the verb's form may carry probability that says nothing about agreement in the present."""
    if entry in exceptions["modals"]:
        return "modal"
    if entry in exceptions["past_of_another_verb"] or past in (plural, entry) or entry == "were":
        return "past"
    return ""


def _regular_past(word: str) -> str:
    if word.endswith("e"):
        return word + "d"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ied"
    return word + "ed"


def main() -> None:
    table = rows()
    for name, written in (("newman-appendix", table), ("newman-released", released(table))):
        with (HERE / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(written)
    if "--review" in sys.argv:
        for row in table:
            if row["singular"] != third_person(row["plural"]) or row["past"] != _regular_past(
                row["plural"]
            ):
                print(row["plural"], row["singular"], row["past"], row["left_out"])
    print(f"{len(table)} rows")


if __name__ == "__main__":
    main()
