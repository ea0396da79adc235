"""Models of other packages, which entry points add; `tests/frequencies.py` is the example."""

import math
import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints
from types import ModuleType, SimpleNamespace

import pytest
import torch

from tse_core import InputError, evaluate, load_model, surprisals
from tse_core.cli.commands import _add_commands, complete
from tse_core.errors import TseWarning
from tse_core.models import discovery
from tse_core.models.backend import Backend
from tse_core.models.discovery import PLUGINS, plugins
from tse_core.models.network import Network


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Installs a package of one entry point, as pip would, and perhaps its module."""
    monkeypatch.syspath_prepend(tmp_path)
    modules = []

    def write(name: str, place: str, source: str = "") -> None:
        information = tmp_path / f"{name}-1.0.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        )
        (information / "entry_points.txt").write_text(f"[{PLUGINS}]\n{name} = {place}\n")
        if source:
            (tmp_path / f"{name}.py").write_text(source)
            modules.append(name)

    plugins.cache_clear()
    yield write
    plugins.cache_clear()
    for module in modules:
        sys.modules.pop(module, None)


def code_of(backend: str) -> str:
    """A module with such a backend."""
    return f"from tse_core.plugins import Backend\nbackend = {backend}\n"


def test_a_model_of_another_package_is_opened_and_scored(install, tiny_causal, simple):
    install("frequencies", "frequencies:backend")
    model = load_model(f"frequencies:{tiny_causal}")
    shares = model.network.logits(None, [0], [0]).softmax(-1)[0]
    entries = len(model.tokenizer)
    assert shares[[0, -1]].tolist() == pytest.approx(
        [2 / entries / (entries + 1), 2 / (entries + 1)]
    )
    scores = evaluate(model, simple).table()
    assert scores["TSE"].tolist() == [
        0.5
    ]  # half of the contexts are plural, and one form is always likelier
    assert math.isclose(scores["EW"][0], 0.5, abs_tol=1e-6)


def test_options_that_a_backend_does_not_list_are_refused_before_it_is_called(install, tiny_causal):
    install("frequencies", "frequencies:backend")
    name = f"frequencies:{tiny_causal}"
    assert load_model(name, bos="[CLS]").bos_read == "[CLS]"
    with pytest.raises(InputError, match=f"{name} takes no revision; leave revision out"):
        load_model(name, revision="main")


def test_two_plug_ins_that_take_a_name_are_both_named(install):
    for package in ("first", "second"):
        install(package, f"{package}:backend", code_of("Backend('both:.*', print)"))
    with pytest.raises(
        InputError, match="the plug-in first of the package first and the plug-in second"
    ):
        load_model("both:x")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("backend = 5", "TypeError: broken:backend is no Backend"),
        (code_of("Backend('(:.*', print)"), "missing \\), unterminated subpattern"),
        (code_of("Backend('x', print, ('revison',))"), "did you mean 'revision'"),
        (code_of("Backend('.*', print)"), "the pattern '.\\*' takes every name"),
        (code_of("Backend(source=lambda name, revision: name)"), "its source takes every name"),
        (code_of("Backend('x')"), "a backend has an opener or a source"),
        (code_of("Backend(opener=print)"), "an opener needs a pattern"),
    ],
)
def test_a_broken_plug_in_warns_and_the_rest_is_opened(install, tiny_causal, source, reason):
    install("broken", "broken:backend", source)
    with pytest.warns(
        TseWarning, match=f"plug-in broken of the package broken cannot be loaded .*{reason}"
    ):
        assert load_model(tiny_causal).kind == "causal"


def test_a_name_that_comes_with_the_project_is_no_plug_in_s(install):
    source = "Backend(source=lambda name, revision: name if 'lab' in name else None)"
    install("greedy", "greedy:backend", code_of(source))
    assert load_model("lab-systematic-causal").identity().startswith("lab-systematic-causal@")


FOLDERS = '''
from dataclasses import replace
from pathlib import Path

import torch

from tse_core.plugins import Backend, NamedModel, hugging_face_source


def louder(module):
    """The network with twice as large logits."""
    with torch.no_grad():
        module.transformer.ln_f.weight *= 2
        module.transformer.ln_f.bias *= 2
    return module


def source(name, revision):
    file = Path(name, "louder.txt")
    if not file.is_file():
        return None
    base = hugging_face_source(file.read_text())
    return replace(
        base, name=name, settings=lambda shape: {"louder": 2}, change=louder,
        policies={"louder": "twice"},
    )


backend = Backend(source=source, names=lambda: {"loud": NamedModel("causal", 5, "MIT", "me", fetch=Path, state=lambda: "missing")})
'''


def test_a_plug_in_takes_a_folder_by_what_lies_there_and_changes_its_network(
    install, tiny_causal, tmp_path
):
    install("folders", "folders:backend", FOLDERS)
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "louder.txt").write_text(str(tiny_causal))
    ids = torch.tensor([[1, 2, 3]])
    base, changed = load_model(tiny_causal), load_model(folder)
    logits = [m.network.logits(ids, torch.tensor([0]), torch.tensor([2])) for m in (base, changed)]
    torch.testing.assert_close(logits[1], 2 * logits[0])
    assert changed.policies() == base.policies() | {"louder": "twice"}
    assert changed.identity()[-8:] != base.identity()[-8:]


def test_a_plug_in_s_names_are_listed_and_suggested(install, tse):
    install("folders", "folders:backend", FOLDERS)
    code, table, _ = tse("list", "models")
    assert code == 0 and "loud\tcausal\t0.0\tMIT\tfetched on first use" in table
    code, _, error = tse("evaluate", "lowd", "--data", "marvin-linzen/simple")
    assert code == 2 and "did you mean 'loud'?" in error


def test_an_installation_without_the_project_s_own_plug_ins_says_so(monkeypatch):
    older = SimpleNamespace(entry_points=EntryPoints())
    monkeypatch.setattr(discovery, "installed", lambda name: older)
    discovery._check_installation.cache_clear()
    with pytest.warns(TseWarning, match="is older than its code, .* pip install -e ."):
        discovery.entries_of(PLUGINS)
    discovery._check_installation.cache_clear()


def test_a_backend_takes_whole_names():
    backend = Backend("mine:.*", print)
    assert backend.takes("mine:a\nb") and not backend.takes("not-mine:a")


def test_a_network_without_states_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        type("Unfinished", (Network,), {"tensors": lambda self: {}})()


def test_a_plug_in_that_only_says_which_names_it_takes_imports_no_torch():
    """Nor does the project's own, nor what it brings along."""
    code = (
        "import sys; import tse_extras; from tse_core.plugins import Backend; "
        "from tse_core.models.discovery import named_models; named_models(); "
        "print(sorted({'torch', 'transformers', 'gguf', 'peft', 'requests', 'dask'} & set(sys.modules)))"
    )
    program = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert program.stdout == "[]\n", program.stderr


def test_every_name_for_plug_ins_is_there():
    from tse_core import plugins as names

    for name in names.__all__:
        assert getattr(names, name) is not None


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("no_such_module:register", "No module named 'no_such_module'"),
        ("os:sep", "not callable"),
        ("hijacking:register", "one is called like another command of tse"),
    ],
)
def test_commands_of_a_package_that_fails_are_left_out(value, reason, monkeypatch):
    module = ModuleType("hijacking")
    module.register = lambda app: app.command("evaluate")(lambda: None)
    monkeypatch.setitem(sys.modules, "hijacking", module)
    app = complete()
    before = app.registered_commands.copy()
    with pytest.warns(TseWarning, match=f"the commands mine of {value} are left out .*{reason}"):
        _add_commands(EntryPoint("mine", value, "tse.commands"))
    assert app.registered_commands == before


def test_logits_that_are_not_one_for_each_entry_are_refused(tiny_causal, monkeypatch):
    model = load_model(tiny_causal)
    project = model.network.project
    monkeypatch.setattr(model.network, "project", lambda states: project(states)[:, 1:])
    with pytest.raises(InputError, match="one for each of .* entries"):
        surprisals(model, ["The author laughs."])
