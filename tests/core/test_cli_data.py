"""The commands `tse data` and `tse list`: what they print and how they exit."""

from tse_core.datasets.downloads import path_of

HELLO = f"owner/words/{'0' * 40}/data/hello.txt"


def test_fetch_then_verify_then_repair(tse, tiny_registry, monkeypatch):
    monkeypatch.setenv("TSE_MIRROR", str(tiny_registry))
    assert tse("data", "fetch", "greetings")[1].startswith("files fetched: 2, already there: 0")
    assert path_of(HELLO).read_bytes() == (tiny_registry / HELLO).read_bytes()
    code, output, _ = tse("data", "fetch", "all")
    assert (code, output.startswith("files fetched: 1, already there: 2")) == (0, True)
    assert tse("data", "verify")[:2] == (0, "files as they should be: 3, damaged: 0, not downloaded: 2\n")

    content = bytearray(path_of(HELLO).read_bytes())
    content[0] ^= 1
    path_of(HELLO).write_bytes(content)
    code, output, _ = tse("data", "verify")
    assert code == 1 and output.startswith("damaged: greetings/hello (")
    assert tse("data", "fetch", "greetings/hello")[1].startswith("files fetched: 1, already there: 0")
    assert tse("data", "verify")[0] == 0


def test_verify_passes_what_nobody_asked_for_and_fails_for_what_is_missing_by_name(tse, tiny_registry):
    assert tse("data", "verify")[:2] == (0, "files as they should be: 0, damaged: 0, not downloaded: 5\n")
    assert tse("data", "verify", "numbers")[0] == 1


def test_status_counts_each_data_set(tse, tiny_registry, monkeypatch):
    monkeypatch.setenv("TSE_MIRROR", str(tiny_registry))
    tse("data", "fetch", "greetings")
    lines = tse("data", "status")[1].splitlines()[1:]
    assert lines[0].split("\t") == ["greetings", "2", "2", "0", "0.0", "MIT", "owner/words @ 0000000"]
    assert lines[1].split("\t")[:4] == ["numbers", "1", "0", "0"]


def test_list_shows_what_can_be_loaded(tse):
    assert "marvin-linzen/simple\tagreement pairs\tgenerated" in tse("list", "data")[1]
    assert "blimp/adjunct_island\tsentence pairs\tdownload" in tse("list", "data")[1]
    assert tse("list", "suites")[1].count("syntaxgym/") == 34
    assert "newman-appendix" in tse("list", "lemmas")[1] and "Hugging Face" in tse("list", "models")[2]
    assert tse("list", "nonsense")[0] == 2
