"""The folder of the gym's pages: what is in it belongs to them, and only that is ever removed."""

import re
from pathlib import Path

from tse_core.errors import InputError
from tse_core.files import read_text, write_output

MANIFEST = ".gym-pages"  # lists the files that belong to the pages: nothing else is ever removed


def check_pages_folder(folder: str | Path) -> list[str]:
    """The files of earlier pages in a folder, as their manifest lists them. Raises InputError where there are others.

    A part that a stopped run left behind counts as one of them.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; the pages are written into a folder")
    listed = set(read_text(folder / MANIFEST).split("\n")) - {""} if (folder / MANIFEST).exists() else set()
    found = []
    for path in folder.rglob("*") if folder.is_dir() else ():
        name = path.relative_to(folder).as_posix()
        if path.is_dir() and not path.is_symlink():
            if name not in ("pages", "data"):
                raise _foreign(folder, name)
        elif name in listed or re.search(r"\.[0-9a-f]{12}\.part$", name):
            found.append(name)
        elif name != MANIFEST:
            raise _foreign(folder, name)
    return found


def _foreign(folder: Path, name: str) -> InputError:
    return InputError(f"{folder} holds {name}, which is none of the gym's pages; choose a new or an empty folder")


def write_files(files: dict[str, str], folder: Path) -> None:
    """Write and remove files; each is in the manifest from before it is written until after it is removed."""
    old = check_pages_folder(folder)
    for part in ("pages", "data"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    write_output(folder / MANIFEST, "".join(f"{name}\n" for name in sorted({*old, *files})))
    for name, text in files.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            write_output(path, text)
    for name in set(old) - set(files):
        (folder / name).unlink(missing_ok=True)
    write_output(folder / MANIFEST, "".join(f"{name}\n" for name in sorted(files)))
