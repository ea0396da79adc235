"""Language models behind a command, or in a container.

The command may be any executable. It supports SyntaxGym's three actions on a file with one sentence
per line::

    COMMAND tokenize FILE         the tokens of each sentence, separated by spaces
    COMMAND unkify FILE           for each token 1 where the model does not know it, else 0
    COMMAND get_surprisals FILE   a table, separated by tabs, with the columns sentence_id,
                                  token_id, token, surprisal (bits; ids from 1)

``docker://IMAGE`` is the command ``docker run --rm -i IMAGE``, with the sentences on its standard
input and ``/dev/stdin`` for FILE, as a container does not see the files of its host. That is the
contract of lm-zoo's images (https://cpllab.github.io/lm-zoo/model_api.html), whose other actions,
``spec`` and ``get_predictions.hdf5``, are not called. A container that sees a folder of its host
can also be a command: ``command:docker run --rm -v /tmp:/tmp:ro IMAGE``.
"""

import contextlib
import csv
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import pandas as pd

from tse_core import InputError
from tse_core.plugins import (
    TIMEOUT,
    Piece,
    SurprisalModel,
    TokenSurprisals,
    check_bytes,
    is_file,
    parsing,
    placed,
)

BETWEEN = 0.1  # seconds between two looks at how much a command has printed


