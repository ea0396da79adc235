"""The gym: every suite of data/gym.yaml on every model there.

Token surprisals are kept in the store under the model's weights and the suite's sentences, so only what is new is
computed: a new suite is evaluated on every model, a new model on every suite.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tse_core.errors import InputError, unknown
from tse_core.files import is_there, read_yaml
from tse_core.paths import data_folder
from tse_core.syntaxgym.library import load_suites
from tse_core.syntaxgym.outcomes import Outcome, evaluate_suite
from tse_core.syntaxgym.suites import Suite

KEYS = {"suites": list, "models": list, "unknown": str, "human": dict}


@dataclass(frozen=True)
class Gym:
    """The contents of data/gym.yaml. ``human``: suite -> {"accuracy", "source"}."""

    suites: list[Suite]
    models: list[str]
    unknown: str = "refuse"
    human: dict[str, dict] = field(default_factory=dict)


def load_gym(path: str | Path | None = None) -> Gym:
    """Read data/gym.yaml or another file like it; paths in it start from the repository, else from the file's folder.

    Raises
    ------
    InputError : the file, the entry, what was wrong and what would be right.
    """
    path = Path(path) if path else data_folder() / "gym.yaml"
    data = read_yaml(path) or {}
    if not isinstance(data, dict):
        raise InputError(f"{path}: it must be a mapping with {', '.join(KEYS)}")
    for key, value in data.items():
        if key not in KEYS:
            raise InputError(f"{path}: {unknown('key', key, KEYS)}")
        if value is not None and not isinstance(value, KEYS[key]):
            raise InputError(f"{path}: {key} must be {'a list' if KEYS[key] is list else 'a ' + KEYS[key].__name__}")
    if (policy := data.get("unknown") or "refuse") not in ("refuse", "flag"):
        raise InputError(f"{path}: unknown must be refuse or flag, not {policy!r}")
    suites = [suite for entry in data.get("suites") or [] for suite in _suites(str(entry), path)]
    names = [suite.name for suite in suites]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"{path}: two suites are called {twice!r}; change meta.name of one")
    models = [name for entry in data.get("models") or [] for name in _models(str(entry), path)]
    return Gym(suites, list(dict.fromkeys(models)), policy, _human(data.get("human") or {}, path))


def run_gym(gym: Gym, store) -> Iterator[Outcome]:
    """Every model on every suite, model by model; what the store holds is not computed again.

    Raises
    ------
    InputError
        At the very end: every model, or model and suite, that failed. The outcomes of all others came before.
    """
    from tse_core.models.coerce import as_model

    known: dict[str, str] = {}
    failures = []
    for name in gym.models:
        try:
            model = as_model(name)
            title, identity = model.label, model.identity()
            if known.setdefault(title, identity) != identity:
                raise InputError(f"another model is called {title!r}, too; rename the folder of one")
        except Exception as error:  # whatever is wrong with one model, the others are evaluated
            failures.append(f"{name}: {error}")
            continue
        for suite in gym.suites:
            try:
                outcome = evaluate_suite(model, suite, store=store)
            except Exception as error:
                failures.append(f"{title} on {suite.name}: {error}")
            else:
                yield outcome
    if failures:
        raise InputError(f"{len(failures)} failed, all others are done: {'; '.join(failures)}")


def _suites(entry: str, path: Path) -> list[Suite]:
    try:
        return load_suites(entry if entry in ("laboratory", "public") else _placed(entry, path))
    except InputError as error:
        raise InputError(f"{path}: suites: {error}") from None


def _models(entry: str, path: Path) -> list[str]:
    if entry == "laboratory":
        return sorted(config.parent.name for config in (data_folder() / "models").glob("*/config.json"))
    return [_placed(entry, path)]


def _placed(entry: str, path: Path) -> str:
    """A path in the file, relative to the file's folder or the one above; any other name unchanged."""
    for folder in (path.parent, path.parent.parent):
        if is_there(folder / entry):
            return str(folder / entry)
    return entry


def _human(entries: dict, path: Path) -> dict[str, dict]:
    for name, entry in entries.items():
        good = isinstance(entry, dict) and set(entry) == {"accuracy", "source"}
        if not good or not isinstance(entry["accuracy"], int | float) or not 0 <= entry["accuracy"] <= 1:
            raise InputError(f"{path}: human: {name} must be {{accuracy: 0 to 1, source: where it is published}}")
    return entries
