"""One request to a server that speaks OpenAI's protocol, bounded in time and size.

Addresses are asked directly, without proxies and redirections, so that a key reaches nobody but the server.
"""

import json
import os
from concurrent.futures import Future
from threading import Thread

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError
from urllib3.util import Retry

from tse_core.errors import InputError
from tse_core.models.backends.server_answers import ServerError

KEY = "TSE_API_KEY"  # the environment variable that holds the server's key, if it wants one
LARGEST = 2**26  # bytes of an answer
BUSY = Retry(  # a server that restarts or is overloaded is asked again
    5, status_forcelist=(408, 429, 502, 503, 504), allowed_methods=None, backoff_factor=1, raise_on_status=False
)


def ask(address: str, body: dict | None = None, *, timeout: float, retry: Retry | int = BUSY) -> dict:
    """The answer to a request within `timeout` seconds in all: POST with a body, else GET.

    Raises ServerError for what the server does not do, InputError where it cannot be reached, takes longer, or answers
    something else than a JSON object.
    """
    asked: Future = Future()
    # A thread of its own: a server that sends a byte now and then never exceeds the time-outs of a connection.
    Thread(target=_exchange, args=(asked, address, body, timeout, retry), daemon=True).start()
    try:
        status, content = asked.result(timeout)
    except (TimeoutError, requests.Timeout):
        raise InputError(f"{address}: no answer within {timeout:g} seconds") from None
    except (requests.RequestException, HTTPError) as error:
        advice = "is a server running there? What is finished is kept, and the same command goes on from there"
        raise InputError(f"{address}: no answer ({error}); {advice}") from None
    shown = " ".join(content[:400].decode("utf-8", errors="replace").split())[:200]
    if status != 200:
        raise ServerError(f"it answers {status}: {shown}".removesuffix(": "))
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise InputError(f"{address}: its answer is not a JSON object of at most {LARGEST:,} bytes: {shown}")
    return answer


def _exchange(asked: Future, address: str, body: dict | None, timeout: float, retry: Retry | int) -> None:
    """Put HTTP's status and the answer's bytes into `asked`, or the library's error."""
    key = os.environ.get(KEY, "").strip()
    headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {key}"} if key else {})
    try:
        with requests.Session() as session:
            session.trust_env = False  # no proxy, no password of ~/.netrc
            for scheme in ("http://", "https://"):
                session.mount(scheme, HTTPAdapter(max_retries=retry))
            response = session.request(
                "GET" if body is None else "POST", address, json=body, timeout=timeout, stream=True,
                allow_redirects=False, headers=headers,
            )  # fmt: skip
            asked.set_result((response.status_code, response.raw.read(LARGEST)))
    except Exception as error:
        asked.set_exception(error)
