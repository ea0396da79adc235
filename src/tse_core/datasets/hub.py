"""Tables of dataset repositories on the Hugging Face hub, by names such as ``hf:OWNER/NAME/PATH``.

A name is that of one file; subsets and splits have no name here. Its revision, a branch, a tag or
a commit, stands behind the repository's name as in the hub's own paths: hf:OWNER/NAME@v1.0/PATH.
As with models the cache of the hub's library (HF_HOME) is asked first, and the network only for
what it lacks: a table stays the same while others push to its branch, until another file of that
branch is fetched, with which the branch moves in the cache, too. A commit in the name never moves.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote

from huggingface_hub import constants, errors, hf_hub_download

from tse_core.datasets.formats import endings, read_file
from tse_core.datasets.raw_tables import RawTable
from tse_core.errors import InputError
from tse_core.hub import hub_address, hub_reason, hub_unreachable

PREFIX = "hf:"
# Beginnings of names: ours, and the addresses that a browser shows.
_BEGINNINGS = (PREFIX, "https://huggingface.co/datasets/", "https://hf.co/datasets/")
# Of the branches with a slash, those that the hub itself makes are read; others write it as %2F.
_REVISION_OF_HUB = re.compile(r"refs/(convert|pr)/[^/]+")
_NAME = re.compile(
    r"(?P<repository>[^/@]+/[^/@]+)"
    rf"(@(?P<revision>{_REVISION_OF_HUB.pattern}|[^/]+))?"
    r"(/(?P<path>.+))?"
)
_ADDRESS = re.compile(
    r"https://[^/]+/datasets/(?P<repository>[^/]+/[^/]+)"
    r"(/(blob|resolve|raw|tree)/(?P<revision>refs%2F\w+%2F\w+|[^/]+)(/(?P<path>[^?]+))?)?.*"
)


@dataclass(frozen=True)
class HubFile:
    """A file of a dataset repository; the path is empty where none is named."""

    repository: str
    path: str
    revision: str = constants.DEFAULT_REVISION

    def at(self, revision: str) -> str:
        """The name with a revision; the default branch is not written."""
        name = f"{PREFIX}{self.repository}"
        if revision != constants.DEFAULT_REVISION:
            if not _REVISION_OF_HUB.fullmatch(revision):
                revision = quote(revision, safe="")
            name += f"@{revision}"
        return f"{name}/{self.path}".rstrip("/")

    def __str__(self) -> str:
        return self.at(self.revision)


def is_hub_name(name: str) -> bool:
    """Whether a name is that of a file on the hub, or its address in a browser."""
    return name.startswith(_BEGINNINGS)


def parse_hub_name(name: str) -> HubFile:
    """The file of a name, also as pandas writes it (``hf://datasets/OWNER/NAME/PATH``).

    Raises InputError for any other form; of an address in a browser it says the name.

    >>> parse_hub_name("hf:jumelet/multiblimp@main/eng/data.tsv").path
    'eng/data.tsv'
    """
    address = _ADDRESS.fullmatch(name)
    if address:
        file = _file(address)
        raise InputError(f"{name}: files on the hub are read by their names; write {file}")
    parts = name.removeprefix(PREFIX).lstrip("/").removeprefix("datasets/")
    match = _NAME.fullmatch(parts)
    if match is None:
        form = "hf:OWNER/NAME/PATH or hf:OWNER/NAME@REVISION/PATH"
        raise InputError(f"{name}: is no file on the Hugging Face hub; a name reads {form}")
    return _file(match)


def _file(match: re.Match[str]) -> HubFile:
    revision = unquote(match["revision"] or constants.DEFAULT_REVISION)
    return HubFile(match["repository"], (match["path"] or "").strip("/"), revision)


def read_hub_table(name: str) -> RawTable:
    """The rows of a file on the hub, as `read_file` gives them, from the cache or fetched into it.

    The table's name is that of the file without a revision, since a hash of the contents tells
    revisions apart; its stem is the path without its ending, its source the name with the commit.
    Raises InputError: a form that is not read, no network, no such repository, revision or file,
    terms that must be accepted, mistakes in the file.
    """
    file = parse_hub_name(name)
    path = _local_path(file)
    try:
        raw, _ = read_file(path)
    except InputError as error:
        raise InputError(str(error).replace(str(path), str(file))) from None
    # The path ends in snapshots/COMMIT/PATH.
    depth = len(PurePosixPath(file.path).parts)
    commit = path.parents[depth - 1].name
    return replace(
        raw,
        where=str(file),
        lines=[line.replace(raw.where, str(file), 1) for line in raw.lines],
        name=file.at(constants.DEFAULT_REVISION),
        stem=str(PurePosixPath(file.path).with_suffix("")),
        source=file.at(commit),
    )


def _local_path(file: HubFile) -> Path:
    """The path of a file in the cache, into which it is fetched if need be. Raises InputError."""
    if not file.path.lower().endswith(endings()):
        raise InputError(f"{file}: a name ends in the path of one file, {', '.join(endings())}")
    path = _fetched(file, local_files_only=True)
    if path is not None:
        return path
    reason = hub_unreachable()
    if reason:
        cache = constants.HF_HUB_CACHE
        raise InputError(f"{file}: the cache {cache} does not have it, and {reason}")
    path = _fetched(file, local_files_only=False)
    if path is None:
        raise InputError(f"{file}: the connection broke while it was fetched; try again")
    return path


def _fetched(file: HubFile, *, local_files_only: bool) -> Path | None:
    """The path of a file in the cache; None where it is not there and nothing was reached.

    Raises InputError for any other error of the hub's library, of the connection or of the disk.
    """
    page = f"{hub_address()}/datasets/{file.repository}"
    try:
        path = hf_hub_download(
            file.repository,
            file.path,
            repo_type="dataset",
            revision=file.revision,
            local_files_only=local_files_only,
        )
        return Path(path)
    # Of the cache, or of the network where nothing could be reached.
    except errors.LocalEntryNotFoundError:
        return None
    except errors.RevisionNotFoundError:
        reason = f"{page} has no branch, tag or commit {file.revision!r}"
    except errors.RemoteEntryNotFoundError:
        reason = f"{page} has no file {file.path!r} at {file.revision}"
    except Exception as error:
        reason = f"could not be fetched from the Hugging Face hub: {hub_reason(error, page)}"
    raise InputError(f"{file}: {reason}")
