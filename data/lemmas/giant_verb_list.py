"""Make newman-full, the paper's list of 3,562 verbs: the authors' released rows united with the Giant Verb List.

The Giant Verb List is a PDF of 3,250 verbs for writers (ADDRESS, as the appendix of Newman et al. 2021 gives it), which
each reader downloads, as it may not be redistributed. Its verbs stand behind numbers on pages 7 to 32, some of them
starred. The authors' spelling rule (scripts/create_combined_verb_list.py of refining-tse) gives their third persons;
`be` is skipped, since the released rows hold is/are, and `breath` is read as `breathe`. What else is known of an added
verb comes from the inflection library lemminflect.

    python data/lemmas/giant_verb_list.py Giant-Verb-List-3250-Verbs.pdf

FILE may also be a text with one verb a line. The list is kept in the user's cache, where `load_lemmas("newman-full")`
and `--lemmas newman-full` find it. The counts are printed beside the paper's.
"""

import re
import sys
from pathlib import Path

import pandas as pd

from tse_core.datasets.lemmas import full_list_file, load_lemmas

ADDRESS = "https://patternbasedwriting.com/1/Giant-Verb-List-3250-Verbs.pdf"
VERBS, LEMMAS = 3250, 3562  # as the paper counts them
PAGES = slice(6, 32)
ENTRY = re.compile(r"\d+\.\s*\*?\s*([^\W\d_]+(?:[-'’][^\W\d_]+)*)")


def read_verbs(path: Path) -> list[str]:
    """The verbs of the published PDF, or of a text with one verb a line, in their order."""
    if path.suffix.lower() != ".pdf":
        lines = [line.strip().lower() for line in path.read_text(encoding="utf-8").splitlines()]
        return [line for line in lines if line and not line.startswith("#")]
    from pypdf import PdfReader  # a text needs no reader of PDFs

    texts = [page.extract_text() for page in PdfReader(path).pages[PAGES]]
    lines = [line.strip() for text in texts for line in text.splitlines()]
    return [
        verb.lower() for line in lines if re.match(r"\d+\.", line) for verb in ENTRY.findall(line)
    ]


def third_person(verb: str) -> str:
    """The third person singular by the plain spelling rule behind the published list.

    have -> has; consonant + y -> ies; after sh, s, x, ch, z, o -> es; else s. Wrong for quiz, stomach and woo.

    >>> [third_person(verb) for verb in ("have", "try", "play", "pass", "go", "walk")]
    ['has', 'tries', 'plays', 'passes', 'goes', 'walks']
    """
    if verb == "have":
        return "has"
    if verb.endswith("y") and verb[-2:-1] not in ("a", "e", "i", "o", "u"):
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("sh", "s", "x", "ch", "z", "o")) else "s")


def united(verbs: list[str]) -> pd.DataFrame:
    """The released rows and those of the verbs; a row that both have counts once."""
    released = load_lemmas("newman-released").table.drop(columns="band")
    verbs = ["breathe" if verb == "breath" else verb for verb in verbs if verb != "be"]
    added = pd.DataFrame(
        {"lemma": verbs, "singular": [third_person(verb) for verb in verbs], "plural": verbs}
    )
    added = added.merge(described(verbs, released), on="plural")
    return pd.concat([released, added]).drop_duplicates(["singular", "plural"], ignore_index=True)


def described(verbs: list[str], released: pd.DataFrame) -> pd.DataFrame:
    """Past form, homograph, noun and left_out of each verb: as the released rows have them, else by lemminflect."""
    from lemminflect import getAllInflections, getInflection

    rows = released[["plural", "past", "homograph", "noun", "left_out"]].drop_duplicates("plural")
    known, new = set(rows["plural"]), []
    for verb in dict.fromkeys(verbs):
        if verb not in known:
            past = next(iter(getInflection(verb, "VBD")), "")
            noun = bool(getAllInflections(verb, "NOUN"))
            new.append((verb, past, "past" if past == verb else "", noun, ""))
    return pd.concat([rows, pd.DataFrame(new, columns=list(rows))], ignore_index=True)


def main(path: Path) -> None:
    verbs = read_verbs(path)
    if not verbs:
        sys.exit(f"{path}: no verb found; it must be the published PDF, or hold one verb a line")
    table = united(verbs)
    for what, found, expected in (
        ("verbs in the file", len(verbs), VERBS),
        ("lemmas", len(table), LEMMAS),
    ):
        print(f"{what}: {found:,}; the paper has {expected:,} ({found - expected:+,})")
    file = full_list_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    table.assign(noun=table["noun"].map({True: "yes", False: "no"})).to_csv(file, index=False)
    print(f"newman-full is in {file}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: python {sys.argv[0]} FILE, the Giant Verb List: {ADDRESS}")
    main(Path(sys.argv[1]))
