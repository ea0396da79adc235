"""The provenance of recorded runs: provenance.json, beside the files whose checksums it lists."""

import hashlib
import json
from pathlib import Path

from tse_core.errors import InputError
from tse_core.files import write_aside
from tse_core.paths import data_folder

PROVENANCE = "provenance.json"


def read_provenance(home: Path) -> dict:
    """The provenance of a recorded run."""
    try:
        return json.loads((home / PROVENANCE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError(
            f"{home / PROVENANCE}: missing or not JSON; `tse record` writes it"
        ) from None


def write_provenance(home: Path, made: dict) -> None:
    """Keep how a recorded run came about."""
    write_aside(home / PROVENANCE, (json.dumps(made, indent=1) + "\n").encode())


def checked_file(home: Path, name: str, checksum: str) -> Path:
    path = home / f"{name}.parquet"
    if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != checksum:
        raise InputError(
            f"{path}: not the file that {PROVENANCE} lists; take the original or record it again"
        )
    return path


def run_folders(folder: Path | None) -> list[Path]:
    folder = folder or data_folder() / "recorded"
    return sorted(path.parent for path in folder.glob(f"*/{PROVENANCE}"))
