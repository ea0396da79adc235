"""Data by name; downloads that are pinned, checked, and never half done."""

import hashlib
import http.server
import json
import os
import threading

import pandas as pd
import pytest

from golden_facts import facts, files_by_repository
from tse_core.datasets import downloads
from tse_core.datasets.named import dataset_table
from tse_core.datasets.names import data_hash, load_pairs, load_sentence_pairs
from tse_core.datasets.pairs import AGREEMENT_COLUMNS, unique_contexts
from tse_core.datasets.registry import read_registry
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
    """The mirror's folder behind an address; ``served.cut`` makes it stop in the middle of a file."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        cut = False

        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(tiny_registry))

        def log_message(self, *_):
            pass

        def copyfile(self, source, outputfile):
            content = source.read()
            outputfile.write(content[: len(content) // 2] if self.cut else content)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    monkeypatch.setenv("TSE_MIRROR", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield Handler
    server.shutdown()
    server.server_close()


def cached_files(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def states(names=("all",)):
    return downloads.states(names)["state"].tolist()


def test_a_fetched_file_is_the_mirrors(tiny_registry, tmp_path, monkeypatch):
    monkeypatch.setenv("TSE_MIRROR", str(tiny_registry))
    assert downloads.fetch(["greetings"]) == 2
    assert downloads.path_of(HELLO).read_bytes() == (tiny_registry / HELLO).read_bytes()
    assert states() == ["cached", "cached", "missing"]
    assert downloads.fetch(["greetings"]) == 0
    assert cached_files(tmp_path / "cache") == ["bye.txt", "hello.txt"]


def test_another_cache_serves_as_a_mirror(tiny_registry, tmp_path, monkeypatch):
    monkeypatch.setenv("TSE_MIRROR", str(tiny_registry))
    downloads.fetch()
    monkeypatch.setenv("TSE_MIRROR", str(tmp_path / "cache" / "data"))
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "second"))
    assert downloads.fetch() == 3


def test_one_flipped_byte_is_found_and_fetch_repairs_it(tiny_registry, monkeypatch):
    monkeypatch.setenv("TSE_MIRROR", str(tiny_registry))
    downloads.fetch()
    file = downloads.path_of(HELLO)
    content = bytearray(file.read_bytes())
    content[7] ^= 1
    file.write_bytes(content)
    table = downloads.states()
    assert table.loc[table["state"] == "damaged", "name"].tolist() == ["greetings/hello"]
    assert downloads.fetch() == 1
    assert states() == ["cached"] * 3


def test_progress_hears_of_every_file(tiny_registry, monkeypatch):
    monkeypatch.setenv("TSE_MIRROR", str(tiny_registry))
    heard = []
    downloads.fetch(["all"], lambda name, size: heard.append((name, size)))
    assert heard == [("greetings/hello", 600), ("greetings/bye", 400), ("numbers/one", 2)]


def test_a_mirror_with_another_content_is_refused_and_leaves_nothing(tiny_registry, tmp_path, monkeypatch):
    monkeypatch.setenv("TSE_MIRROR", str(tiny_registry))
    (tiny_registry / HELLO).write_bytes(b"hullo\n" * 100)
    with pytest.raises(InputError, match="another checksum.*TSE_MIRROR") as error:
        downloads.fetch(["greetings/hello"])
    assert "\n" not in str(error.value)
    assert cached_files(tmp_path / "cache") == []


def test_a_failed_repair_does_not_replace_what_is_there(tiny_registry, tmp_path, monkeypatch):
    monkeypatch.setenv("TSE_MIRROR", str(tiny_registry))
    downloads.fetch(["numbers"])
    (tiny_registry / HELLO).unlink()
    with pytest.raises(InputError, match="greetings/hello: .* does not exist; set TSE_MIRROR"):
        downloads.fetch(["all"])
    assert cached_files(tmp_path / "cache") == ["one.txt"]


def test_a_cut_off_download_is_refused_and_leaves_nothing(served, tmp_path):
    served.cut = True
    with pytest.raises(InputError, match=r"greetings/hello: .*(broke off|checksum).*TSE_MIRROR") as error:
        downloads.fetch(["greetings/hello"])
    assert "\n" not in str(error.value)
    assert cached_files(tmp_path / "cache") == []
    served.cut = False
    assert downloads.fetch(["greetings/hello"]) == 1 and states(["greetings/hello"]) == ["cached"]


def test_an_address_without_the_file_says_so(served, tiny_registry, tmp_path):
    (tiny_registry / HELLO).unlink()
    with pytest.raises(InputError, match="the server answers 404.*TSE_MIRROR"):
        downloads.fetch(["greetings/hello"])
    assert cached_files(tmp_path / "cache") == []


@pytest.mark.parametrize("address", [f"http://{'a' * 70}.example", "http://[::1"])
def test_an_address_or_a_redirection_that_cannot_be_read_is_one_line(served, tmp_path, monkeypatch, address):
    def redirected(handler):
        handler.send_response(302)
        handler.send_header("Location", address)
        handler.end_headers()

    monkeypatch.setattr(served, "do_GET", redirected)
    for mirror in (os.environ["TSE_MIRROR"], address):
        monkeypatch.setenv("TSE_MIRROR", mirror)
        with pytest.raises(InputError, match="greetings/hello: .*cannot be downloaded.*TSE_MIRROR") as error:
            downloads.fetch(["greetings/hello"])
        assert "\n" not in str(error.value)
    assert cached_files(tmp_path / "cache") == []


def test_without_a_network_the_message_names_the_variable(tiny_registry, tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "ADDRESS", "http://127.0.0.1:9")  # the discard port: nobody listens
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(InputError, match="no connection.*TSE_MIRROR") as error:
        downloads.fetch(["numbers"])
    assert "\n" not in str(error.value)
    assert cached_files(tmp_path / "cache") == []


def test_a_mirror_that_is_no_folder_is_named(tiny_registry, tmp_path, monkeypatch):
    monkeypatch.setenv("TSE_MIRROR", str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match="TSE_MIRROR is '.*nowhere', which is neither a folder nor"):
        downloads.fetch(["numbers"])


def test_reading_copies_from_a_mirror_folder_but_never_downloads(tiny_registry, served, monkeypatch):
    with pytest.raises(InputError, match="numbers/one is not downloaded yet: run `tse data fetch numbers`.*TSE_MIRROR"):
        downloads.files("numbers")  # TSE_MIRROR is an address here
    monkeypatch.setenv("TSE_MIRROR", str(tiny_registry))
    assert [path.read_text() for path in downloads.files("numbers")] == ["1\n"]
    monkeypatch.delenv("TSE_MIRROR")
    assert len(downloads.files("numbers")) == 1
    downloads.files("numbers")[0].write_text("2\n")
    with pytest.raises(InputError, match="numbers/one was changed or cut off .*tse data fetch"):
        downloads.files("numbers")


def test_an_unknown_download_lists_what_there_is(tiny_registry):
    with pytest.raises(InputError, match="did you mean 'greetings'.*there is: all, greetings, numbers"):
        downloads.select(["greeting"])
    with pytest.raises(InputError, match="there is: greetings/bye, greetings/hello"):
        downloads.select(["greetings/nought"])


def test_of_many_downloads_the_likeliest_are_listed():
    with pytest.raises(InputError, match="did you mean 'blimp/wh_island'.*67 in all") as error:
        downloads.select(["blimp/wh_iland"])
    assert len(str(error.value)) < 400


def test_a_row_is_all_that_a_data_set_needs(tmp_path, monkeypatch):
    """A CSV with column names of its own, as agreement pairs and as sentence pairs; a collection of suites."""
    from tse_core.syntaxgym.library import list_suites, load_suite, load_suites
    from tse_core.syntaxgym.suites import write_suite

    place = tmp_path / "owner" / "mine" / ("0" * 40)
    (place / "other").mkdir(parents=True)
    (place / "a.csv").write_text("satz,falsch,zahl\nshe laughs,she laugh,sg\n")
    write_suite(load_suite("lab_number_prep"), place / "own_suite.json")
    write_suite(load_suite("lab_npz_obj"), place / "other" / "own_suite.json")
    row = {"repository": "owner/mine", "commit": "0" * 40, "licence": "MIT"}
    columns = {"good": "satz", "bad": "falsch"}

    def pinned(name):
        content = (place / name).read_bytes()
        return {name: f"{len(content)} {hashlib.sha256(content).hexdigest()}"}

    table = row | {"format": "table", "files": pinned("a.csv")}
    rows = {
        "verbs": table | {"holds": "agreement pairs", "columns": columns | {"number": "zahl"}, "construction": "Own"},
        "whole": table | {"holds": "sentence pairs", "columns": columns},
        "own": row | {"holds": "suites", "format": "json", "files": pinned("own_suite.json")},
        "other": row | {"holds": "suites", "format": "json", "files": pinned("other/own_suite.json")},
    }
    (tmp_path / "datasets.yaml").write_text(json.dumps(rows))
    monkeypatch.setattr("tse_core.datasets.registry.data_folder", lambda: tmp_path)
    monkeypatch.setenv("TSE_MIRROR", str(tmp_path))
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    assert load_pairs("verbs")[["construction", "left", "correct"]].to_numpy().tolist() == [["Own", "She", "laughs"]]
    assert load_sentence_pairs("whole/a")[["good", "bad"]].to_numpy().tolist() == [["she laughs", "she laugh"]]
    assert {"verbs", "whole", "whole/a"} <= set(dataset_table()["name"])
    assert load_suite("own/own_suite").items == load_suite("lab_number_prep").items
    assert len(load_suites("own")) == 1 and "own" in set(list_suites()["source"])
    other = load_suite("other/own_suite")
    assert load_suites("other")[0].items == other.items != load_suites("own")[0].items  # a name that both have
    with pytest.raises(InputError, match="unknown agreement data 'own'.*'own' holds suites"):
        load_pairs("own")


def test_the_registry_pins_the_public_files():
    registry = read_registry()
    assert files_by_repository(registry) == facts()["files"]
    assert registry.groupby("dataset").size().to_dict() == {
        "blimp": 67,
        "clams/de": 7,
        "clams/en": 15,
        "clams/fr": 7,
        "clams/he": 7,
        "clams/ru": 7,
        "marvin-linzen-released": 15,
        "newman-blimp": 4,
        "newman-verbs": 1,
        "syntaxgym": 34,
    }
    assert set(registry["licence"]) == {"MIT", "CC BY 4.0", "Apache-2.0"}


def test_nothing_is_downloaded_unless_asked_for(empty_cache):
    for load, name in ((load_pairs, "newman-blimp"), (load_sentence_pairs, "blimp/adjunct_island")):
        with pytest.raises(InputError, match=f"not downloaded yet: run `tse data fetch {name}`, or set TSE_MIRROR"):
            load(name)
    assert not empty_cache.exists()


def test_generated_templates_load_by_name_and_by_construction(empty_cache):
    assert len(load_pairs("marvin-linzen")) == 121_220
    simple = load_pairs("marvin-linzen/simple")
    assert list(simple.columns) == [*AGREEMENT_COLUMNS, "twin"]
    assert len(simple) == 140
    assert simple.attrs["name"] == "marvin-linzen/simple"
    assert load_pairs("marvin-linzen/simple", period=False)["right"].tolist()[0] == ""


@pytest.mark.slow
def test_the_papers_own_files_are_what_the_grammar_generates(real_data):
    columns = ["construction", "template", "lemma", "left", "right", "number", "correct", "wrong"]
    generated, released = load_pairs("marvin-linzen"), load_pairs("marvin-linzen-released")
    assert len(released) == len(generated)
    assert set(released[columns].itertuples(index=False)) == set(generated[columns].itertuples(index=False))


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


def test_the_papers_blimp_is_one_construction_and_loads_by_file(in_place_of_downloads):
    line = '{{"sentence_good": "the {0} sings", "sentence_bad": "the {0} sing", "label": -1}}\n'
    files = [name for name in read_registry()["name"] if name.startswith("newman-blimp/")]
    nouns = dict(zip(files, ("owl", "fox", "hen", "cat"), strict=True))
    released = "blimp/distractor_agreement_relative_clause"
    in_place_of_downloads({name: line.format(noun) for name, noun in (nouns | {released: "goat"}).items()})
    pairs = load_pairs("newman-blimp")
    assert set(pairs["construction"]) == {"BLiMP"}
    assert pairs["template"].tolist() == [name.removeprefix("newman-blimp/") for name in files]
    assert pairs["left"].tolist() == [f"The {noun}" for noun in nouns.values()]
    assert load_pairs(files[2])["left"].tolist() == [f"The {nouns[files[2]]}"]
    same_name = f"newman-{released}"
    assert load_sentence_pairs(same_name)["good"].tolist() == [f"The {nouns[same_name]} sings."]
    assert load_sentence_pairs(released)["good"].tolist() == ["the goat sings"]


def test_agreement_data_serve_as_sentence_pairs():
    pairs = load_sentence_pairs("marvin-linzen/simple")
    assert pairs.iloc[0][["good", "bad"]].tolist() == ["The author laughs.", "The author laugh."]


def test_a_readers_own_files_load_by_path(tmp_path):
    file = tmp_path / "mine.jsonl"
    file.write_text('{"sentence_good": "she laughs", "sentence_bad": "she laugh", "label": -1}\n')
    assert load_pairs(file)["construction"].tolist() == ["mine"]
    assert load_sentence_pairs(str(file))["paradigm"].tolist() == ["mine"]
    grammar = tmp_path / "own.yaml"
    grammar.write_text(
        "lexicon: {nouns: {n: [cat/cats]}, predicates: {v: [sleeps/sleep]}}\n"
        'constructions: {own: {patterns: {own_1: "my [n 1] [*v 1]"}}}\n'
    )
    assert load_pairs(grammar)["left"].tolist() == ["My cat", "My cats"]


@pytest.mark.parametrize(
    ("load", "name", "message"),
    [
        (load_pairs, "marvin-linsen", "did you mean 'marvin-linzen'.*marvin-linzen-released, newman-blimp"),
        (load_pairs, "newman-blimp/x", "there is: newman-blimp/distractor_agreement_relational_noun"),
        (load_sentence_pairs, "blmp", "did you mean 'blimp'"),
    ],
)
def test_an_unknown_name_lists_what_there_is(load, name, message):
    with pytest.raises(InputError, match=message) as error:
        load(name)
    assert "\n" not in str(error.value)


def test_a_hash_stands_for_the_contents():
    pairs = load_pairs("marvin-linzen/simple")
    assert data_hash(pairs) == data_hash(load_pairs("marvin-linzen/simple"))
    assert data_hash(pairs) == data_hash(pairs[pairs.columns[::-1]])
    changed = pairs.copy()
    changed.loc[17, "correct"] = "laughed"
    assert data_hash(changed) != data_hash(pairs)
    assert data_hash(pairs.iloc[1:]) != data_hash(pairs)
    assert data_hash(pd.DataFrame({"a": ["x", "y"]})) == "6b3a966e"  # sha256 of "a\x1fx\x1fy\x1e"


@pytest.mark.slow
def test_everything_listed_can_be_loaded(real_data):
    table = dataset_table()
    assert table["name"].is_unique
    others = table["name"].str.contains("clams/(?:en|fr|de|ru)|clams/he$")  # one language's constructions will do
    for row in table[table["name"].str.contains("/") & ~others].itertuples():
        load = load_pairs if row.holds == "agreement pairs" else load_sentence_pairs
        assert len(load(row.name)) > 0


def test_a_folder_of_files_in_data_is_a_set_of_paradigms(tmp_path, monkeypatch):
    folder = tmp_path / "laboratory" / "paradigms"
    folder.mkdir(parents=True)
    for name in ("agreement", "reflexives"):
        (folder / f"{name}.jsonl").write_text('{"sentence_good": "a b", "sentence_bad": "a c"}\n' * 2)
    monkeypatch.setattr("tse_core.datasets.named.data_folder", lambda: tmp_path)
    assert load_sentence_pairs("laboratory")["paradigm"].tolist() == ["agreement"] * 2 + ["reflexives"] * 2
    assert len(load_sentence_pairs("laboratory/reflexives")) == 2
    with pytest.raises(InputError, match="did you mean 'agreement'"):
        load_sentence_pairs("laboratory/agrement")
