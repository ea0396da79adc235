"""Models of other packages, which entry points add; `tests/frequencies.py` is the example."""

import math
import sys

import pytest

from tse_core import InputError, evaluate, load_model
from tse_core.errors import TseWarning
from tse_core.models.backends import Backend
from tse_core.models.loading import PLUGINS, backend_of
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

    yield write
    for module in modules:
        sys.modules.pop(module, None)


def source_of(pattern: str) -> str:
    return f"from tse_core.models.backends import Backend\nbackend = Backend({pattern!r}, print)\n"


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
        install(package, f"{package}:backend", source_of("both:.*"))
    with pytest.raises(
        InputError, match="the plug-in first of the package first and the plug-in second"
    ):
        load_model("both:x")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("backend = 5", "TypeError: broken:backend is no Backend"),
        (source_of("(:.*"), "missing \\), unterminated subpattern"),
        (source_of("x").replace("print)", "print, ('revison',))"), "did you mean 'revision'"),
    ],
)
def test_a_broken_plug_in_warns_and_the_rest_is_opened(install, tiny_causal, source, reason):
    install("broken", "broken:backend", source)
    with pytest.warns(
        TseWarning, match=f"plug-in broken of the package broken cannot be loaded .*{reason}"
    ):
        assert load_model(tiny_causal).kind == "causal"


def test_plug_ins_are_not_loaded_for_a_name_that_a_built_in_pattern_takes(install, recwarn):
    install("broken", "broken:backend", "raise RuntimeError")
    assert backend_of("command:./my-model").options == ("timeout",)
    assert backend_of("https://example.org/v1#m").options == ("bos", "timeout")
    assert not recwarn.list


def test_a_plug_in_comes_before_the_backend_that_takes_every_name(install):
    install("greedy", "greedy:backend", source_of(".*"))
    assert backend_of("gpt2").opener is print
    assert backend_of("command:./my-model").opener is not print


def test_a_backend_takes_whole_names():
    backend = Backend("mine:.*", print)
    assert backend.takes("mine:a\nb") and not backend.takes("not-mine:a")


def test_a_network_without_states_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        type("Unfinished", (Network,), {"tensors": lambda self: {}})()
