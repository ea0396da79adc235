"""A profile of the paper's models rehearsed: a stand-in for the hub, and a few sentences of each data set.

    python tests/rehearse.py paper                       # every step of the book; the same for base
    python tests/rehearse.py paper score notebook:table2     # some of its steps

The repository is copied (into a folder whose name has spaces and letters beyond ASCII), its grammars lose most of their
words there and its downloads most of their lines; nothing else differs from `make book PROFILE=...` on a machine with
an empty cache and a network. The models are random: no number of such a book means anything.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]
from hub import serving, write_models  # noqa: E402

SHARED = (
    ROOT.parent / "shared"
)  # tokenizers and the downloads, where they lie beside the repository
LINES = 2  # how many lines of each downloaded file, and items of each pattern, are kept
DATA = ("blimp", "newman-blimp", "newman-verbs", "syntaxgym")


def main(profile: str, *steps: str) -> int:
    """Run steps of the book in a copy of the repository; returns the exit code."""
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        book = trimmed(place)
        settings = settings_for(place, book / "src") | {
            "PROFILE": profile,
            "LIVE": "0",
            "TSE_STORE": f"{place}/store",
        }
        (place / "verbs.txt").write_text("accept\naccrue\nadmire\nabseil\nyodel\nbehave\n")
        make = [sys.executable, "data/lemmas/giant_verb_list.py", str(place / "verbs.txt")]
        subprocess.run(make, check=True, env=settings, cwd=book)
        with serving(stand_ins(place)) as hub:
            settings["HF_ENDPOINT"] = str(hub)
            return subprocess.run(
                [sys.executable, "-m", "doit", "-n", "2", *steps], cwd=book, env=settings
            ).returncode


def settings_for(place: Path, path: Path) -> dict[str, str]:
    """The environment of a program that finds everything below a place; `path` is Python's."""
    names = {"HF_HOME": "hf", "TSE_CACHE": "cache", "TSE_MIRROR": "mirror"}
    own = {name: str(place / folder) for name, folder in names.items()}
    return (
        os.environ | own | {"PYTHONPATH": str(path), "PYTHONOPTIMIZE": "1"}
    )  # exercises count the whole data


def trimmed(place: Path) -> Path:
    """A copy of the repository with little data in it, beside the mirror of what it would download."""
    book = place / "ein Ordner, 例 é"
    generated = shutil.ignore_patterns(
        ".git", ".venv*", "_build", "store", "__pycache__", ".*_cache", ".hypothesis"
    )
    shutil.copytree(ROOT, book, ignore=generated)
    trim_data(book, place / "mirror")
    guards = (
        book / "src" / "tse_book" / "pages" / "notebook.py"
    )  # no sentence about numbers holds with so little data
    guards.write_text(guards.read_text().replace("    if not holds:\n", "    if False:\n"))
    sizes = (
        book / "src" / "tse_book" / "pages" / "profiles.py"
    )  # in GB, of the models whose place the small ones take
    sizes.write_text(re.sub(r'("[a-z0-9-]+": )[0-9]\.[0-9]+', r"\g<1>0.01", sizes.read_text()))
    return book


def stand_ins(place: Path) -> Path:
    """The folder of the stand-in models, for `serving`; with the real tokenizers where these are at hand."""
    tokenizers = SHARED / "tokenizers"
    return write_models(
        place / "repositories", tokenizers=tokenizers if tokenizers.is_dir() else None
    )


def trim_data(book: Path, mirror: Path) -> None:
    """The first and the last word of each of the grammars' lists; fewer lines in what is downloaded, with checksums."""
    from tse_core.datasets import downloads
    from tse_core.errors import InputError

    for file in (ROOT / "data" / "grammars").glob("*.yaml"):
        grammar = yaml.safe_load(file.read_text())
        for lists in grammar["lexicon"].values():
            for name, entries in lists.items():
                lists[name] = [entries[0], entries[-1]]
        if "items" in grammar:
            grammar["items"] = LINES
        (book / "data" / "grammars" / file.name).write_text(
            yaml.safe_dump(grammar, sort_keys=False)
        )
    if (SHARED / "mirror").is_dir():
        os.environ.setdefault("TSE_MIRROR", str(SHARED / "mirror"))
    try:
        downloads.fetch(DATA)
    except InputError as error:
        raise SystemExit(f"the rehearsal needs the data sets {', '.join(DATA)}: {error}") from None
    datasets = (ROOT / "data" / "datasets.yaml").read_text()
    for row in downloads.select(DATA).itertuples():
        content = downloads.path_of(row.key).read_bytes()
        if row.path.endswith(".jsonl"):
            content = b"".join(content.splitlines(keepends=True)[:LINES])
        (mirror / row.key).parent.mkdir(parents=True, exist_ok=True)
        (mirror / row.key).write_bytes(content)
        trimmed = f"{len(content)} {hashlib.sha256(content).hexdigest()}"
        datasets = datasets.replace(
            f"{row.path}: {row.bytes} {row.sha256}", f"{row.path}: {trimmed}"
        )
    (book / "data" / "datasets.yaml").write_text(datasets)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
