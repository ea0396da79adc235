"""What the Hugging Face hub, the connection or the disk refused, in one line that says what to do."""

import errno
import os
from urllib.parse import SplitResult, urlsplit

from tse_core.errors import InputError
from tse_core.models.folders import laboratory_models

TEMPORARY = (408, 429, 500, 502, 503, 504)  # status codes of temporary failures


def address() -> SplitResult:
    """Where the hub is: $HF_ENDPOINT, else huggingface.co."""
    return urlsplit(os.environ.get("HF_ENDPOINT") or "https://huggingface.co")


def is_temporary(error: BaseException) -> bool:
    """Whether a failure may be temporary: too many requests, a broken connection, a busy server."""
    error = _root(error)
    return _status(error) in TEMPORARY or _broken(error) or "Consistency check failed" in str(error)


def said(error: BaseException) -> str:
    """What happened, in a few words."""
    error, host = _root(error), address().hostname
    if status := _status(error):
        return f"{host} answers {status}" + {429: " (too many requests)", 503: " (not available)"}.get(status, "")
    if "Consistency check failed" in str(error):
        return f"the download from {host} is not as long as announced"
    return f"the connection to {host} broke off ({type(error).__name__})"


def refused(name: str, place: str, error: Exception) -> InputError:
    """The one line for a failure that stays."""
    root, host = _root(error), address().hostname
    kind, status = {base.__name__ for base in type(root).__mro__}, _status(root)
    if isinstance(root, OSError) and root.errno in (errno.ENOSPC, errno.EDQUOT):
        from huggingface_hub.constants import HF_HUB_CACHE

        return InputError(
            f"{name}: the disk is full; free some of it, or set HF_HOME to a folder on another disk (its files go to "
            f"{HF_HUB_CACHE})"
        )
    if isinstance(root, PermissionError):
        return InputError(f"{name}: the hub's cache cannot be written ({root}); HF_HOME chooses another folder")
    if "GatedRepoError" in kind:
        return InputError(
            f"{name}: its owners give access only to those who accept their terms: accept them at {host}/{place}, then "
            "set HF_TOKEN"
        )
    if "RevisionNotFoundError" in kind:
        return InputError(f"{name}: the hub has no such revision of it; a revision is a branch, a tag or a commit")
    if "EntryNotFoundError" in kind and status:
        return InputError(f"{name} has no config.json on the hub, so it is not a model that can be opened by its name")
    if status in (401, 403, 404):
        return unknown_model(name, f"{host} answers {status}; a private model needs HF_TOKEN, a token that may read it")
    if status == 429:
        return InputError(
            f"{name}: {said(error)}, also after pauses: wait five minutes, or set HF_TOKEN, which raises the limit"
        )
    if is_temporary(root):
        return InputError(f"{name}: {said(error)}, also when tried again: run it again later")
    reason = f"{type(root).__name__}: {' '.join(str(root).split())[:200]}"
    return InputError(f"{name}: could not be fetched from {host} ({reason})")


def unknown_model(name: str, reason: str) -> InputError:
    """The line for a name that means no model; `reason` says why the hub gives none."""
    return InputError(
        f"unknown model {name!r}: no such folder, none of the project's own ({', '.join(laboratory_models())}), and "
        f"could not be fetched from the Hugging Face hub: {reason}"
    )


def _status(error: BaseException) -> int | None:
    return getattr(getattr(error, "response", None), "status_code", None)


def _root(error: BaseException) -> BaseException:
    """The error below the library's own that says what happened: the hub's answer, or the connection's end."""
    while _status(error) is None and not _broken(error) and error.__cause__ is not None:
        error = error.__cause__
    return error


def _broken(error: BaseException) -> bool:
    """Whether a connection failed; httpx is recognised by class name, as newer versions rename its module."""
    return any(base.__name__ == "TransportError" for base in type(error).__mro__) or isinstance(error, ConnectionError)
