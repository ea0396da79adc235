"""A profile of the paper's models rehearsed: a stand-in for the hub, and a few sentences of each data set.

    python tests/rehearse.py paper                       # every step of the book; the same for base
    python tests/rehearse.py paper score notebook:03_table2     # some of its steps
    python tests/rehearse.py paper --folder PLACE        # in a folder that stays, so that a second run goes on there

The repository is copied (into a folder whose name has spaces and letters beyond ASCII), its grammars lose most of their
words there and its downloads most of their lines; nothing else differs from `make book PROFILE=...` on a machine with
an empty cache and a network. The models are random: no number of such a book means anything.
"""

import argparse
import ast
import hashlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]
from hub import serving, write_models  # noqa: E402

SHARED = ROOT.parent / "shared"  # tokenizers and the downloads, where they lie beside the repository
LINES = 2  # how many lines of each downloaded file, and items of each pattern, are kept
DATA = ("blimp", "newman-blimp", "newman-verbs", "syntaxgym")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("profile", help="paper or base")
    parser.add_argument("steps", nargs="*", help="of `doit list --all`; all by default")
    parser.add_argument("--folder", type=Path, help="where to; a temporary one by default")
    parser.add_argument("--without-list", action="store_true", help="no Giant Verb List: the released one takes over")
    options = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = options.folder or Path(temporary)
        return rehearse(place, options.profile, options.steps, not options.without_list)


def rehearse(place: Path, profile: str, steps: list[str], full_list: bool) -> int:
    """Run steps of the book in a copy of the repository; returns the exit code."""
    book = trimmed(place)
    settings = os.environ | {
        "PROFILE": profile, "PYTHONPATH": str(book / "src"), "HF_HOME": str(place / "hf"), "LIVE": "0",
        "TSE_CACHE": str(place / "cache"), "TSE_MIRROR": str(place / "mirror"), "TSE_STORE": str(place / "store"),
    }  # fmt: skip
    if full_list:
        (place / "verbs.txt").write_text("accept\naccrue\nadmire\nabseil\nyodel\nbehave\n")
        make = [sys.executable, "data/lemmas/giant_verb_list.py", str(place / "verbs.txt")]
        subprocess.run(make, check=True, env=settings, cwd=book)
    started = time.perf_counter()
    with serving(stand_ins(place)) as hub:
        settings["HF_ENDPOINT"] = str(hub)
        done = subprocess.run([sys.executable, "-m", "doit", "-n", "2", *steps], cwd=book, env=settings)
    minutes = (time.perf_counter() - started) / 60
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
    print(f"profile {profile}: {minutes:.1f} minutes, largest process {peak:.1f} GB, exit code {done.returncode}")
    return done.returncode


def trimmed(place: Path) -> Path:
    """A copy of the repository with little data in it, beside the mirror of what it would download."""
    book = copy(place / "ein Ordner, 例 é")
    trim_data(book, place / "mirror")
    without_asserts(book / "notebooks" / "01_data.ipynb")  # its exercises count what the whole grammar makes
    guards = book / "src" / "tse_book" / "pages" / "notebook.py"  # no sentence about numbers holds with so little data
    guards.write_text(guards.read_text().replace("    if not holds:\n", "    if False:\n"))
    sizes = book / "src" / "tse_book" / "pages" / "profiles.py"  # in GB, of the models whose place the small ones take
    sizes.write_text(re.sub(r'("[a-z0-9-]+": )[0-9]\.[0-9]+', r"\g<1>0.01", sizes.read_text()))
    return book


def without_asserts(file: Path) -> None:
    """Take the assertions out of a notebook's cells."""
    notebook = json.loads(file.read_text())
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and "assert" in "".join(cell["source"]):
            tree = ast.parse("".join(cell["source"]))
            tree.body = [node for node in tree.body if not isinstance(node, ast.Assert)]
            cell["source"] = ast.unparse(tree)
    file.write_text(json.dumps(notebook))


def stand_ins(place: Path) -> Path:
    """The folder of the stand-in models, for `serving`; with the real tokenizers where these are at hand."""
    tokenizers = SHARED / "tokenizers"
    if not (place / "repositories").is_dir():
        write_models(place / "repositories", tokenizers=tokenizers if tokenizers.is_dir() else None)
    return place / "repositories"


def copy(target: Path) -> Path:
    """The repository's files as they lie here; generated ones stay where they are."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    for name in names:
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            if not (target / name).exists() or (target / name).read_bytes() != (ROOT / name).read_bytes():
                shutil.copy2(ROOT / name, target / name)
    return target


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
        (book / "data" / "grammars" / file.name).write_text(yaml.safe_dump(grammar, sort_keys=False))
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
        datasets = datasets.replace(f"{row.path}: {row.bytes} {row.sha256}", f"{row.path}: {trimmed}")
    (book / "data" / "datasets.yaml").write_text(datasets)


if __name__ == "__main__":
    sys.exit(main())