class CommandModel(SurprisalModel):
    """A model behind a command, to whose words an action and a file are added."""

    kind = "command"
    device = "cpu"

    def __init__(self, command: Sequence[str], *, timeout: float = TIMEOUT):
        super().__init__(Path(command[0]).name)
        self.command = list(command)
        self.timeout = timeout

    def identity(self) -> str:
        """Name and hash of the command and of every file that it names."""
        digest = hashlib.sha256("\0".join(self.command).encode())
        for file in self._files():
            digest.update(hashlib.sha256(file.read_bytes()).digest())
        return f"{self.name}@{digest.hexdigest()[:8]}"

    def _files(self) -> list[Path]:
        """The files that the command names: its program, its words, and the values of options."""
        program, *words = self.command
        paths = [shutil.which(program)]
        for word in words:
            _, _, value = word.partition("=")
            paths += [word, value]
        candidates = [Path(path) for path in paths if path]
        return [path for path in candidates if is_file(path)]

    def policies(self) -> dict[str, str]:
        return {"score": "command"}

    def tokenize(self, sentences: Sequence[str]) -> list[list[str]]:
        return self._words("tokenize", sentences)

    def unkify(self, sentences: Sequence[str]) -> list[list[bool]]:
        marks_of_sentences = []
        for words in self._words("unkify", sentences):
            marks_of_sentences.append([word != "0" for word in words])
        return marks_of_sentences

    def token_surprisals(self, sentences: Sequence[str]) -> list[TokenSurprisals]:
        table = self._table(sentences)
        scores = []
        for number, (sentence, unknown) in enumerate(
            zip(sentences, self.unkify(sentences), strict=True), 1
        ):
            tokens = table[table["sentence_id"] == number]
            surprisals = None
            if len(tokens) == len(unknown):
                pieces = list(map(Piece, tokens["token"], tokens["surprisal"], unknown))
                surprisals = placed(sentence, pieces)
            if surprisals is None:
                text = " ".join(tokens["token"])
                raise InputError(
                    f"{self.name} get_surprisals: the tokens {text!r}, {sum(unknown)} of them "
                    f"unknown, do not spell {sentence!r}; words and marks that the model does not "
                    "know can be told apart where spaces stand between them"
                )
            scores.append(surprisals)
        return scores

    def _table(self, sentences: Sequence[str]) -> pd.DataFrame:
        """The table that the command prints for ``get_surprisals``. Raises InputError."""
        printed = io.StringIO(self._run("get_surprisals", sentences))
        with parsing(f"{self.name} get_surprisals: not the table that is expected"):
            types = {"token": str, "surprisal": float}
            table = pd.read_csv(
                printed, sep="\t", dtype=types, quoting=csv.QUOTE_NONE, keep_default_na=False
            )
            if not isinstance(table.index, pd.RangeIndex):  # pandas took the first cells as labels
                raise ValueError("its rows have more cells than its header")
            counted = table.groupby("sentence_id").cumcount() + 1
            is_right = table["token_id"] == counted
            is_right &= table["sentence_id"].isin(range(1, len(sentences) + 1))
            # Rounding may put a certain token slightly below 0 bits; infinity is no surprisal.
            is_right &= table["surprisal"].between(-1e-3, 1e300)
        if not is_right.all():
            row = " ".join(map(str, table[~is_right].iloc[0]))
            raise InputError(
                f"{self.name} get_surprisals: unexpected row {row!r}; right are ids that count "
                "from 1 and finite numbers of bits"
            )
        return table

    def _words(self, action: str, sentences: Sequence[str]) -> list[list[str]]:
        """The words of each line, one line a sentence."""
        lines = self._run(action, sentences).removesuffix("\n").split("\n")
        if len(lines) != len(sentences):
            raise InputError(
                f"{self.name} {action}: {len(lines)} lines for {len(sentences)} sentences"
            )
        return [line.split() for line in lines]

    def _run(self, action: str, sentences: Sequence[str]) -> str:
        """The output of the command for a file of these sentences.

        Raises InputError where it fails, and for a sentence of several lines.
        """
        for sentence in sentences:
            if "\n" in sentence or "\r" in sentence:
                raise InputError(
                    f"{sentence!r} has a line break, but {self.name} reads a sentence in each line"
                )
        lines = [f"{sentence}\n" for sentence in sentences]
        return self._output(action, "".join(lines).encode())

    def _output(self, action: str, lines: bytes) -> str:
        """The output of the command for a file of these lines."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)  # a container may run as another user
            file = Path(folder, "sentences.txt")
            file.write_bytes(lines)
            return self._call(action, str(file), subprocess.DEVNULL)

    def _call(self, action: str, file: str, standard_input: IO[bytes] | int) -> str:
        """The output of the command for a file. Raises InputError where it fails."""
        where = f"{self.name} {action}"
        # Files, because what a command prints may fill the memory.
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            try:
                process = subprocess.Popen(  # noqa: S603  (the user's command)
                    [*self.command, action, file],
                    stdin=standard_input,
                    stdout=output,
                    stderr=errors,
                )
            except OSError as error:
                raise InputError(f"{where}: {error}") from None
            try:
                fault = self._wait(process, where, (output, errors))
            finally:
                process.kill()
                process.wait()
            if fault:
                raise InputError(f"{where}: {fault} {_last_lines(errors)}".rstrip())
            output.seek(0)
            return output.read().decode("utf-8", errors="replace")

    def _wait(self, process: subprocess.Popen, where: str, outputs: Sequence[IO[bytes]]) -> str:
        """What went wrong until a command ended, or "". Raises InputError where it floods."""
        end = time.monotonic() + self.timeout
        while process.returncode is None and time.monotonic() < end:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(BETWEEN)
            for output in outputs:
                check_bytes(os.fstat(output.fileno()).st_size, where, "prints")
        if process.returncode is None:
            return f"not finished after {self.timeout:g} s, the time-out"
        if process.returncode:
            return f"exit status {process.returncode}."
        return ""


class DockerModel(CommandModel):
    """A model in an image, which is known by its name alone; each action runs a container."""

    def __init__(self, image: str, *, timeout: float = TIMEOUT):
        super().__init__(["docker", "run", "--rm", "-i", image], timeout=timeout)
        last_part = image.rpartition("/")[2]
        self.name = re.sub("[:@]", "-", last_part)

    def _files(self) -> list[Path]:
        return []

    def _output(self, action: str, lines: bytes) -> str:
        with tempfile.TemporaryFile() as file:
            file.write(lines)
            file.seek(0)
            return self._call(action, "/dev/stdin", file)


def _last_lines(errors: IO[bytes]) -> str:
    """The last three lines that a command wrote into a file of errors."""
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(size - 500, 0))
    return " | ".join(errors.read().decode(errors="replace").splitlines()[-3:])


def open_command(name: str, *, timeout: float = TIMEOUT) -> CommandModel:
    """The model of a name like ``command:./my-model --big``. Raises InputError."""
    try:
        return CommandModel(_words_of(name.removeprefix("command:")), timeout=timeout)
    except (ValueError, IndexError):
        raise InputError(f"{name!r} names no command; write command:./my-model") from None


def open_docker(name: str, *, timeout: float = TIMEOUT) -> DockerModel:
    """The model of a name like ``docker://me/my-model``. Raises InputError."""
    image = name.removeprefix("docker://")
    if not re.fullmatch(r"[\w][\w.:/@-]*", image):
        raise InputError(f"{name!r} names no image; write docker://me/my-model")
    return DockerModel(image, timeout=timeout)


def _words_of(command: str) -> list[str]:
    """The words of a command, as a shell divides them."""
    words = shlex.shlex(command, posix=True, punctuation_chars=False)
    words.whitespace_split = True
    words.commenters = ""
    if os.sep == "\\":  # on Windows a backslash is part of a path
        words.escape = ""
    return list(words)
