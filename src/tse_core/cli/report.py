"""The report of a fault in the program: what happened, with which versions, and how to file it."""

import platform
import shlex
import tempfile
import traceback
from importlib import metadata
from pathlib import Path

from tse_core import __version__

OURS = ("tse_core/", "tse_book/")  # two packages in one folder
PACKAGES = ("torch", "transformers", "numpy", "pandas", "pyarrow", "typer")


def write_report(error: BaseException, arguments: list[str]) -> str:
    """Write the whole report to a file; returns the few lines for the terminal."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if _named(frame.filename).startswith(OURS)] or frames
    place = f"{_named(ours[-1].filename)}, line {ours[-1].lineno}" if ours else "an unknown place"
    what = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    lines = [f"tse: internal error in {place}: {what}", f"  {versions()}"]
    text = "\n".join([f"$ tse {shlex.join(arguments)}", versions(), "", *traceback.format_exception(error)])
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="tse-report-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
        ) as file:
            file.write(text)
        enclosed = file.name
    except OSError:
        enclosed = "these lines"
    lines.append(f"  This is a bug in tse, not your mistake. Please report it where you got tse, with {enclosed}")
    return "\n".join(lines)


def _named(filename: str) -> str:
    """A file of our packages from the package's name on; another file with its folder."""
    path, home = Path(filename), Path(__file__).parents[2]
    return (path.relative_to(home) if path.is_relative_to(home) else Path(*path.parts[-2:])).as_posix()


def versions() -> str:
    """The versions of Python, the platform and the packages."""
    found = [
        f"tse-core {__version__}",
        f"Python {platform.python_version()}",
        f"{platform.system()} {platform.machine()}",
    ]
    for package in PACKAGES:
        try:
            found.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            found.append(f"{package} missing")
    return ", ".join(found)
