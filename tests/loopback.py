"""A server on this machine that speaks OpenAI's completions protocol for a small model, and misbehaves when told to."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import torch


def pieces(model, prompt: str) -> list[tuple[str, float | None]]:
    """(text, log-probability) of each token that the model's tokenizer makes of a prompt; None for the first."""
    ids = model.tokenizer(prompt, add_special_tokens=False)["input_ids"]
    columns = torch.arange(len(ids) - 1)
    logits = model.network.logits(torch.tensor([ids]), torch.zeros_like(columns), columns)
    values = logits.log_softmax(-1)[columns, torch.tensor(ids[1:])].tolist()
    return list(zip(model.tokens(ids), [None, *values], strict=True))


def echoed(model, body: dict) -> dict:
    """As llama-cpp-python and vLLM answer to logprobs: with echo the prompt, then the token generated.

    Without echo that is "author", with it "more".
    """
    if "echo" in body:
        found, text = [*pieces(model, body["prompt"]), (" more", -0.5)], body["prompt"] + " more"
    else:
        token, value = pieces(model, f"{body['prompt']} author")[-1]
        found, text = [(f" {token}", value)], f" {token}"
    tokens, values = map(list, zip(*found, strict=True))
    logprobs = {"tokens": tokens, "token_logprobs": values, "text_offset": [], "top_logprobs": None}
    choice = {"index": 0, "text": text, "logprobs": logprobs, "finish_reason": "length"}
    return {"object": "text_completion", "model": body["model"], "choices": [choice]}


@contextmanager
def serving(model, answer=echoed, names=("tiny",)):
    """The server's address; `answer(model, body)` gives an answer, bytes to send, or a status with an answer and headers.

    Bytes may come in several parts. What it is asked is kept in the list `asked`, an attribute of the address.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802
            listed = [
                {"id": name, "object": "model", "created": id(self), "owned_by": "test"}
                for name in names
            ]
            self.reply({"object": "list", "data": listed})

        def do_POST(self):  # noqa: N802
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            place.asked.append(body)
            place.keys.append(self.headers.get("Authorization"))
            self.reply(answer(model, body))

        def reply(self, found):
            status, found, *headers = found if isinstance(found, tuple) else (200, found)
            self.send_response(status)
            for name, value in [item for each in headers for item in each.items()]:
                self.send_header(name, value)
            self.end_headers()
            if isinstance(found, dict):
                found = json.dumps(found).encode()
            for part in [found] if isinstance(found, bytes) else found:
                self.wfile.write(part)

        def log_message(self, *_):
            pass

    with listening(Handler) as port:
        place = Address(f"http://127.0.0.1:{port}/v1")
        place.asked, place.keys = [], []
        yield place


@contextmanager
def listening(handler):
    """The port of a server on this machine whose requests a handler answers."""

    class Server(ThreadingHTTPServer):
        daemon_threads, block_on_close = True, False

        def handle_error(self, *_):
            pass

    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


class Address(str):
    """An address, with what was asked there."""
