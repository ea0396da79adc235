"""How much there is to read: lines of each package, and what one `evaluate` on a laboratory folder loads.

python -m benchmarks.lines
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
EVALUATE = """
import sys, warnings
warnings.simplefilter("ignore")
import tse_core
from tse_core.paths import data_folder
tse_core.evaluate(data_folder() / "models" / "lab-systematic-causal", "marvin-linzen/simple").table()
loaded = (getattr(module, "__file__", None) for name, module in sys.modules.items() if name.startswith("tse_"))
print(*filter(None, loaded), sep="\\n")
"""


def lines(files: Iterable[Path]) -> int:
    """Lines of text files, blank ones and comments included."""
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def packages() -> list[tuple[str, int, int]]:
    """(package, modules, lines) of the two packages, the folders in them, and the tests."""
    folders = [SOURCE / "tse_core", SOURCE / "tse_book", SOURCE.parent / "tests"]
    folders += [
        f
        for package in folders[:2]
        for f in sorted(package.iterdir())
        if (f / "__init__.py").is_file()
    ]
    rows = []
    for folder in sorted(folders):
        files = [file for file in folder.rglob("*") if file.suffix in (".py", ".pyi")]
        rows.append((folder.relative_to(SOURCE.parent).as_posix(), len(files), lines(files)))
    return rows


def loaded() -> list[Path]:
    """The modules of this project that one `evaluate` on a laboratory folder imports."""
    done = subprocess.run(
        [sys.executable, "-c", EVALUATE], capture_output=True, text=True, check=True
    )  # noqa: S603  (own code)
    return [Path(line) for line in done.stdout.splitlines()]


def main() -> None:
    """Print the table."""
    for name, modules, count in packages():
        print(f"{name:34} {modules:4} modules {count:7,} lines")
    files = loaded()
    print(f"one evaluate on a laboratory folder loads {len(files)} modules, {lines(files):,} lines")


if __name__ == "__main__":
    main()
