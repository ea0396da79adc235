"""Models behind a command: what they print is read, placed and checked; what goes wrong is said in one line."""

import math
import os
import stat
import sys
from types import SimpleNamespace

import pandas as pd
import pytest

from tse_core import InputError, load_model, score_pairs, surprisals
from tse_extras.command import CommandModel, open_command

# A model of a few lines: words in lower case, a token for the sentence's end, surprisal = number of letters.
SCRIPT = """#!{python}
import sys
action, file = sys.argv[-2:]
known = "the cat cats run runs .".split()
if action == "get_surprisals":
    print("sentence_id", "token_id", "token", "surprisal", sep="\\t")
for number, line in enumerate(open(file, encoding="utf-8"), 1):
    tokens = [word if word in known else "<unk>" for word in line.lower().split()] + ["<eos>"]
    if action == "tokenize":
        print(*tokens)
    elif action == "unkify":
        print(*[int(token == "<unk>") for token in tokens])
    else:
        for i, token in enumerate(tokens, 1):
            print(number, i, token, float(len(token)), sep="\\t")
"""


@pytest.fixture
def executable(tmp_path):
    if os.name == "nt":
        pytest.skip("Windows runs no script by its first line")

    def make(text, name="my-model"):
        path = tmp_path / name
        path.write_text(text.replace("{python}", sys.executable))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return make


def model(path, *arguments, timeout=60.0):
    return CommandModel([str(path), *arguments], timeout=timeout)


def test_the_three_actions_of_a_command(executable):
    command = model(executable(SCRIPT), "--any", "option")
    assert command.tokenize(["The cat runs .", "Cats run"]) == [
        ["the", "cat", "runs", ".", "<eos>"],
        ["cats", "run", "<eos>"],
    ]
    assert command.unkify(["The dog"]) == [[False, True, False]]
    (scores,) = command.token_surprisals(
        ["The dog runs ."]
    )  # the end stands for nothing in the sentence
    assert scores.tokens == ["the", "<unk>", "runs", "."] and scores.unknown.tolist() == [
        False,
        True,
        False,
        False,
    ]
    assert list(zip(scores.starts, scores.ends, strict=True)) == [(0, 3), (4, 7), (8, 12), (13, 14)]
    assert list(scores.bits) == [3.0, 5.0, 4.0, 1.0] and scores.scored.all()


DOCKER = """#!{python}
import os, sys
*options, image, action, file = sys.argv[1:]
assert options == ["run", "--rm", "-i"] and image == "me/my-model:v2" and file == "/dev/stdin"
os.execv("{model}", ["{model}", action, file])
"""


@pytest.fixture
def docker(executable, tmp_path, monkeypatch):
    """A stand-in for docker that runs a program of this machine for an image."""
    program = executable(SCRIPT, "in-the-image")
    executable(DOCKER.replace("{model}", str(program)), "docker")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)


def test_an_image_reads_sentences_on_its_standard_input(docker, executable):
    image = load_model("docker://me/my-model:v2")
    same = model(executable(SCRIPT))
    sentences = ["The cat runs .", "Ça va ?"]
    assert image.tokenize(sentences) == same.tokenize(sentences)
    assert image.unkify(sentences) == same.unkify(sentences)
    for ours, theirs in zip(
        image.token_surprisals(sentences), same.token_surprisals(sentences), strict=True
    ):
        assert ours.bits.tolist() == theirs.bits.tolist() and ours.tokens == theirs.tokens
    assert image.label == "my-model-v2" and image.identity().startswith("my-model-v2@")
    with pytest.raises(InputError, match="other-image tokenize: .*AssertionError"):
        load_model("docker://me/other-image").tokenize(sentences)
    with pytest.raises(InputError, match="'docker:// -v' names no image"):
        load_model("docker:// -v")


