"""Talking to a server that speaks OpenAI's protocol: one request, its answer as JSON, and no endless waits.

A server that is briefly unavailable (restarting or overloaded) is asked again after a while. One that
refuses a request says why in its own words. Addresses are asked directly: no proxy, no redirection, so that a key
reaches nobody but the server.
"""

import json
import os
import time
from collections.abc import Sequence

import requests

from tse_core.errors import InputError

KEY = "TSE_API_KEY"  # the environment variable that holds the server's key, if it wants one
WAITS = (1.0, 2.0, 4.0, 8.0, 16.0)  # seconds before each further attempt
LARGEST = 2**26  # bytes of an answer
BUSY = (408, 429, 502, 503, 504)  # HTTP's words for "later"


class ServerError(Exception):
    """The server does not do what it is asked, or answers something else; the message says what, in its words."""

    def __init__(self, message: str, status: int = 200):
        super().__init__(message)
        self.status = status  # HTTP's


def ask(
    address: str, path: str, body: dict | None = None, *, timeout: float, waits: Sequence[float] | None = None
) -> dict:
    """The answer to a request: POST with a body, else GET.

    Raises ServerError for what the server does not do, InputError where it cannot be reached, takes longer than
    `timeout` seconds, or answers something else than a JSON object.
    """
    trouble, waits = "", WAITS if waits is None else waits
    for wait in (0.0, *waits):
        time.sleep(wait)
        try:
            status, content = _exchange(address, path, body, timeout)
        except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError) as error:
            trouble = _cause(error)
            continue
        if status in BUSY:
            trouble = f"it answers {status}"
            continue
        if status != 200:
            raise ServerError(f"it answers {status}: {_reason(content)}".removesuffix(": "), status)
        if isinstance(answer := _json(content), dict):
            return answer
        raise InputError(f"{address}: its answer is not a JSON object: {_short(content)}")
    advice = "what is finished is kept, the same command goes on from there" if waits else "is a server running there?"
    raise InputError(f"{address}: no answer ({trouble}); {advice}")


def _exchange(address: str, path: str, body: dict | None, timeout: float) -> tuple[int, bytes]:
    """One request: HTTP's status and the answer's bytes. A connection that breaks raises the library's error."""
    end, content = time.monotonic() + timeout, bytearray()
    key = os.environ.get(KEY, "").strip()
    try:
        with requests.Session() as session:
            session.trust_env = False  # no proxy, no password of ~/.netrc
            response = session.request(
                "GET" if body is None else "POST", address.rstrip("/") + path, json=body, timeout=timeout, stream=True,
                allow_redirects=False, headers={"Authorization": f"Bearer {key}"} if key else {},
            )  # fmt: skip
            for chunk in response.iter_content(65536):
                content += chunk
                if len(content) > LARGEST:
                    raise InputError(f"{address}: its answer is longer than {LARGEST:,} bytes")
                if time.monotonic() > end:
                    raise requests.Timeout
    except requests.Timeout:
        raise InputError(f"{address}: no answer within {timeout:g} seconds") from None
    except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError):
        raise
    except (requests.RequestException, ValueError) as error:
        raise InputError(f"{address}: cannot be asked ({error})") from None
    return response.status_code, bytes(content)


def _cause(error: BaseException) -> str:
    """What the innermost of several wrapped errors says."""
    inner = next((part for part in (getattr(error, "reason", None), *error.args) if isinstance(part, Exception)), None)
    return _cause(inner) if inner else str(error) or type(error).__name__


def _json(content: bytes) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _reason(content: bytes) -> str:
    """What a refusal says, in the places where servers put it."""
    said = _json(content)
    for name in ("error", "detail", "message"):
        said = said.get(name, said) if isinstance(said, dict) else said
    return _short(content if said is None else str(said).encode(errors="replace"))


def _short(content: bytes) -> str:
    return " ".join(content[:400].decode("utf-8", errors="replace").split())[:200]
