"""Runs that are killed, share a store, meet damaged files or a full disk end as an unbroken run does, byte for byte."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

from tse_core import InputError, evaluate, load_model, load_pairs
from tse_core.agreement import pieces as pipeline
from tse_core.errors import TseWarning
from tse_core.files import write_aside
from tse_core.results.parquet import read_tables, write_tables
from tse_core.results.store import Store
from tse_core.results.tidy import write_results

AT_ONCE = 4  # contexts of a piece
CHILD = f"""
import sys
from tse_core import evaluate, load_model, load_pairs
from tse_core.agreement import pieces as pipeline
pipeline.AT_ONCE = {AT_ONCE}
evaluate(load_model(sys.argv[1], device="cpu"), load_pairs("marvin-linzen/simple"), store=sys.argv[2])
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory, tiny_causal):
    """A function: evaluate with small pieces and a store; gives the bytes of the results file."""
    folder = tmp_path_factory.mktemp("crash")
    model = load_model(tiny_causal, device="cpu")
    pairs = load_pairs("marvin-linzen/simple")

    def evaluated(store: Path) -> bytes:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pipeline, "AT_ONCE", AT_ONCE)
            write_results(evaluate(model, pairs, store=store).tidy(), folder / "results.parquet")
        return (folder / "results.parquet").read_bytes()

    return evaluated


@pytest.fixture(scope="module")
def unbroken(run, tmp_path_factory) -> tuple[bytes, Path]:
    """The bytes of an unbroken run's results, and the store that it left."""
    folder = tmp_path_factory.mktemp("unbroken")
    return run(folder), folder


@pytest.fixture
def store(unbroken, tmp_path) -> Path:
    return shutil.copytree(unbroken[1], tmp_path / "store")


def pieces(store: Path) -> list[Path]:
    return sorted(store.glob("*/*/*.parquet"))


@pytest.mark.slow
def test_two_runs_that_share_a_store_and_are_killed_are_resumed_to_the_same_bytes(
    run, unbroken, tiny_causal, tmp_path
):
    """Both are killed as soon as two pieces are there."""
    first_pieces = 2
    children = [
        subprocess.Popen([sys.executable, "-c", CHILD, tiny_causal, tmp_path]) for _ in range(2)
    ]
    while len(pieces(tmp_path)) < first_pieces and children[0].poll() is None:
        time.sleep(0.001)
    for child in children:
        child.kill()
        assert child.wait() in (0, -signal.SIGKILL)
    with counted_pieces() as computed:
        assert run(tmp_path) == unbroken[0]
    assert len(computed) + first_pieces <= len(pieces(unbroken[1]))


@contextmanager
def counted_pieces():
    """How many pieces are computed meanwhile."""
    computed = []
    with pytest.MonkeyPatch.context() as patch:
        score = pipeline.score_contexts
        patch.setattr(pipeline, "score_contexts", lambda *a: computed.append(1) or score(*a))
        yield computed


def with_a_changed_byte(path, others):
    contents = path.read_bytes()
    path.write_bytes(contents[:40] + bytes([contents[40] ^ 4]) + contents[41:])


def without_a_table(path, others):
    tables, facts = read_tables(path)
    write_tables(path, {"contexts": tables["contexts"]}, facts)


DAMAGES = {
    "a changed byte": with_a_changed_byte,
    "empty": lambda path, others: path.write_bytes(b""),
    "another piece": lambda path, others: path.write_bytes(others[0].read_bytes()),
    "fewer tables": without_a_table,
}
if os.name == "posix":
    DAMAGES |= {
        "a pipe": lambda path, others: path.unlink() or os.mkfifo(path),
        "a link to nothing": lambda path, others: (
            path.unlink() or path.symlink_to(path.with_name("nothing"))
        ),
    }


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_piece_that_cannot_be_used_is_named_and_it_alone_computed_again(
    run, unbroken, store, damage
):
    path, *others = pieces(store)
    DAMAGES[damage](path, others)
    with counted_pieces() as computed, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert run(store) == unbroken[0]
    assert len(computed) == 1
    told = [str(warning.message) for warning in said if "computed again" in str(warning.message)]
    assert all(path.name in text for text in told) and (told or damage == "fewer tables")
    with counted_pieces() as computed:
        assert run(store) == unbroken[0] and not computed


@pytest.mark.slow
def test_damaged_numbers_are_left_out_and_made_again(run, unbroken, store):
    (result,) = store.glob("scores/*.parquet")
    result.write_bytes(result.read_bytes()[:-10])
    with pytest.warns(TseWarning, match="it is left out"):
        assert Store(store).numbers().empty
    with pytest.warns(TseWarning, match="it is left out"):
        assert run(store) == unbroken[0]
    assert not Store(store).numbers().empty


@pytest.mark.slow
def test_a_full_disk_is_one_line_and_loses_nothing_earlier(run, unbroken, tmp_path):
    def full(code: int):
        """The third file does not fit."""
        written = []

        def write(path, contents):
            if len(written) == 2:
                raise OSError(code, "no room")
            written.append(write_aside(path, contents))

        return write

    kept: dict[Path, bytes] = {}
    for code in (errno.ENOSPC, errno.EDQUOT):
        with (
            pytest.MonkeyPatch.context() as patch,
            pytest.raises(InputError, match="finished files are kept; free"),
        ):
            patch.setattr("tse_core.results.parquet.write_aside", full(code))
            run(tmp_path)
        assert all(path.read_bytes() == contents for path, contents in kept.items())
        kept = {path: path.read_bytes() for path in pieces(tmp_path)}
    with counted_pieces() as computed:
        assert run(tmp_path) == unbroken[0]
    assert len(kept) == 4 and len(computed) == 1
