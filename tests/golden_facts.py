"""Facts about files that are not in the repository, so that tests know them where those files are missing.

python tests/golden_facts.py reads them anew from the folder ../shared beside the repository.
"""

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd

from tse_core.datasets.downloads import read_registry
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.loading import load_pairs

GOLDEN = Path(__file__).parent / "golden"
FACTS, VOCABULARIES = GOLDEN / "facts.json", GOLDEN / "in_vocabulary.csv"
TOKENIZERS = ("bert-cased", "bert-uncased", "gpt2", "roberta")
LISTS = ("newman-appendix", "newman-clean", "newman-released")


def facts() -> dict:
    """What `measured_facts` gave when ../shared was there."""
    return json.loads(FACTS.read_text(encoding="utf-8"))


def vocabulary(tokenizer: str) -> Callable[[str], int | None]:
    """Maps a form of the English lists and templates to a number, or None if the tokenizer has no single entry for it.

    Any other word is a KeyError: nobody looked it up.
    """
    with VOCABULARIES.open(encoding="utf-8", newline="") as file:
        rows = [
            (row[tokenizer] == "1", form)
            for row in csv.DictReader(file)
            for form in row["forms"].split()
        ]
    return {form: number if held else None for number, (held, form) in enumerate(rows)}.__getitem__


def forms() -> list[str]:
    """Every verb form of the English lists and of Marvin and Linzen's templates."""
    pairs = load_pairs("marvin-linzen")
    found = {*pairs["correct"], *pairs["wrong"]}
    for table in (load_lemmas(name).table for name in LISTS):
        found |= {*table["singular"], *table["plural"]}
    return sorted(found)


def digest(lines: Iterable[str]) -> str:
    """SHA-256 of lines, whatever their order."""
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def files_by_repository(files: pd.DataFrame) -> dict[str, dict]:
    """How many files of each repository a table names, and a digest of their commits, paths, sizes and checksums."""
    columns = ["repository", "commit", "path", "bytes", "sha256"]
    lines = files[columns].astype(str).agg(" ".join, axis=1)
    return {
        repository: {"files": len(part), "digest": digest(part)}
        for repository, part in lines.groupby(files["repository"], sort=False)
    }


def verb_forms(table: pd.DataFrame) -> dict:
    """How many rows a verb list has, and a digest of their forms."""
    return {"rows": len(table), "digest": digest(table["singular"] + "," + table["plural"])}


def measured_facts(shared: Path) -> dict:
    """The facts in the folder of reference data: published tables, public files, the released verb list."""
    given = pd.read_csv(shared / "mirror" / "registry.csv").rename(columns={"repo": "repository"})
    given.index = given["repository"] + "/" + given["commit"] + "/" + given["path"]
    (verbs,) = shared.glob("mirror/bnewm0609/refining-tse/*/data/verbs/combined_verb_list.csv")
    released = pd.read_csv(verbs, keep_default_na=False).rename(
        columns={"sing": "singular", "plur": "plural"}
    )
    return {
        "published tables": {
            file.name: hashlib.sha256(file.read_bytes()).hexdigest()
            for file in sorted((shared / "published").glob("*.csv"))
        },
        "files": files_by_repository(given.loc[read_registry()["key"]]),
        "released verbs": verb_forms(released),
    }


def measured_vocabularies(shared: Path) -> str:
    """Which `forms` are single entries of which tokenizers: a row per first letter and combination."""
    from transformers import AutoTokenizer

    entries = {
        name: _entries(AutoTokenizer.from_pretrained(shared / "tokenizers" / name))
        for name in TOKENIZERS
    }
    rows: dict[tuple, list[str]] = {}
    for form in forms():
        rows.setdefault((form[0], *(int(entries[name](form)) for name in TOKENIZERS)), []).append(
            form
        )
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*TOKENIZERS, "forms"])
    writer.writerows([*held, " ".join(rows[letter, *held])] for letter, *held in sorted(rows))
    return text.getvalue()


def _entries(tokenizer) -> Callable[[str], bool]:
    """Whether a whole word inside a sentence is one vocabulary entry."""
    vocabulary = tokenizer.get_vocab()
    spaced, lower = "Ġthe" in vocabulary, "The" not in vocabulary
    return lambda word: ("Ġ" + word if spaced else word.lower() if lower else word) in vocabulary


if __name__ == "__main__":
    beside = Path(__file__).parents[2] / "shared"
    FACTS.write_text(json.dumps(measured_facts(beside), indent=1) + "\n", encoding="utf-8")
    VOCABULARIES.write_text(measured_vocabularies(beside), encoding="utf-8")
