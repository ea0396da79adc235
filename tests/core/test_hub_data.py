"""Data on the hub by name: fetched once, read offline, at a revision, and in one line what cannot be read."""

import pytest

from hub import PAIRS, dataset_commit, serving, use, write_pairs
from tse_core import InputError, evaluate, load_pairs, load_sentence_pairs
from tse_core.results.signature import Signature
from tse_core.sentences.evaluate import evaluate_blimp
from tse_extras.sweep.running import sweep

NAME = f"hf:{PAIRS}/eng/data.tsv"


@pytest.fixture
def repository(tmp_path):
    """The folder of the repository's branch."""
    return write_pairs(tmp_path / "root")


@pytest.fixture
def hub(repository, tmp_path, monkeypatch):
    """The stand-in, with an empty cache."""
    with serving(tmp_path / "root") as address:
        use(address, tmp_path / "home", monkeypatch)
        yield address


@pytest.mark.filterwarnings("ignore:.*English spelling")
def test_a_file_is_read_unaided_and_then_offline(hub, repository, monkeypatch):
    sentences = load_sentence_pairs(NAME)
    assert sentences.loc[0, ["good", "bad"]].tolist() == [
        "The author laughs .",
        "The author laugh .",
    ]
    assert sentences["phenomenon"].tolist() == ["SV-#"] * 3 + ["SV-P"]
    assert set(sentences["paradigm"]) == {"eng/data"}
    asked = len(hub.asked)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    pairs = load_pairs(NAME, {"subject": "child"})
    assert pairs[["left", "correct", "wrong", "number"]].to_numpy().tolist() == [
        ["The author", "laughs", "laugh", "singular"],
        ["The authors", "laugh", "laughs", "plural"],
        ["The pilots near the author", "smile", "smiles", "plural"],
        ["I", "am", "is", ""],  # of a person, not of a number
    ]
    assert pairs["subject"].tolist() == ["author", "authors", "pilots", "I"]
    assert pairs.attrs["name"] == NAME and len(hub.asked) == asked
    assert pairs.attrs["source"] == f"hf:{PAIRS}@{dataset_commit(repository)}/eng/data.tsv"


def test_the_cache_is_kept_when_the_branch_moves_and_a_commit_names_the_new_one(hub, repository):
    before = load_sentence_pairs(NAME)
    (repository / "eng" / "data.tsv").write_text("good,bad\n")
    assert load_sentence_pairs(NAME).equals(before)
    new = f"hf:{PAIRS}@{dataset_commit(repository)}/eng/data.tsv"
    with pytest.raises(InputError, match=f"^{new}: the cells of a .tsv are separated by tabs"):
        load_sentence_pairs(new)


def test_the_branch_moves_in_the_cache_with_another_file_of_it(hub, repository):
    before = load_sentence_pairs(NAME)
    pinned = f"hf:{PAIRS}@{dataset_commit(repository)}/eng/data.tsv"
    path = repository / "eng" / "data.tsv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:2]))
    assert len(load_sentence_pairs(NAME)) == len(before)
    load_sentence_pairs(f"hf:{PAIRS}/more1.csv")
    moved = load_sentence_pairs(NAME)
    assert len(moved) == 1 and dataset_commit(repository) in moved.attrs["source"]
    assert load_sentence_pairs(pinned).equals(before)


