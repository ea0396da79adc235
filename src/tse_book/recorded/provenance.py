"""The folders of recorded runs, and the provenance.json in each, which lists checksums."""

import hashlib
import json
from pathlib import Path

from tse_core.errors import InputError
from tse_core.files import write_aside
from tse_core.paths import data_folder

PROVENANCE = "provenance.json"


def runs_folder(folder: Path | None = None) -> Path:
    """The folder of recorded runs: the project's own, unless another is given."""
    return folder or data_folder() / "recorded"


def run_folders(folder: Path | None = None) -> list[Path]:
    """The folder of each recorded run, by name."""
    return sorted(path.parent for path in runs_folder(folder).glob(f"*/{PROVENANCE}"))


def read_provenance(home: Path) -> dict:
    """The provenance of the recorded run in a folder. Raises InputError: there is none."""
    path = home / PROVENANCE
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        message = f"{path}: missing or not JSON; `tse book record` writes it"
        raise InputError(message) from None


def write_provenance(home: Path, provenance: dict) -> None:
    """Write the provenance of the recorded run in a folder."""
    text = json.dumps(provenance, indent=1) + "\n"
    write_aside(home / PROVENANCE, text.encode())


def checked_file(home: Path, name: str, checksum: str) -> Path:
    """A table's file in the folder of a run. Raises InputError: its SHA-256 is another."""
    path = home / f"{name}.parquet"
    if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != checksum:
        raise InputError(
            f"{path}: not the file that {PROVENANCE} lists; take the original or record it again"
        )
    return path
