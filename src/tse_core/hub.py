"""What models and data of the Hugging Face hub share: its address, whether it answers, its errors.

The hub's own library fetches files, and keeps them in its cache (HF_HOME).
"""

import os
import socket
from urllib.parse import urlsplit

from huggingface_hub import errors

from tse_core.errors import one_line


def hub_address() -> str:
    """The address of the hub, without a slash at its end."""
    return os.environ.get("HF_ENDPOINT") or "https://huggingface.co"


def refuses_token(error: Exception) -> bool:
    """Whether an error of the hub's library says that the token is not accepted."""
    response = getattr(error, "response", None)
    is_401 = getattr(response, "status_code", None) == 401
    return is_401 and not isinstance(error, errors.RepositoryNotFoundError)


def hub_unreachable() -> str:
    """The reason why nothing can be downloaded from the hub; empty if it can.

    The library tries a machine without a network for a minute and more; one connection says it in
    seconds.
    """
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        if os.environ.get(name, "").upper() in ("1", "TRUE", "YES", "ON"):
            return f"{name} forbids downloading it"
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        if os.environ.get(name):
            return ""  # only the proxy knows
    if not hub_address().startswith(("http://", "https://")):
        return f"HF_ENDPOINT is {hub_address()!r}; it must begin with https://"
    try:
        address = urlsplit(hub_address())
        port = address.port or {"http": 80, "https": 443}[address.scheme]
        socket.create_connection((address.hostname, port), timeout=5).close()
    except (OSError, ValueError, KeyError):
        return (
            f"{hub_address()} cannot be reached: download it where there is a network and set "
            "HF_HOME to that cache"
        )
    return ""


def hub_reason(error: Exception, page: str) -> str:
    """Why the hub's library gives no file of a repository, in one line; `page` is its address."""
    cause: BaseException = error
    # The first of the two is one of the second, too.
    if isinstance(error, errors.GatedRepoError):
        return f"its owners want their terms accepted: do so at {page}, then set HF_TOKEN"
    if isinstance(error, errors.RepositoryNotFoundError):
        return f"there is no {page}; a private one needs HF_TOKEN, a token that may read it"
    # The library's error about its empty cache hides why it could not download.
    if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__:
        cause = error.__cause__
    if refuses_token(error):
        return (
            "your token is not accepted (401), perhaps because it expired: renew it, or, as public "
            "repositories need none, unset HF_TOKEN and log out (hf auth logout)"
        )
    reason = f"{type(cause).__name__}: {one_line(cause, 200)}"
    if "CERTIFICATE_VERIFY_FAILED" in reason:
        reason += "; SSL_CERT_FILE names the file with your network's certificates"
    return reason
