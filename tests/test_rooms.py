"""The rooms of the package: how many, on how many floors, without circles, each used by its public names alone.

`pytest tests/test_rooms.py -s` prints them.
"""

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "tse_core"
ROOMS = {path.stem if path.is_file() else path.name for path in SOURCE.iterdir() if (path / "__init__.py").is_file()
         or path.suffix == ".py" and path.stem != "__init__"}  # fmt: skip
MOST_ROOMS, MOST_FLOORS = 24, 10


def imports(path: Path) -> list[tuple[int, str, list[str]]]:
    """(line, module, names) of everything that a file takes from the package, names of attributes of rooms included."""
    tree, found, held = ast.parse(path.read_text(encoding="utf-8")), [], {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, a.name, []) for a in node.names if a.name.split(".")[0] == "tse_core"]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tse_core":
            names = [alias.name for alias in node.names]
            if node.module == "tse_core":
                rooms = [alias for alias in node.names if alias.name in ROOMS]
                held |= {alias.asname or alias.name: alias.name for alias in rooms}
                found += [(node.lineno, f"tse_core.{alias.name}", []) for alias in rooms]
                names = [name for name in names if name not in ROOMS]
            if names:
                found.append((node.lineno, node.module, names))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in held:
            found.append((node.lineno, f"tse_core.{held[node.value.id]}", [node.attr]))
    return found


def room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def public_names(name: str) -> set[str] | None:
    """What a room's stub offers; None for a room that is one file."""
    stub = SOURCE / name / "__init__.pyi"
    if not stub.is_file():
        return None
    nodes = ast.parse(stub.read_text(encoding="utf-8")).body
    return {alias.asname or alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}


def arrows() -> dict[str, set[str]]:
    """Room -> the rooms that it uses."""
    used = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        for _, module, _ in imports(path):
            other = module.split(".")[1] if "." in module else None
            if room(path) in ROOMS and other in ROOMS - {room(path)}:
                used[room(path)].add(other)
    return used


def floors(used: dict[str, set[str]]) -> dict[str, int]:
    """Room -> its floor: one above the highest room that it uses. A circle of imports is an error."""
    found: dict[str, int] = {}

    def floor(name: str, way: tuple[str, ...]) -> int:
        assert name not in way, f"a circle: {' -> '.join([*way[way.index(name) :], name])}"
        if name not in found:
            found[name] = 1 + max((floor(other, (*way, name)) for other in used.get(name, ())), default=0)
        return found[name]

    for name in ROOMS:
        floor(name, ())
    return found


def test_the_rooms_are_few_on_few_floors_and_in_no_circle():
    used = arrows()
    found = floors(used)
    for name in sorted(ROOMS, key=lambda name: (found[name], name)):
        print(f"{found[name]:2}  {name:12}  uses {', '.join(sorted(used.get(name, ()))) or 'nothing'}")
    print(f"{len(ROOMS)} rooms, {max(found.values())} floors, {sum(map(len, used.values()))} arrows")
    assert len(ROOMS) <= MOST_ROOMS and max(found.values()) <= MOST_FLOORS


def test_a_circle_is_found_and_floors_are_counted(monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "ROOMS", {"a", "b", "c"})
    assert floors({"c": {"b"}, "b": {"a"}}) == {"a": 1, "b": 2, "c": 3}
    with pytest.raises(AssertionError, match="a circle: "):
        floors({"c": {"b"}, "b": {"a"}, "a": {"c"}})


def test_a_room_uses_others_by_their_public_names():
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        for line, module, names in imports(path):
            parts = module.split(".")
            if len(parts) == 1 or parts[1] == room(path) or parts[1] not in ROOMS:
                continue
            offered = public_names(parts[1])
            private = [] if offered is None else [name for name in names if name not in offered]
            if len(parts) > 2 or private:
                wrong.append(f"{path.relative_to(SOURCE)}:{line}: {module} {' '.join(private)}".rstrip())
    assert not wrong, "not public: " + "; ".join(wrong)


@pytest.mark.parametrize(
    "code",
    [
        "import tse_core",
        "import tse_core.claims; tse_core.claims.ledger",
        "from tse_core.cli import main; main(['--help'])",
    ],
)
def test_no_torch_is_loaded_before_it_is_needed(code):
    after = "import sys; assert 'torch' not in sys.modules, 'torch is loaded'"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{after}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-1000:]


def test_no_file_is_named_like_a_public_name_of_its_room():
    """The file, once imported, would stand where the name should."""
    for stub in SOURCE.glob("*/__init__.pyi"):
        lines = [node for node in ast.parse(stub.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom)]
        names = {alias.name for line in lines if line.module for alias in line.names}
        assert not names & {path.stem for path in stub.parent.glob("*.py")}, stub.parent.name
