"""What several test files share."""

from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data beside the repository; tests that need it are skipped where it is missing."""
    folder = REPOSITORY.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the folder ../shared with the reference data is not there")
    return folder
