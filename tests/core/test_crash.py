"""Runs that are killed, share a store, meet damaged files or a full disk end as an unbroken run does, byte for byte."""

import errno
import json
import subprocess
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from tse_core import InputError, evaluate, load_model, load_pairs
from tse_core.agreement import job as _job
from tse_core.agreement import shards as _shards
from tse_core.datasets import downloads
from tse_core.errors import StoreWarning
from tse_core.files import write_aside
from tse_core.results.store import Store, digest, parquet
from tse_core.results.tidy import write_results

MOMENTS = {"agreement": 10, "recorded": 5}  # longer by hand: killed_runs.py


@pytest.mark.slow
def test_runs_killed_at_random_moments_and_resumed_end_as_an_unbroken_one(tmp_path):
    """Every kind of work, in one process that imports and reads what they need once."""
    moments = [f"{kind}={count}" for kind, count in MOMENTS.items()]
    call = [sys.executable, Path(__file__).parents[1] / "killed_runs.py", tmp_path, *moments]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    for kind, count in MOMENTS.items():
        *runs, together = (row for row in rows if row["kind"] == kind)
        assert all(run["resumed"] and run["identical"] for run in runs), runs
        killed = [run for run in runs if run["killed"]]
        assert len(killed) == count, runs
        stages = {run["shards_there"] for run in killed}
        assert len(stages) >= (4 if kind == "agreement" else 2), f"{kind}: the kills hit too few stages: {stages}"
        assert together["codes"] == [0, 0] and together["parts"] == 0 and together["identical"], together


@pytest.fixture(scope="module")
def run(tmp_path_factory, tiny_causal):
    """A function: evaluate with small shards and a store; gives the bytes of the results file."""
    folder = tmp_path_factory.mktemp("crash")
    model = load_model(tiny_causal, device="cpu")
    pairs = load_pairs("marvin-linzen/simple")

    def evaluated(store=None) -> bytes:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_job, "SHARD_CONTEXTS", 4)
            write_results(evaluate(model, pairs, store=store).tidy(), folder / "results.parquet")
        return (folder / "results.parquet").read_bytes()

    return evaluated


def shards(store: Path) -> list[Path]:
    return sorted(store.glob("[0-9a-f]*/*.parquet"))


@contextmanager
def counted_shards():
    """How many shards are computed meanwhile."""
    computed = []
    with pytest.MonkeyPatch.context() as patch:
        score = _shards.score_shard
        patch.setattr(_shards, "score_shard", lambda *a: computed.append(1) or score(*a))
        yield computed


def test_damaged_and_swapped_shards_are_named_and_only_they_are_computed_again(run, tmp_path):
    unbroken = run(tmp_path)
    damaged, first, second, *_ = (path for path in shards(tmp_path) if ".contexts." in path.name)
    contents = {path: path.read_bytes() for path in (damaged, first, second)}
    damaged.write_bytes(contents[damaged][:40] + bytes([contents[damaged][40] ^ 4]) + contents[damaged][41:])
    stems, digests = zip(*(path.name.removesuffix(".parquet").rsplit(".", 1) for path in (first, second)), strict=True)
    first.rename(tmp_path / "moved")
    second.rename(second.with_name(f"{stems[0]}.{digests[1]}.parquet"))  # each with its digest in the other's place
    (tmp_path / "moved").rename(first.with_name(f"{stems[1]}.{digests[0]}.parquet"))
    with counted_shards() as computed, pytest.warns(StoreWarning) as said:
        assert run(tmp_path) == unbroken
    assert all(any(name in str(warning.message) for warning in said) for name in (damaged.name, *stems))
    assert len(computed) == 3 and {path: path.read_bytes() for path in contents} == contents


def test_tables_with_a_right_digest_that_are_not_the_shards_are_noticed(run, tmp_path):
    unbroken = run(tmp_path)
    changes = (lambda t: parquet(t.iloc[1:]), lambda t: parquet(t.drop(columns="ew_top_1")), lambda t: b"no table")
    paths = [path for path in shards(tmp_path) if ".contexts." in path.name]
    for path, change in zip(paths, changes, strict=False):
        contents = change(pd.read_parquet(path))
        path.unlink()
        path.with_name(f"{path.name.rsplit('.', 2)[0]}.{digest(path, contents)}.parquet").write_bytes(contents)
    with counted_shards() as computed, pytest.warns(StoreWarning):
        assert run(tmp_path) == unbroken
    assert len(computed) == len(changes)


