"""Make data/tag_counts.csv: how often each verb form and noun of ours is tagged NOUN, VERB, AUX, or other, in treebanks.

The treebanks are those of Universal Dependencies (conllu files in folders UD_English-NAME): EWT, GUM, LinES, PUD and
GENTLE, all parts that are there. The forms are those of the appendix' verbs and the nouns of nouns/key.csv. A word counts under its lower-cased form, also as a part of a longer token. A form that
no text has is left out: its counts are 0.

    python data/lemmas/make_tag_counts.py MIRROR/UniversalDependencies
"""

import csv
import sys
from collections import Counter
from pathlib import Path

import conllu

HERE = Path(__file__).parent
TREEBANKS = ("EWT", "GUM", "LinES", "PUD", "GENTLE")
TAGS = ("NOUN", "VERB", "AUX")  # all others are added up


def counts(folder: Path) -> Counter:
    """(lower-cased form, tag) -> uses."""
    found: Counter = Counter()
    for name in TREEBANKS:
        for path in sorted((folder / f"UD_English-{name}").rglob("*.conllu")):
            with path.open(encoding="utf-8") as file:
                for sentence in conllu.parse_incr(file):
                    for word in sentence:
                        if isinstance(word["id"], int):  # neither a range nor an empty node
                            tag = word["upos"] if word["upos"] in TAGS else "OTHER"
                            found[word["form"].lower(), tag] += 1
    return found


def main() -> None:
    uses = counts(Path(sys.argv[1]))
    with (HERE / "newman-appendix.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with (HERE.parent / "nouns" / "key.csv").open(encoding="utf-8", newline="") as file:
        nouns = list(csv.DictReader(file))
    forms = {row[form] for row in rows for form in ("singular", "plural")}
    forms |= {row[form] for row in nouns for form in ("word", "plural")}
    columns = [*TAGS, "OTHER"]
    with (HERE.parent / "tag_counts.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["form", *map(str.lower, columns)])
        for form in sorted(forms - {""}):
            of_form = [uses[form, tag] for tag in columns]
            if any(of_form):
                writer.writerow([form, *of_form])


if __name__ == "__main__":
    main()
