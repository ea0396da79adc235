"""What the tests notice: a seeded sample of small errors is put into the core, one at a time, and the tests are run.

Each mutant changes one expression of one module (a comparison, a sign, a constant, a condition) in a copy of the
source, and runs the quick tests of that module's package that call the changed function, the shortest first, until
one fails. A mutant that no test notices survives: it shows a fact that no test states, or a change that makes no
difference.

    python -m benchmarks.mutants                          300 mutants (half an hour or more)
    python -m benchmarks.mutants --count 60 --only metrics
    python -m benchmarks.mutants --source ../older        the source and tests of another checkout
"""

import argparse
import ast
import copy
import importlib
import json
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest
import tqdm

ROOT = Path(__file__).parents[1]
TESTS = {  # package or module of tse_core: the words in the names of its tests' files
    "metrics": ["metric", "invariances", "cells"],
    "uncertainty": ["uncertainty"],
    "forward": ["forward", "families", "invariances", "whole_words"],
    "agreement": [
        "evaluation",
        "cells",
        "tables",
        "invariances",
        "slots",
        "metrics",
        "results",
        "words",
    ],
    "results": ["results", "signature", "code", "keys", "cells"],
    "sentences": ["sentences", "unusual_tokenizers", "blimp", "whole_words"],
}
HEAVY = ("torch", "transformers", "pandas", "pyarrow.parquet", "hypothesis")
NO_TESTS = 5  # pytest's exit code where none is left
OTHER = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


class Mutant(NamedTuple):
    """One changed expression: where it stands, and its text before and after."""

    package: str
    file: Path  # relative to the folder of tse_core
    function: int  # the line where the function around it begins, 0 outside of functions
    node: ast.AST
    before: str
    after: str


def changed(node: ast.AST) -> ast.AST | None:
    """The expression with one small error, or None where there is none to make."""
    mutant = copy.deepcopy(node)
    match mutant:
        case ast.Compare(ops=[operator]) if type(operator) in OTHER:
            mutant.ops = [OTHER[type(operator)]()]
        case ast.BinOp(op=operator) | ast.BoolOp(op=operator) if type(operator) in OTHER:
            mutant.op = OTHER[type(operator)]()
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            return operand
        case ast.Constant(value=bool(value)):
            mutant.value = not value
        case ast.Constant(value=int(value) | float(value)):
            mutant.value = value + 1
        case ast.IfExp(test=test):
            mutant.test = ast.UnaryOp(ast.Not(), test)
        case _:
            return None
    return mutant


def expressions(node: ast.AST, function: int = 0) -> Iterator[tuple[int, ast.AST]]:
    """Every expression that runs, with the first line of its function: nothing of types, decorators, texts, errors."""
    if isinstance(node, ast.FunctionDef):
        function = min(part.lineno for part in (node, *node.decorator_list))
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr | ast.Raise):
                if isinstance(child, ast.expr):
                    yield function, child
                yield from expressions(child, function)


