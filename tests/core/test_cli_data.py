"""The commands `tse data` and `tse list`: what they print and how they exit."""

import json
import string

from golden_facts import vocabulary
from tse_core.datasets.downloads import path_of
from tse_core.datasets.lemmas import load_lemmas

HELLO = f"owner/words/{'0' * 40}/data/hello.txt"


def test_fetch_then_verify_then_repair(tse, tiny_registry, monkeypatch):
    monkeypatch.setenv("TSE_MIRROR", str(tiny_registry))
    code, output, _ = tse("data", "fetch", "all")
    assert (code, output.startswith("3 files fetched, 0 already there")) == (0, True)
    assert tse("data", "verify")[:2] == (0, "3 files: 3 as they should be, 0 damaged, 0 not downloaded\n")

    content = bytearray(path_of(HELLO).read_bytes())
    content[0] ^= 1
    path_of(HELLO).write_bytes(content)
    code, output, _ = tse("data", "verify")
    assert code == 1
    assert output.startswith("damaged: greetings/hello (")
    assert "`tse data fetch greetings/hello` repairs it" in output
    assert tse("data", "fetch", "greetings/hello")[1].startswith("1 file fetched, 0 already there")
    assert tse("data", "verify")[0] == 0


def test_verify_passes_what_nobody_asked_for_and_fails_for_what_is_missing_by_name(tse, tiny_registry):
    assert tse("data", "verify")[:2] == (0, "3 files: 0 as they should be, 0 damaged, 3 not downloaded\n")
    assert tse("data", "verify", "numbers")[0] == 1


def test_status_counts_each_data_set(tse, tiny_registry, monkeypatch):
    monkeypatch.setenv("TSE_MIRROR", str(tiny_registry))
    tse("data", "fetch", "greetings")
    lines = tse("data", "status")[1].splitlines()[1:]
    assert lines[0].split("\t") == ["greetings", "2", "2", "0", "0.0", "MIT", "owner/words @ 0000000"]
    assert lines[1].split("\t")[:4] == ["numbers", "1", "0", "0"]


def test_the_full_lemma_list_is_kept_and_its_counts_compared(tse, tmp_path, monkeypatch):
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "verbs.txt"
    file.write_text("abandon\nzigzag\nabseil\n")
    table, word_id = load_lemmas("newman-released").table, vocabulary("bert-cased")
    held = [form for form in {*table["singular"], *table["plural"]} if word_id(form) is not None]
    special = [f"[{name}]" for name in ("PAD", "UNK", "CLS", "SEP", "MASK")]
    letters = [prefix + letter for prefix in ("", "##") for letter in string.ascii_letters]
    tokenizer = tmp_path / "bert"  # of the forms, it holds as single entries those that the real one does
    tokenizer.mkdir()
    (tokenizer / "vocab.txt").write_text("\n".join([*special, *letters, *sorted(held)]) + "\n")
    settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": False}
    (tokenizer / "tokenizer_config.json").write_text(json.dumps(settings))
    command = ["data", "lemmas", "--giant-verb-list", file, "--tokenizer", f"bert-large-cased={tokenizer}"]
    code, output, _ = tse(*command)
    assert code == 0
    headings, *rows = [line.split("\t") for line in output.splitlines()]
    assert headings[0] == "count"
    assert rows[0] == ["verbs in the file", "3", "3250", "differs from the paper by -3247"]
    # abandon is among the released 1,951 rows, zigzag and abseil are not
    assert rows[1][:3] == ["lemmas", "1953", "3562"]
    assert rows[2] == ["lemmas in the vocabulary of bert-large-cased", "734", "980", "differs from the paper by -246"]
    assert (tmp_path / "cache" / "lemmas" / "newman-full.csv").is_file()


def test_list_shows_what_can_be_loaded(tse):
    assert "marvin-linzen/simple\tagreement pairs\tgenerated" in tse("list", "data")[1]
    assert "blimp/adjunct_island\tsentence pairs\tdownload" in tse("list", "data")[1]
    assert tse("list", "suites")[1].count("syntaxgym/") == 34
    assert "newman-appendix" in tse("list", "lemmas")[1]
    code, _, notes = tse("list", "models")
    assert code == 0
    assert "Hugging Face" in notes
    assert tse("list", "nonsense")[0] == 2


def test_models_are_listed_with_their_kind(tse, tmp_path, monkeypatch):
    for name, architecture in (("one", "GPT2LMHeadModel"), ("two", "BertForMaskedLM")):
        (tmp_path / "models" / name).mkdir(parents=True)
        (tmp_path / "models" / name / "config.json").write_text(f'{{"architectures": ["{architecture}"]}}')
    monkeypatch.setattr("tse_core.paths.data_folder", lambda: tmp_path)
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    headings, smollm2, *own = tse("list", "models")[1].splitlines()
    assert headings == "name\tkind\tMB\tlicence\twhere"
    assert smollm2 == "smollm2-135m-instruct\tcausal\t98.4\tApache-2.0\tfetched on first use"
    assert own == [f"{name}\t0.0\tCC-BY-4.0\tcomes with the project" for name in ("one\tcausal", "two\tmasked")]
