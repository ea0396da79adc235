"""Data by name; downloads that are pinned, checked, and never half done."""

import http.server
import os
import shutil
import threading
from functools import partial

import pandas as pd
import pytest

from golden_facts import facts, files_by_repository
from tse_core.datasets import downloads
from tse_core.datasets.downloads import read_registry
from tse_core.datasets.loading import data_hash, dataset_table, load_pairs, load_sentence_pairs
from tse_core.datasets.pairs import AGREEMENT_COLUMNS, unique_contexts
from tse_core.errors import InputError

HELLO = f"owner/words/{'0' * 40}/data/hello.txt"


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TSE_MIRROR", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def real_data(shared, empty_cache, monkeypatch):
    monkeypatch.setenv("TSE_MIRROR", str(shared / "mirror"))


@pytest.fixture
def served(tiny_registry, monkeypatch):
    """The mirror's folder behind an address."""
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(tiny_registry))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    monkeypatch.setenv("TSE_MIRROR", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield tiny_registry
    server.shutdown()
    server.server_close()


def cached_files(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


FAULTS = {
    "another content": lambda mirror: (mirror / HELLO).write_bytes(b"hullo\n" * 100),
    "no such file": lambda mirror: (mirror / HELLO).unlink(),
    "no network": lambda mirror: os.environ.update(TSE_MIRROR="http://127.0.0.1:9"),
    "no folder": lambda mirror: os.environ.update(TSE_MIRROR="/nowhere"),
    "another content in a folder": lambda mirror: os.environ.update(
        TSE_MIRROR=str(mirror.parent / "data")
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_fetched_is_one_line_and_replaces_nothing(fault, served, tmp_path):
    assert downloads.fetch(["numbers"]) == 1
    FAULTS[fault](served)
    with pytest.raises(InputError, match="TSE_MIRROR") as error:
        downloads.fetch(["greetings/hello"])
    assert "\n" not in str(error.value)
    assert cached_files(tmp_path / "cache") == ["one.txt"]


def test_a_row_is_all_that_a_data_set_needs(pinned, monkeypatch):
    """A CSV with column names of its own, as agreement pairs and as sentence pairs; a collection of suites."""
    from tse_core.syntaxgym.library import list_suites, load_suite, load_suites
    from tse_core.syntaxgym.suites import to_json

    table = {"a.csv": b"satz,falsch,zahl\nshe laughs,she laugh,sg\n"}
    columns = {"good": "satz", "bad": "falsch"}
    agreement = {"holds": "agreement pairs", "format": "table"}
    spelling = {"first": "capital", "period": "add"}
    place = {"repository": "owner/mine", "commit": "0" * 40, "licence": "MIT"}
    rows = {
        "verbs": place
        | agreement
        | {"columns": columns | {"number": "zahl"}, "construction": "Own", **spelling},
        "whole": place | {"holds": "sentence pairs", "format": "table", "columns": columns},
        "here": agreement | {"columns": columns, "folder": "owner"},
        "own": place | {"holds": "suites", "format": "json"},
    }
    suite = {"own_suite.json": to_json(load_suite("lab_number_prep")).encode()}
    mirror = pinned(rows, {"verbs": table, "whole": table, "own": suite})
    monkeypatch.setenv("TSE_MIRROR", str(mirror))
    shutil.copytree(
        mirror / "owner", mirror.parent / "data" / "owner"
    )  # a data set that lies in data/
    verbs = load_pairs("verbs")[["construction", "left", "correct", "right"]]
    assert verbs.to_numpy().tolist() == [["Own", "She", "laughs", "."]]
    assert load_sentence_pairs("whole/a")[["good", "bad"]].to_numpy().tolist() == [
        ["she laughs", "she laugh"]
    ]
    here = load_pairs("here/a")[["construction", "left", "correct", "right"]]
    assert here.to_numpy().tolist() == [["a", "she", "laughs", ""]]
    assert {"verbs", "whole", "whole/a", "here/a"} <= set(dataset_table()["name"])
    assert (
        load_suite("own/own_suite").hash
        == load_suite("lab_number_prep").hash
        == load_suites("own")[0].hash
    )
    assert "own" in set(list_suites()["source"])
    with pytest.raises(InputError, match="unknown agreement data 'own'.*'own' holds suites"):
        load_pairs("own")


def test_the_registry_pins_the_public_files():
    registry = read_registry()
    assert files_by_repository(registry) == facts()["files"]
    # Creative Commons' licences of treebanks that forbid commercial use say so in words.
    licences = set(registry["licence"])
    non_commercial = {licence for licence in licences if "NC" in licence}
    assert all(licence.endswith("(non-commercial)") for licence in non_commercial)
    others = {
        "MIT",
        "CC BY 4.0",
        "Apache-2.0",
        "CC BY-SA 4.0",
        "CC BY-SA 3.0",
        "GPL-3.0",
        "LGPL-LR",
    }
    assert licences - non_commercial == others


def test_generated_templates_load_by_name_and_by_construction(empty_cache):
    simple = load_pairs("marvin-linzen/simple")
    assert not empty_cache.exists()  # nothing is downloaded
    assert list(simple.columns) == [*AGREEMENT_COLUMNS, "twin"]
    assert simple.attrs["name"] == "marvin-linzen/simple"
    assert load_pairs("marvin-linzen/simple", period="as-is")["right"].tolist()[0] == ""


@pytest.mark.slow
def test_the_papers_own_files_are_what_the_grammar_generates(real_data):
    columns = ["construction", "template", "lemma", "left", "right", "number", "correct", "wrong"]
    generated, released = load_pairs("marvin-linzen"), load_pairs("marvin-linzen-released")
    assert len(released) == len(generated)
    assert set(released[columns].itertuples(index=False)) == set(
        generated[columns].itertuples(index=False)
    )


def test_the_papers_blimp_is_one_row_of_table_2_and_its_files_are_not_the_released_ones(real_data):
    pairs = load_pairs("newman-blimp")
    assert set(pairs["construction"]) == {"BLiMP"}
    assert pairs["template"].value_counts().tolist() == [1000] * 4
    assert (pairs["number"] == "singular").sum() == 2193
    assert len(unique_contexts(pairs, "masked")) == 3993
    assert len(unique_contexts(pairs, "causal", "released")) == 2768
    assert len(unique_contexts(pairs, "causal", "exact")) == 2779
    assert pairs["correct"].str.contains("'").sum() == 1279
    name = "distractor_agreement_relative_clause"
    ours, theirs = load_sentence_pairs(f"newman-blimp/{name}"), load_sentence_pairs(f"blimp/{name}")
    assert len(ours) == 1000 and not set(ours["good"]) & set(theirs["good"])


def test_a_hash_stands_for_the_contents():
    pairs = load_pairs("marvin-linzen/simple")
    assert data_hash(pairs) == data_hash(load_pairs("marvin-linzen/simple"))
    assert data_hash(pairs) == data_hash(pairs[pairs.columns[::-1]])
    assert (
        data_hash(pairs.iloc[1:])
        != data_hash(pairs)
        != data_hash(pairs.replace("laughs", "laughed"))
    )
    assert data_hash(pd.DataFrame({"a": ["x", "y"]})) == "6b3a966e"  # sha256 of "a\x1fx\x1fy\x1e"


def test_nouns_are_part_of_a_hash_unless_the_subjects_spell_them_so():
    subjects = pd.DataFrame({"subject": ["Key", "keys", "key"]})
    spelled = ["Key", "key", "key"]
    assert data_hash(subjects.assign(noun=spelled)) == data_hash(subjects)
    hashes = {data_hash(subjects.assign(noun=nouns)) for nouns in (spelled, "key", "Key", "lock")}
    assert len(hashes) == 4


def test_texts_that_hold_the_separators_of_a_hash_are_told_apart():
    tables = [
        {"a": ["x\x1fy", "z"]},
        {"a": ["x", "y\x1fz"]},
        {"a": ["x", "y", "z"]},
        {"a": ["x", "y\x1eb\x1fz"]},
        {"a": ["x", "y"], "b": ["z", ""]},
        {"a": ["x", "y\x1eb"], "b": ["z", ""]},
    ]
    assert len({data_hash(pd.DataFrame(table)) for table in tables}) == len(tables)
