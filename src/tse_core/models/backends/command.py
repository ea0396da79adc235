"""Language models behind a command, which may be any executable, also one that runs a container.

The command supports SyntaxGym's three actions on a file with one sentence per line:

    COMMAND tokenize FILE         the tokens of each sentence, separated by spaces
    COMMAND unkify FILE           for each token 1 where the model does not know it, else 0
    COMMAND get_surprisals FILE   a table, separated by tabs: sentence_id token_id token surprisal (bits; ids from 1)
"""

import hashlib
import math
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from tse_core.errors import InputError
from tse_core.models.spelling import spell
from tse_core.models.surprisal_model import SurprisalModel, TokenSurprisals

HEADER = ["sentence_id", "token_id", "token", "surprisal"]


class CommandModel(SurprisalModel):
    """A model behind a command: its first words; the action and the file follow.

    With `mount` the command is ``docker run``, and the file's folder is mounted at the same place, to be read only.
    """

    kind = "command"
    device = "cpu"

    def __init__(self, command: Sequence[str], *, name: str, mount: bool = False):
        super().__init__(name)
        self.command, self.mount = list(command), mount

    def identity(self) -> str:
        """Name and hash of the command and of every file that it names (of an image only its name is known)."""
        return f"{self.name}@{self._digest}"

    @cached_property
    def _digest(self) -> str:
        digest = hashlib.sha256("\0".join(self.command).encode())
        options = [part for word in self.command[1:] for part in (word, word.partition("=")[2])]
        for file in map(Path, filter(None, [shutil.which(self.command[0]), *options])):
            if not self.mount and file.is_file():
                with file.open("rb") as content:
                    digest.update(hashlib.file_digest(content, "sha256").digest())
        return digest.hexdigest()[:8]

    def policies(self) -> dict[str, str]:
        return {"score": "command"}

    def with_policies(self, *, bos=None, space=None) -> "CommandModel":
        """Itself; raises InputError for any policy, because the command decides what is read before a sentence."""
        if bos is not None or space is not None:
            raise InputError(f"{self.name} is behind a command, which itself decides what is read before a sentence")
        return self

    def tokenize(self, sentences: Sequence[str]) -> list[list[str]]:
        return self._words("tokenize", sentences)

    def unkify(self, sentences: Sequence[str]) -> list[list[bool]]:
        lines = self._words("unkify", sentences)
        if not {mark for marks in lines for mark in marks} <= {"0", "1"}:
            raise InputError(f"{self.name} unkify: its marks must be 0 and 1")
        return [[mark == "1" for mark in marks] for marks in lines]

    def token_surprisals(self, sentences: Sequence[str]) -> list[TokenSurprisals]:
        """The surprisal of every token of every sentence; raises InputError where the tokens do not spell it."""
        header, *rows = self._run("get_surprisals", sentences).strip("\n").split("\n")
        if header.split() != HEADER:
            raise InputError(f"{self.name} get_surprisals: the first line must be {' '.join(HEADER)}")
        table: dict[str, list[tuple[str, float]]] = {str(number): [] for number in range(1, len(sentences) + 1)}
        for row in rows:
            try:
                sentence_id, token_id, token, surprisal = row.split("\t") if "\t" in row else row.split()
                found, bits = table[sentence_id], float(surprisal)
                right = int(token_id) == len(found) + 1 and math.isfinite(bits)
            except (ValueError, KeyError):
                right = False
            if not right:
                raise InputError(f"{self.name} get_surprisals: unexpected row {row!r}")
            found.append((token, bits))
        scores = []
        for sentence, unknown, found in zip(sentences, self.unkify(sentences), table.values(), strict=True):
            tokens = [token for token, _ in found]
            spans = spell(sentence, tokens, unknown) if len(tokens) == len(unknown) else None
            if spans is None:
                message = f"the tokens {' '.join(tokens)!r}, {sum(unknown)} of them unknown, do not spell {sentence!r}"
                raise InputError(f"{self.name} get_surprisals: {message}")
            scores.append(TokenSurprisals.given(tokens, spans, [bits for _, bits in found], unknown))
        return scores

    def _words(self, action: str, sentences: Sequence[str]) -> list[list[str]]:
        """The words of each line, one line a sentence."""
        lines = self._run(action, sentences).removesuffix("\n").split("\n") if sentences else []
        if len(lines) != len(sentences):
            raise InputError(f"{self.name} {action}: {len(lines)} lines for {len(sentences)} sentences")
        return [line.split() for line in lines]

    def _run(self, action: str, sentences: Sequence[str]) -> str:
        """What the command prints for a file of these sentences."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)  # a container may run as another user
            file = Path(folder, "sentences.txt")
            file.write_text("".join(" ".join(sentence.split()) + "\n" for sentence in sentences), encoding="utf-8")
            mounted = ["-v", f"{folder}:{folder}:ro"] if self.mount else []
            command = [*self.command[:-1], *mounted, self.command[-1], action, str(file)]
            try:
                done = subprocess.run(  # noqa: S603  (the user's command)
                    command, stdin=subprocess.DEVNULL, capture_output=True, timeout=self.timeout, check=True
                )
            except OSError as error:
                raise InputError(f"{self.name}: {command[0]!r} cannot be run ({error.strerror})") from None
            except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
                code = getattr(error, "returncode", None)
                why = f"no end after {self.timeout:g} seconds" if code is None else f"exit code {code}"
                last = (error.stderr or error.stdout or b"")[-500:].decode(errors="replace").splitlines()[-3:]
                said = f"; it ended with: {' | '.join(last)}" if last else ""
                raise InputError(f"{self.name} {action}: {why}{said}") from None
        return done.stdout.decode("utf-8", errors="replace")


def open_command(name: str) -> CommandModel:
    """The model of a name like ``command:./my-model --big`` or ``docker://me/my-model``. Raises InputError."""
    scheme, _, rest = name.partition(":")
    if scheme == "docker":
        image = rest.removeprefix("//")
        return CommandModel(["docker", "run", "--rm", "--network", "none", image], name=image, mount=True)
    try:
        command = shlex.split(rest)
    except ValueError as error:
        raise InputError(f"{name}: not a command line ({error})") from None
    if not command:
        raise InputError(f"{name!r} names no command; write command:./my-model")
    return CommandModel(command, name=Path(command[0]).name)
