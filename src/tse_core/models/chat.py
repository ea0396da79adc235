"""What a model reads before a sentence in a chat: a user's message in the tokenizer's chat template.

A template is a program, written by the model's makers, which may never end. It is run in
a separate process of bounded time, memory and output.
"""

import json
import sys
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tse_core.errors import InputError
from tse_core.models.subprocesses import run_command

LONGEST, LARGEST = 60.0, 2**22  # seconds, most of which is for importing; bytes of a rendered chat
RENDER = """
import json, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32))
except ImportError:  # not on Windows
    pass
from transformers.utils.chat_template_utils import render_jinja_template
with open(sys.argv[1], encoding="utf-8") as file:
    asked = json.load(file)
try:
    chats, _ = render_jinja_template(**asked)
    sys.stdout.buffer.write(chats[0].encode())
except Exception as error:  # whatever the template's own language raises
    sys.exit(" ".join((str(error) or type(error).__name__).split())[:200])
"""


@dataclass(frozen=True)
class Chat:
    """A user's message, to which sentences are read as the reply."""

    message: str

    def ids(self, name: str, tokenizer) -> tuple[int, ...]:
        """The ids of the chat up to where the model's reply begins.

        Raises InputError where there is no template, or it takes no message of a user's alone or does not end.
        """
        if not tokenizer.chat_template:
            raise InputError(f"{name} has no chat template; leave chat out")
        try:
            template = tokenizer.get_chat_template()
        except ValueError as error:  # several templates, none of them the default
            raise InputError(f"{name} has no default chat template ({' '.join(str(error).split())[:200]})") from None
        special = {role: str(token) for role, token in tokenizer.special_tokens_map.items()}
        text = _rendered(name, template, self.message, tuple(special.items()))
        return tuple(tokenizer(text, add_special_tokens=False)["input_ids"])


@lru_cache(maxsize=64)
def _rendered(name: str, template: str, message: str, special: tuple[tuple[str, str], ...]) -> str:
    """The chat as a text."""
    asked: dict[str, object] = dict(special) | {"chat_template": template, "add_generation_prompt": True}
    asked |= {"conversations": [[{"role": "user", "content": message}]]}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "chat.json")
        file.write_text(json.dumps(asked), encoding="utf-8")
        ended = run_command([sys.executable, "-P", "-c", RENDER, str(file)], LONGEST, LARGEST)
    if ended.stopped:
        limit = f"{LONGEST:g} seconds" if ended.stopped == "time" else f"{LARGEST:,} bytes"
        raise InputError(f"the chat template of {name} does not end within {limit}; leave chat out")
    if ended.code:
        reason = (ended.errors.decode(errors="replace").strip().splitlines() or [f"exit code {ended.code}"])[-1]
        raise InputError(f"the chat template of {name} takes no message ({reason[:200]})")
    return ended.output.decode()