def test_damaged_results_and_descriptions_are_made_again(run, tmp_path):
    unbroken = run(tmp_path)
    result = next(tmp_path.glob("results/*/*.parquet"))
    result.write_bytes(result.read_bytes()[:-10])
    with pytest.warns(StoreWarning, match="left out; `tse results gc` removes it"):
        assert run(tmp_path) == unbroken
    for about in tmp_path.glob("**/about.json"):
        about.write_text('{"identity": ')
    with warnings.catch_warnings():
        warnings.simplefilter("error", StoreWarning)
        assert run(tmp_path) == unbroken
    store = Store(tmp_path)
    assert len(store.entries("results")) == len(store.entries("work")) == 1 and store.waste(-1) == []


def test_parts_that_a_killed_run_left_do_not_matter_and_gc_finds_them_damaged_and_orphan_files(run, tmp_path):
    unbroken = run(tmp_path)
    first, damaged, *_ = shards(tmp_path)
    part = first.with_name(first.name + ".abc.part")
    part.write_bytes(first.read_bytes()[:100])
    first.unlink()
    assert run(tmp_path) == unbroken
    store, others = Store(tmp_path), [tmp_path / "thesis.part", tmp_path / "photos" / "x.0.parquet"]
    assert store.waste() == []  # a living run may own it
    damaged.write_bytes(b"?")
    store.put("0" * 24, "orphan", {"pairs": pd.DataFrame({"noise": [1.0]})})
    (orphan,) = (tmp_path / ("0" * 24)).iterdir()
    others[1].parent.mkdir()
    for other in others:
        other.write_text("mine")
    found = store.waste(older_than=-1)
    reasons = {waste.path: waste.reason.split(":")[0] for waste in found}
    assert reasons == {part: "part of a run that was stopped", damaged: "damaged", orphan: "orphan"}
    store.remove(found)
    assert not any(path.exists() for path in (part, damaged, orphan.parent))
    assert all(other.exists() for other in others) and run(tmp_path) == unbroken


def test_gc_offers_what_code_scored_that_has_changed_since(run, tmp_path, monkeypatch):
    run(tmp_path)
    store, before, numbers = Store(tmp_path), set(shards(tmp_path)), set(tmp_path.glob("results/*/*.parquet"))
    assert store.waste(older_than=-1) == [] and numbers
    for module in ("store", "work", "result_index"):
        monkeypatch.setattr(f"tse_core.results.{module}.code_digest", lambda: "0" * 12)
    run(tmp_path)
    after = set(shards(tmp_path))
    assert len(after) == 2 * len(before) and after > before  # nothing of the old code was served
    found = store.waste(older_than=-1)
    assert {waste.path for waste in found} == before | numbers
    assert {waste.reason for waste in found} == {"orphan: the code that computed it has changed"}
    store.remove(found)
    assert len(store.entries("work")) == len(store.entries("results")) == 1 and store.waste(older_than=-1) == []


def test_a_full_disk_is_one_line_and_loses_nothing_earlier(run, tmp_path):
    unbroken = run()

    def full(code: int):
        """The third file does not fit."""
        written = []

        def write(path, contents):
            if len(written) == 2:
                raise OSError(code, "no room")
            written.append(write_aside(path, contents))

        return write

    kept = {}
    for code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        with pytest.MonkeyPatch.context() as patch, pytest.raises(InputError) as raised:
            patch.setattr("tse_core.results.store.write_aside", full(code))
            run(tmp_path)
        assert all(path.read_bytes() == contents for path, contents in kept.items())
        kept = {path: path.read_bytes() for path in shards(tmp_path)}
        assert f"the {len(kept)} finished files there are kept; free some" in str(raised.value)
    finished = sum(".pairs." in path.name for path in kept)
    with counted_shards() as computed:
        assert run(tmp_path) == unbroken
    assert finished and len(computed) == 5 - finished


def test_a_download_is_written_aside_too(tiny_registry, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setenv("TSE_MIRROR", str(tiny_registry))
    monkeypatch.setattr(downloads, "write_aside", full)
    with pytest.raises(InputError, match="cannot be put into the cache .*no room"):
        downloads.fetch()
    assert set(downloads.states()["state"]) == {"missing"}
