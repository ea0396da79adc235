"""What several test files share."""

import gc
import hashlib
import json
import os
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault(
    "OMP_NUM_THREADS", "1"
)  # processes that share the cores would wait for each other's threads
NUMBERS = count()
REPOSITORY = Path(__file__).parents[1]
collect_ignore = ["typed"]  # read by mypy, not run
SHARED = (
    REPOSITORY.parent / "shared"
)  # reference data that are not public; no test needs them to be true
SOURCES = ["stand-ins"]
if SHARED.is_dir():
    SOURCES.append(pytest.param("reference", marks=pytest.mark.reference))
settings.register_profile("quick", max_examples=40, deadline=None)  # a busy machine is no failure
settings.load_profile("quick")


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items):
    """Marks what reads ../shared; what takes longest comes first, so that no process is alone with it at the end."""
    for item in items:
        if "shared" in item.fixturenames:
            item.add_marker("reference")
    items.sort(key=lambda item: "the real model" not in item.nodeid)


def pytest_collection_finish():
    """What is loaded by now stays; collections of garbage do not look through it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def shared_store(tmp_path_factory):
    """No test reads or writes the results of whoever runs it; what a module's tests share has one store."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TSE_STORE", str(tmp_path_factory.mktemp("store")))
        yield


@pytest.fixture(autouse=True)
def own_store(shared_store, tmp_path_factory, monkeypatch):
    """No test finds the results of another."""
    monkeypatch.setenv(
        "TSE_STORE", str(tmp_path_factory.getbasetemp() / "stores" / str(next(NUMBERS)))
    )


@pytest.fixture(scope="session")
def results(tmp_path_factory) -> Path:
    """A folder for results of the book's own models, shared by the processes of a run of tests.

    CI names the folder into which `make book` has put the same results under the same keys (TSE_TEST_RESULTS).
    """
    named = os.environ.get("TSE_TEST_RESULTS")
    return Path(named) if named else tmp_path_factory.getbasetemp().parent / "results"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data beside the repository; tests of it are skipped where it is missing."""
    if not SHARED.is_dir():
        pytest.skip("the folder ../shared with the reference data is not there")
    return SHARED


@pytest.fixture(scope="module", params=SOURCES)
def reference_data(request) -> Path | None:
    """None for stand-ins, and the folder of reference data where it is there: what asks for this runs on each."""
    return SHARED if request.param == "reference" else None


@pytest.fixture(scope="module")
def small_models(reference_data) -> Path:
    """A folder of small random models with tokenizers of the four usual kinds: stand-ins, then the reference ones."""
    from stand_ins import stand_ins

    return reference_data / "models" if reference_data else stand_ins()


@pytest.fixture(scope="session")
def real_model() -> str:
    """The name of the book's real model; a test is skipped where its file cannot be had, except in CI."""
    from tse_core.errors import InputError
    from tse_extras.gguf import model_file

    try:
        model_file("smollm2-135m-instruct")
    except InputError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    return "smollm2-135m-instruct"


@pytest.fixture(scope="session")
def tiny_causal(tmp_path_factory) -> Path:
    """The folder of a tiny random causal model."""
    from tiny import save_model

    return save_model(tmp_path_factory.mktemp("models") / "tiny-causal", "causal")


@pytest.fixture(scope="session")
def tiny_masked(tmp_path_factory) -> Path:
    """The folder of a tiny random masked model."""
    from tiny import save_model

    return save_model(tmp_path_factory.mktemp("models") / "tiny-masked", "masked")


@pytest.fixture(scope="session")
def model(tiny_causal):
    """The tiny causal model, opened; files with tests of another model have a fixture of this name."""
    from tse_core import load_model

    return load_model(tiny_causal, device="cpu")


@pytest.fixture(scope="session")
def simple():
    """The pairs of Marvin and Linzen's construction Simple."""
    from tse_core import load_pairs

    return load_pairs("marvin-linzen/simple")


@pytest.fixture
def tse(capsys, tmp_path, monkeypatch):
    """Runs ``tse`` with arguments and a store of its own: (exit code, standard output, standard error)."""
    from tse_core.cli import main

    monkeypatch.setenv("TSE_STORE", str(tmp_path / "store"))

    def run(*arguments):
        capsys.readouterr()
        with pytest.raises(SystemExit) as leaving:
            main(list(map(str, arguments)))
        return leaving.value.code or 0, *capsys.readouterr()

    return run


@pytest.fixture
def pinned(tmp_path, monkeypatch):
    """Writes datasets.yaml anew, a mirror that holds its files, and an empty cache; gives the mirror's folder.

    It is called with the rows and the contents of each row's files: {path in the repository: bytes}. TSE_MIRROR is not
    set.
    """

    def write(rows: dict[str, dict], contents: dict[str, dict[str, bytes]]) -> Path:
        known = {}
        for name, row in rows.items():
            known[name] = dict(row)
            for path, content in contents.get(name, {}).items():
                file = tmp_path / "mirror" / row["repository"] / row["commit"] / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
                pin = f"{len(content)} {hashlib.sha256(content).hexdigest()}"
                known[name]["files"] = known[name].get("files", {}) | {path: pin}
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "datasets.yaml").write_text(json.dumps(known))
        for module in ("downloads", "loading"):
            monkeypatch.setattr(
                f"tse_core.datasets.{module}.data_folder", lambda: tmp_path / "data"
            )
        monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
        monkeypatch.delenv("TSE_MIRROR", raising=False)
        return tmp_path / "mirror"

    return write


@pytest.fixture
def tiny_registry(pinned) -> Path:
    """The mirror's folder of two data sets with three small files."""
    row = {"holds": "sentence pairs", "format": "table", "commit": "0" * 40, "licence": "MIT"}
    rows = {
        "greetings": row | {"repository": "owner/words"},
        "numbers": row | {"repository": "owner/sums"},
    }
    greetings = {"data/hello.txt": b"hello\n" * 100, "data/bye.txt": b"bye\n" * 100}
    return pinned(rows, {"greetings": greetings, "numbers": {"one.txt": b"1\n"}})
