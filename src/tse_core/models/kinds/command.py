"""Language models behind a command, which may be any executable, also one that runs a container.

The command supports three actions on a file with one sentence per line, like container images of language models:

    COMMAND tokenize FILE         the tokens of each sentence, separated by spaces
    COMMAND unkify FILE           for each token 1 where the model does not know it, else 0
    COMMAND get_surprisals FILE   a table, separated by tabs: sentence_id token_id token surprisal (bits; ids from 1)

Tokens come as text, so the place of each in its sentence is found by spelling the sentence with them, ignoring
case, accents and word-boundary marks; an unknown token stands for the rest of a word, a mark like <eos> for nothing.
"""

import hashlib
import math
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from tse_core.errors import InputError
from tse_core.files import lines_of
from tse_core.models.identity import cached, file_digest
from tse_core.models.kinds.request import Request
from tse_core.models.spelling import spell
from tse_core.models.subprocesses import LARGEST, run_command
from tse_core.models.surprisal_model import TIMEOUT, GivenScores, SurprisalModel

HEADER = ["sentence_id", "token_id", "token", "surprisal"]


class CommandModel(SurprisalModel):
    """A model behind a command.

    Parameters
    ----------
    command : list of str
        The executable and its first arguments; the action and the file follow.
    name : str
        How results call it.
    timeout : float
        Seconds an action may take.
    mount : bool
        The command is ``docker run``: the file's folder is mounted at the same place, to be read only.
    """

    kind = "command"
    device = "cpu"

    def __init__(self, command: Sequence[str], *, name: str, timeout: float = TIMEOUT, mount: bool = False):
        super().__init__(name, timeout)
        self.command, self.mount = list(command), mount

    def identity(self) -> str:
        """Name and hash of the command and of every file that it names (of an image only its name is known)."""
        digest = hashlib.sha256("\0".join(self.command).encode())
        for file in [] if self.mount else self._files():
            digest.update(cached([file], partial(file_digest, [file])).encode())
        return f"{self.name}@{digest.hexdigest()[:8]}"

    def _files(self) -> list[Path]:
        """The executable, and the arguments that are files, also as ``--option=FILE``."""
        named = [part for word in self.command[1:] for part in (word, word.partition("=")[2])]
        return [Path(f) for f in (shutil.which(self.command[0]), *named) if f and Path(f).is_file()]

    def policies(self) -> dict[str, str]:
        return {"score": "command"}

    def with_policies(self, *, bos=None, space=None) -> "CommandModel":
        """Itself; raises InputError for any policy, because the command decides what is read before a sentence."""
        if bos is not None or space is not None:
            raise InputError(f"{self.name} is behind a command, which itself decides what is read before a sentence")
        return self

    def tokenize(self, sentences: Sequence[str]) -> list[list[str]]:
        """The tokens of each sentence."""
        return [line.split() for line in self._lines("tokenize", sentences)]

    def unkify(self, sentences: Sequence[str]) -> list[list[bool]]:
        """For each token of each sentence whether the model does not know it."""
        lines = [line.split() for line in self._lines("unkify", sentences)]
        for number, marks in enumerate(lines, 1):
            if wrong := [mark for mark in marks if mark not in ("0", "1")]:
                raise self._error("unkify", f"sentence {number} has {wrong[0]!r} where 0 or 1 belongs")
        return [[mark == "1" for mark in marks] for marks in lines]

    def token_surprisals(self, sentences: Sequence[str]) -> list[GivenScores]:
        """The surprisal of every token of every sentence, with its place in the sentence."""
        marks = self.unkify(sentences)
        table = self._surprisals(sentences)
        scores = []
        for number, (sentence, unknown, rows) in enumerate(zip(sentences, marks, table, strict=True), 1):
            tokens = [token for token, _ in rows]
            if len(tokens) != len(unknown):
                message = f"sentence {number} has {len(tokens)} tokens, but unkify gives {len(unknown)} marks"
                raise self._error("get_surprisals", message)
            spans = spell(sentence, tokens, unknown)
            if spans is None:
                message = f"the tokens of sentence {number}, {' '.join(tokens)!r}, do not spell {sentence!r}"
                raise self._error("get_surprisals", message)
            starts, ends = np.array(spans, dtype=int).reshape(-1, 2).T
            bits = np.array([value for _, value in rows])
            scores.append(GivenScores(tokens, starts, ends, bits, np.array(unknown, dtype=bool)))
        return scores

    def _surprisals(self, sentences) -> list[list[tuple[str, float]]]:
        """(token, bits) of each sentence, from the table the command prints."""
        lines = [line for line in lines_of(self._run("get_surprisals", sentences)) if line.strip()]
        rows = [line.split("\t") if "\t" in line else line.split() for line in lines]
        if not rows or rows[0] != HEADER:
            raise self._error("get_surprisals", f"the first line must be {' '.join(HEADER)}", lines)
        found: list[list[tuple[str, float]]] = [[] for _ in sentences]
        for row in rows[1:]:
            try:
                sentence, position, token, bits = int(row[0]), int(row[1]), row[2], float(row[3])
                fits = len(row) == 4 and sentence >= 1 and position == len(found[sentence - 1]) + 1
            except (ValueError, IndexError):
                fits = False
            if not fits or not math.isfinite(bits):
                raise self._error("get_surprisals", f"unexpected row {' '.join(row)!r}", lines)
            found[sentence - 1].append((token, bits))
        return found

    def _lines(self, action: str, sentences) -> list[str]:
        output = self._run(action, sentences)
        lines = lines_of(output.removesuffix("\n")) if output else []
        if len(lines) != len(sentences):
            raise self._error(action, f"{len(lines)} lines for {len(sentences)} sentences", lines)
        return lines

    def _run(self, action: str, sentences: Sequence[str]) -> str:
        """What the command prints for a file of these sentences."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "sentences.txt")
            file.write_text("".join(" ".join(sentence.split()) + "\n" for sentence in sentences), encoding="utf-8")
            command = [*self.command, action, str(file)]
            if self.mount:
                Path(folder).chmod(0o755)
                command = [*self.command[:-1], "-v", f"{folder}:{folder}:ro", self.command[-1], action, str(file)]
            try:
                ended = run_command(command, self.timeout)
            except OSError as error:
                raise InputError(f"{self.name}: {command[0]!r} cannot be run ({error.strerror})") from None
        if ended.stopped == "output":
            raise self._error(action, f"more than {LARGEST:,} bytes of output")
        if ended.stopped:
            raise self._error(action, f"no end after {self.timeout:g} seconds", _text(ended.errors + ended.output))
        if ended.code:
            raise self._error(action, f"exit code {ended.code}", _text(ended.errors or ended.output))
        return ended.output.decode("utf-8", errors="replace")

    def _error(self, action: str, message: str, output: Sequence[str] = ()) -> InputError:
        last = " | ".join([line.strip()[:200] for line in output if line.strip()][-3:])
        return InputError(f"{self.name} {action}: {message}" + (f"; it ended with: {last}" if last else ""))


def open_command(request: Request) -> CommandModel:
    """The model of a name like ``command:./my-model --big`` or ``docker://me/my-model``. Raises InputError."""
    scheme, _, rest = request.name.partition(":")
    if scheme == "docker":
        image = rest.removeprefix("//")
        model = CommandModel(["docker", "run", "--rm", "--network", "none", image], name=image, mount=True)
    else:
        try:
            command = shlex.split(rest)
        except ValueError as error:
            raise InputError(f"{request.name}: not a command line ({error})") from None
        if not command:
            raise InputError(f"{request.name!r} names no command; write command:./my-model")
        model = CommandModel(command, name=Path(command[0]).name)
    request.refuse(f"{model.name} is behind a command", "kind", "device", "dtype", "revision", "bos")
    return model


def _text(output: bytes) -> list[str]:
    return output.decode("utf-8", errors="replace").splitlines()