def mutants(package: str, source: Path) -> list[Mutant]:
    """All mutants of a package, in the order of its files and lines."""
    found = []
    for file in sorted((source / package).rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        for function, node in expressions(ast.parse(text)):
            before = ast.get_source_segment(text, node)
            if before is not None and (after := changed(node)) is not None:
                name = file.relative_to(source)
                found.append(
                    Mutant(package, name, function, node, before, f"({ast.unparse(after)})")
                )
    return found


def with_mutant(text: str, mutant: Mutant) -> str:
    """The module's text with the changed expression in its place."""
    lines = text.encode().splitlines(keepends=True)
    node = mutant.node
    first, last = node.lineno - 1, node.end_lineno - 1
    start = sum(map(len, lines[:first])) + node.col_offset
    end = sum(map(len, lines[:last])) + node.end_col_offset
    whole = b"".join(lines)
    return (whole[:start] + mutant.after.encode() + whole[end:]).decode()


class Calls:
    """A pytest plugin: the functions below a folder that each test and its fixtures call, and the time it takes."""

    def __init__(self, folder: Path, report: Path):
        self.folder, self.report = str(folder), report
        self.current: set[tuple[str, int]] = set()
        self.of_fixtures: dict[str, set] = defaultdict(set)
        self.of_tests: dict[str, tuple[set, list[str]]] = {}
        self.seconds: dict[str, float] = defaultdict(float)

    def note(self, frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(self.folder):
            self.current.add(
                (frame.f_code.co_filename[len(self.folder) + 1 :], frame.f_code.co_firstlineno)
            )

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        self.current = set()
        threading.setprofile(self.note)
        sys.setprofile(self.note)
        yield
        sys.setprofile(None)
        threading.setprofile(None)
        self.of_tests[item.nodeid] = self.current, list(item.fixturenames)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        outer, self.current = self.current, set()
        yield
        self.of_fixtures[fixturedef.argname] |= self.current
        self.current |= outer

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self):
        found = {}
        for test, (calls, fixtures) in self.of_tests.items():
            calls = calls.union(*(self.of_fixtures[name] for name in fixtures))
            found[test] = {"calls": sorted(calls), "seconds": self.seconds[test]}
        self.report.write_text(json.dumps(found))


class Chosen:
    """A pytest plugin: some tests only, in the given order."""

    def __init__(self, tests: list[str]):
        self.rank = {test: rank for rank, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        items[:] = sorted(
            (i for i in items if i.nodeid in self.rank), key=lambda item: self.rank[item.nodeid]
        )


def run_tests(checkout: Path, source: Path, files: list[str], plugin) -> None:
    """In a process of its own, which has imported what is heavy already: run the tests, exit with pytest's code."""
    os.setsid()
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    os.chdir(checkout)
    sys.path[:] = [
        str(source),
        str(checkout),
        *(p for p in sys.path if Path(p).resolve() not in (ROOT, ROOT / "src")),
    ]
    os.environ["PYTHONPATH"] = str(source)
    options = [
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        "-m",
        "not slow and not browser",
    ]
    os._exit(int(pytest.main([*options, *files], plugins=[plugin])))


def outcome(checkout: Path, source: Path, files: list[str], plugin, limit: float) -> int | None:
    """The exit code of the tests; None where they ran longer than the limit, which counts as noticed."""
    child = multiprocessing.get_context("fork").Process(
        target=run_tests, args=(checkout, source, files, plugin)
    )
    child.start()
    child.join(limit)
    code = child.exitcode
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.join()
    return code


def calling(mutant: Mutant, tests: dict) -> list[str]:
    """The tests that call the function of a mutant, the shortest first; all of them for what runs on import."""
    place = [mutant.file.as_posix(), mutant.function]
    found = [test for test, said in tests.items() if not mutant.function or place in said["calls"]]
    return sorted(found, key=lambda test: tests[test]["seconds"])


def main() -> None:
    """Print each survivor, then the share that was noticed in each package."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=300, help="how many mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=TESTS, help="one package")
    parser.add_argument(
        "--source", type=Path, default=ROOT, help="a checkout of the project, this one by default"
    )
    arguments = parser.parse_args()
    checkout = arguments.source.resolve()
    for name in HEAVY:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as temporary:
        source = Path(temporary) / "src"
        shutil.copytree(checkout / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        (source.parent / "data").symlink_to(checkout / "data")
        core = source / "tse_core"
        names = [arguments.only] if arguments.only else list(TESTS)
        every = [mutant for name in names for mutant in mutants(name, core)]
        sample = random.Random(arguments.seed).sample(every, min(arguments.count, len(every)))  # noqa: S311
        sample.sort(key=lambda mutant: (mutant.package, mutant.file, mutant.node.lineno))
        files, tests = {}, {}
        for name in names:
            of_package = (
                path for word in TESTS[name] for path in checkout.glob(f"tests/**/test_*{word}*.py")
            )
            files[name] = [
                str(path)
                for path in sorted(set(of_package))
                if not {"book", "browser"} & set(path.parts)
            ]
            report = Path(temporary) / f"{name}.json"
            if outcome(checkout, source, files[name], Calls(core, report), 2400) != 0:
                sys.exit(f"mutants: the tests of {name} fail before anything is changed")
            tests[name] = json.loads(report.read_text())
            seconds = sum(said["seconds"] for said in tests[name].values())
            print(
                f"{name}: {len(tests[name])} tests, {seconds:.0f} s while their calls are noted",
                flush=True,
            )
        noticed = dict.fromkeys(names, 0)
        for mutant in tqdm.tqdm(
            sample, unit="mutant", file=sys.stdout, disable=not sys.stdout.isatty()
        ):
            file = core / mutant.file
            text = file.read_text(encoding="utf-8")
            chosen = calling(mutant, tests[mutant.package])
            limit = 60 + 4 * sum(tests[mutant.package][test]["seconds"] for test in chosen)
            theirs = [
                f
                for f in files[mutant.package]
                if any(t.startswith(f"{os.path.relpath(f, checkout)}::") for t in chosen)
            ]
            file.write_text(with_mutant(text, mutant), encoding="utf-8")
            shutil.rmtree(file.parent / "__pycache__", ignore_errors=True)
            survives = not chosen or outcome(checkout, source, theirs, Chosen(chosen), limit) in (
                0,
                NO_TESTS,
            )
            file.write_text(text, encoding="utf-8")
            shutil.rmtree(file.parent / "__pycache__", ignore_errors=True)
            noticed[mutant.package] += not survives
            if survives:
                print(
                    f"survives: {mutant.file}:{mutant.node.lineno}: {mutant.before} -> {mutant.after}",
                    flush=True,
                )
    for name in names:
        print(
            f"{name:12} {noticed[name]:4} of {sum(mutant.package == name for mutant in sample):4} noticed"
        )
    print(f"{'all':12} {sum(noticed.values()):4} of {len(sample):4} noticed")


if __name__ == "__main__":
    main()