@pytest.mark.filterwarnings("ignore:.*is a guess")
@pytest.mark.slow
def test_the_signature_holds_the_commit_and_the_hash_decides(hub, repository, tmp_path):
    commit = dataset_commit(repository)
    store = tmp_path / "store"
    scores = [
        evaluate("lab-systematic-causal", NAME, store=store),
        evaluate_blimp("lab-systematic-causal", NAME, store=store),
    ]
    for score in scores:
        assert score.signature.provenance["source"] == f"hf:{PAIRS}@{commit}/eng/data.tsv"
        assert Signature.parse(str(score.signature)).provenance == score.signature.provenance
    # At another commit with the same contents nothing is scored again.
    (repository / "README.md").write_text("another commit")
    moved = evaluate(
        "lab-systematic-causal",
        f"hf:{PAIRS}@{dataset_commit(repository)}/eng/data.tsv",
        store=store,
    )
    assert moved.signature == scores[0].signature
    assert moved.signature.provenance["source"] != scores[0].signature.provenance["source"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*is a guess")
def test_a_sweep_goes_on_with_what_it_has_read(hub, repository, tmp_path, monkeypatch):
    plan = {"models": ["lab-systematic-causal"], "data": [NAME], "blimp": [NAME]}
    before = sweep(plan, store=tmp_path / "store").tidy()
    (repository / "eng" / "data.tsv").write_text("good,bad\n")  # the branch moves
    monkeypatch.setattr("tse_core.agreement.pieces.score_contexts", None)  # nothing is scored
    monkeypatch.setattr("tse_core.sentences.evaluate.scored_pairs", None)
    assert sweep(plan, store=tmp_path / "store").tidy().equals(before)
    assert set(before["data"]) == {NAME}


def test_a_revision_is_read(hub, repository):
    assert len(load_sentence_pairs(f"hf:{PAIRS}@v1/eng/data.tsv")) == 3
    assert len(load_sentence_pairs(NAME)) == 4
    assert len(load_sentence_pairs(f"hf://datasets/{PAIRS}@v1/eng/data.tsv")) == 3


MISTAKES = {
    "hf:made-up": "is no file on the Hugging Face hub; a name reads hf:OWNER/NAME/PATH or hf:OWNER/NAME@REVISION/PATH",
    "hf:nobody/nothing/x.csv": "there is no http://.*/datasets/nobody/nothing; a private one needs HF_TOKEN",
    f"hf:{PAIRS}@v%2F2/eng/data.tsv": f"^hf:{PAIRS}@v%2F2/eng/data.tsv: http://.*/datasets/{PAIRS} has no branch, tag or commit 'v/2'",
    f"hf:{PAIRS}@refs/pr/9/eng/data.tsv": "has no branch, tag or commit 'refs/pr/9'",
    f"hf:{PAIRS}": "a name ends in the path of one file, .conllu, .csv, ",
    f"hf:{PAIRS}/eng": "a name ends in the path of one file, .conllu, .csv, .gold, .json, .jsonl, .parquet, .tab, .tsv, .txt",
    f"hf:{PAIRS}/eng/date.tsv": f"http://.*/datasets/{PAIRS} has no file 'eng/date.tsv' at main",
    f"hf:{PAIRS}/README.md": "a name ends in the path of one file",
    f"https://huggingface.co/datasets/{PAIRS}/blob/v1/eng/data.tsv?x=y": f"files on the hub are read by their names; write hf:{PAIRS}@v1/eng/data.tsv",
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_what_cannot_be_read_is_one_line(hub, name):
    for load in (load_pairs, load_sentence_pairs):
        with pytest.raises(InputError, match=MISTAKES[name]) as error:
            load(name)
        assert "\n" not in str(error.value)


def test_terms_that_must_be_accepted_are_said(hub):
    hub.faults["resolve"] = (403, "GatedRepo")
    line = f"its owners want their terms accepted: do so at http://.*/datasets/{PAIRS}, then set HF_TOKEN"
    with pytest.raises(InputError, match=line):
        load_pairs(NAME)


def test_what_the_cache_lacks_is_said_offline(hub, repository, tmp_path, monkeypatch):
    old = dataset_commit(repository)
    cache = tmp_path / "home" / "hub"
    load_pairs(NAME)
    (repository / "more1.csv").write_text("good,bad\nHe is.,He are.\n")  # the branch moves
    load_pairs(f"hf:{PAIRS}/more1.csv")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in (NAME, f"hf:{PAIRS}@v1/more1.csv"):
        line = f"^{name}: the cache {cache} does not have it, and HF_HUB_OFFLINE forbids"
        with pytest.raises(InputError, match=line):
            load_pairs(name)
    assert len(load_pairs(f"hf:{PAIRS}@{old}/eng/data.tsv")) == 4


def test_no_network_is_one_line(tmp_path, monkeypatch):
    use("http://127.0.0.1:9", tmp_path, monkeypatch)
    with pytest.raises(InputError, match="http://127.0.0.1:9 cannot be reached: download it where"):
        load_pairs(NAME)