def prints(*rows):
    """An executable that finds two known tokens, and whose table of surprisals has these rows."""
    table = "".join(
        row.replace(" ", "\t") + "\n" for row in ("sentence_id token_id token surprisal", *rows)
    )
    return f"#!{{python}}\nimport sys\nprint('0 0' if 'unkify' in sys.argv else {table!r}, end='')"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            "#!/bin/sh\necho one >&2; echo '\033[2Jtwo' >&2; exit 3",
            r"exit status 3. one \| .x1b.2Jtwo",
        ),
        ("#!/bin/sh\nexec sleep 60", "not finished after 1 s, the time-out"),
        ("#!/bin/sh\necho 0 0", "not the table that is expected"),
        (prints("1 1 The zero"), "not the table that is expected"),
        (prints("7 1 1 The 0.0"), "not the table .*more cells than its header"),
        (prints("2 1 The 0.0"), "unexpected row '2 1 The 0.0'"),
        (prints("1 2 The 0.0"), "unexpected row '1 2 The 0.0'"),
        (prints("1 1 The -4.0"), "unexpected row '1 1 The -4.0'"),  # a log-probability
        (prints("1 1 The inf"), "unexpected row '1 1 The inf'"),
        (
            prints("1 1 The 0.0", "1 2 dog 1"),
            "the tokens 'The dog', 0 of them unknown, do not spell 'The cat'",
        ),
    ],
)
def test_failures_are_one_line(executable, script, message):
    with pytest.raises(InputError, match=f"my-model get_surprisals: {message}") as error:
        model(executable(script), timeout=1 if "sleep" in script else 60).token_surprisals(
            ["The cat"]
        )
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("where", ["", " >&2"])
def test_a_command_that_never_stops_printing_is_stopped(executable, where, monkeypatch):
    monkeypatch.setenv("TSE_LIMIT", "0.001")
    with pytest.raises(InputError, match="tokenize: prints .* more than the limit of 1,000,000"):
        model(executable(f"#!/bin/sh\nexec yes{where}")).tokenize(["The cat"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("command:/no/such/thing", "thing tokenize: .*(No such file|cannot find the file)"),
        ("command:", "names no command"),
        ("command:'a", "names no command"),
    ],
)
def test_a_missing_command_is_said(name, message):
    with pytest.raises(InputError, match=message):
        open_command(name).tokenize(["a"])


def test_a_backslash_divides_the_folders_of_windows_and_is_no_escape_there(monkeypatch):
    monkeypatch.setattr("tse_extras.command.os", SimpleNamespace(sep="\\"))
    command = open_command(r'command:"C:\My models\m.exe" --weights=C:\new\w.bin')
    assert command.command == [r"C:\My models\m.exe", r"--weights=C:\new\w.bin"]


@pytest.mark.parametrize("line", ["{script}", "{python} {script}", "{python} --model={script}"])
def test_another_executable_or_another_file_among_the_arguments_is_another_model(executable, line):
    def identity(text):
        command = line.format(script=executable(text, "fake.py"), python=sys.executable)
        return open_command(f"command:{command}").identity()

    first = identity(SCRIPT)
    assert first == identity(SCRIPT) != identity(SCRIPT.replace("len(token)", "2 * len(token)"))


def test_a_command_takes_no_choices_that_are_its_own(executable):
    command = f"command:{executable(SCRIPT)}"
    with pytest.raises(InputError, match="takes no dtype; leave dtype out"):
        load_model(command, dtype="float16")
    for choice in ({"bos": "add"}, {"space": True}):
        with pytest.raises(InputError, match="itself decides what is read before"):
            surprisals(command, "The cat runs .", **choice)
    with pytest.raises(InputError, match="'pll' does not suit the command model"):
        surprisals(command, "The cat runs .", method="pll")


def test_a_command_reads_the_spaces_of_a_sentence_and_no_line_break(executable):
    command = model(executable(SCRIPT))
    (scores,) = command.token_surprisals(["The  cat"])
    assert list(zip(scores.starts, scores.ends, strict=True)) == [(0, 3), (5, 8)]
    with pytest.raises(InputError, match="has a line break, but"):
        command.token_surprisals(["The\ncat"])


def test_pairs_of_a_command_sum_its_tokens(executable):
    pairs = {
        "good": ["The cat runs .", "The cats run ."],
        "bad": ["The cats runs .", "The dogs run ."],
    }
    scores = score_pairs(
        f"command:{executable(SCRIPT)}", pd.DataFrame(pairs)
    )  # The cat runs . / The cats runs . : 11 and 12 letters; <unk> has 5
    assert scores["logp_good"].tolist() == pytest.approx([-11 * math.log(2), -11 * math.log(2)])
    assert scores["logp_bad"].tolist() == pytest.approx([-12 * math.log(2), -12 * math.log(2)])
    assert scores["correct"].tolist() == [1, 1] and scores["length_good"].tolist() == [4, 4]
    assert (
        scores["unknown_critical"].tolist() == [False, True]
        and not scores["unscored_difference"].any()
    )
