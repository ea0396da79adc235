"""What the tests notice: a seeded sample of small errors is put into the core, one at a time, and the tests are run.

Each mutant changes one expression of one module (a comparison, a sign, a constant, a condition) in a copy of the
source, and runs the quick tests of that module's package until one fails. A mutant that no test notices survives: it
shows a fact that no test states, or a change that makes no difference.

    python -m benchmarks.mutants                          300 mutants (an hour or two)
    python -m benchmarks.mutants --count 60 --only metrics
    python -m benchmarks.mutants --source ../older        the source and tests of another checkout
"""

import argparse
import ast
import copy
import importlib
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import tqdm

ROOT = Path(__file__).parents[1]
TESTS = {  # package or module of tse_core: the words in the names of its tests' files
    "metrics": ["metric", "invariances", "cells"],
    "uncertainty": ["uncertainty"],
    "forward": ["forward", "families", "invariances", "whole_words", "memory"],
    "agreement": ["evaluation", "cells", "divisions", "invariances", "slots", "metrics"],
    "results": ["results", "signature", "code", "keys", "cells"],
    "sentences": ["sentences", "unusual_tokenizers", "blimp", "whole_words"],
}
HEAVY = ("torch", "transformers", "pandas", "pyarrow.parquet", "hypothesis", "pytest")
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


def expressions(node: ast.AST) -> Iterator[ast.AST]:
    """Every expression that runs: no annotation, decorator or text, and nothing of an error's message."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr | ast.Raise):
                if isinstance(child, ast.expr):
                    yield child
                yield from expressions(child)


def mutants(package: str, source: Path) -> list[Mutant]:
    """All mutants of a package, in the order of its files and lines."""
    found = []
    for file in sorted((source / package).rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        for node in expressions(ast.parse(text)):
            before = ast.get_source_segment(text, node)
            if before is not None and (after := changed(node)) is not None:
                found.append(Mutant(package, file.relative_to(source), node, before, f"({ast.unparse(after)})"))
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


def run_tests(checkout: Path, source: Path, files: list[str]) -> None:
    """In a process of its own, which has imported what is heavy already: run the tests, exit with pytest's code."""
    os.setsid()
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    os.chdir(checkout)
    sys.path[:] = [str(source), str(checkout), *(p for p in sys.path if Path(p).resolve() not in (ROOT, ROOT / "src"))]
    os.environ["PYTHONPATH"] = str(source)
    import pytest

    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-m", "not slow and not browser"]
    os._exit(int(pytest.main([*options, *files])))


def outcome(checkout: Path, source: Path, files: list[str], limit: float) -> int | None:
    """The exit code of the tests; None where they ran longer than the limit, which counts as noticed."""
    child = multiprocessing.get_context("fork").Process(target=run_tests, args=(checkout, source, files))
    child.start()
    child.join(limit)
    code = child.exitcode
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.join()
    return code


def main() -> None:
    """Print each survivor, then the share that was noticed in each package."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300, help="how many mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=TESTS, help="one package")
    parser.add_argument("--source", type=Path, default=ROOT, help="a checkout of the project, this one by default")
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
        files, limits = {}, {}
        for name in names:
            of_package = (path for word in TESTS[name] for path in checkout.glob(f"tests/**/test_*{word}*.py"))
            files[name] = [str(path) for path in sorted(set(of_package)) if not {"book", "browser"} & set(path.parts)]
            begin = time.monotonic()
            if outcome(checkout, source, files[name], 1200) != 0:
                sys.exit(f"mutants: the tests of {name} fail before anything is changed")
            limits[name] = 30 + 4 * (time.monotonic() - begin)
            print(f"{name}: its tests take {(limits[name] - 30) / 4:.0f} s", flush=True)
        noticed = dict.fromkeys(names, 0)
        for mutant in tqdm.tqdm(sample, unit="mutant", file=sys.stdout, disable=not sys.stdout.isatty()):
            file = core / mutant.file
            text = file.read_text(encoding="utf-8")
            file.write_text(with_mutant(text, mutant), encoding="utf-8")
            shutil.rmtree(file.parent / "__pycache__", ignore_errors=True)
            code = outcome(checkout, source, files[mutant.package], limits[mutant.package])
            file.write_text(text, encoding="utf-8")
            shutil.rmtree(file.parent / "__pycache__", ignore_errors=True)
            noticed[mutant.package] += code != 0
            if code == 0:
                print(f"survives: {mutant.file}:{mutant.node.lineno}: {mutant.before} -> {mutant.after}", flush=True)
    for name in names:
        print(f"{name:12} {noticed[name]:4} of {sum(mutant.package == name for mutant in sample):4} noticed")
    print(f"{'all':12} {sum(noticed.values()):4} of {len(sample):4} noticed")


if __name__ == "__main__":
    main()
