"""Models behind a command: what they print is read, placed and checked; what goes wrong is said in one line."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from suites import suite_data
from tse_core.errors import InputError
from tse_core.models.kinds.command import CommandModel, open_command
from tse_core.models.kinds.request import Request
from tse_core.models.spelling import spell
from tse_core.models.surprisal_model import TIMEOUT
from tse_core.syntaxgym.outcomes import evaluate_suite
from tse_core.syntaxgym.suites import suite_from_dict

# A model of a few lines: words in lower case, a token for the sentence's end, surprisal = number of letters.
SCRIPT = """#!{python}
import sys
action, file = sys.argv[-2:]
known = "the cat cats run runs .".split()
for number, line in enumerate(open(file, encoding="utf-8"), 1):
    words = line.lower().split()
    tokens = [w if w in known else "<unk>" for w in words] + ["<eos>"]
    if action == "tokenize":
        print(*tokens)
    elif action == "unkify":
        print(*[int(t == "<unk>") for t in tokens])
    else:
        if number == 1:
            print("sentence_id", "token_id", "token", "surprisal", sep="\\t")
        for i, token in enumerate(tokens, 1):
            print(number, i, token, float(len(token)), sep="\\t")
"""


@pytest.fixture
def executable(tmp_path):
    def make(text, name="my-model"):
        path = tmp_path / name
        path.write_text(text.replace("{python}", sys.executable))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return make


def model(path, *arguments, **options):
    return CommandModel([str(path), *arguments], name=path.name, **options)


def test_the_three_actions_of_a_command(executable):
    command = model(executable(SCRIPT), "--any", "option")
    assert command.tokenize(["The cat runs .", "Cats run"]) == [
        ["the", "cat", "runs", ".", "<eos>"],
        ["cats", "run", "<eos>"],
    ]
    assert command.unkify(["The dog"]) == [[False, True, False]]
    (scores,) = command.token_surprisals(["The dog runs ."])
    assert scores.tokens == ["the", "<unk>", "runs", ".", "<eos>"]
    assert list(zip(scores.starts, scores.ends, strict=True)) == [(0, 3), (4, 7), (8, 12), (13, 14), (14, 14)]
    assert list(scores.bits) == [3.0, 5.0, 4.0, 1.0, 5.0]


def test_a_suite_is_evaluated_behind_a_command(executable):
    items = [
        {"plural": [subject, verb, end], "singular": [subject, f"{verb}s", end]}
        for subject, verb, end in [("The cats", "run", ""), ("The dogs", "sing", ".")]
    ]
    suite = suite_from_dict(suite_data(items, "(2;%plural%) < (2;%singular%)"))
    outcome = evaluate_suite(model(executable(SCRIPT)), suite)
    assert list(outcome.by_item) == [True, False]  # both unknown verbs are five letters long
    assert outcome.totals(1)[2, "singular"] == 4.0 + 5.0  # the end of the sentence goes with its last word
    assert list(outcome.unknown["unknown"]) == ["dogs", "sing", "dogs", "sings"]
    assert "score:command" in str(outcome.signature)


def prints(rows):
    """An executable that finds two known tokens, and whose table of surprisals has these rows."""
    table = f"sentence_id token_id token surprisal\n{rows}"
    return f"#!{{python}}\nimport sys\nprint('0 0' if 'unkify' in sys.argv else {table!r})"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("#!/bin/sh\necho one >&2; echo two >&2; exit 3", "my-model unkify: exit code 3; it ended with: one | two"),
        ("#!/bin/sh\necho 0 0\necho 0 0", "my-model unkify: 2 lines for 1 sentences; it ended with: 0 0 | 0 0"),
        ("#!/bin/sh\necho 0 x", "my-model unkify: sentence 1 has 'x' where 0 or 1 belongs"),
        ("#!/bin/sh\necho 0 0", "my-model get_surprisals: the first line must be sentence_id token_id token surprisal"),
        (prints("1 1 The zero"),
         "my-model get_surprisals: unexpected row '1 1 The zero'"),
        (prints("1 2 The 0.0"),
         "my-model get_surprisals: unexpected row '1 2 The 0.0'"),
        (prints("2 1 The 0.0"),
         "my-model get_surprisals: unexpected row '2 1 The 0.0'"),
        (prints("1 1 The inf"),
         "my-model get_surprisals: unexpected row '1 1 The inf'"),
        (prints("1 1 The 0.0"),
         "my-model get_surprisals: sentence 1 has 1 tokens, but unkify gives 2 marks"),
        (prints("1 1 The 0.0\n1 2 dog 1"),
         "my-model get_surprisals: the tokens of sentence 1, 'The dog', do not spell 'The cat'"),
    ],
)  # fmt: skip
def test_failures_are_one_line_with_the_commands_last_words(executable, script, message):
    with pytest.raises(InputError) as error:
        model(executable(script)).token_surprisals(["The cat"])
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def ended(process: str) -> bool:
    """Whether a process is no longer there, or only its exit code is."""
    status = Path(f"/proc/{process}/stat")
    return not status.exists() or status.read_text().split()[2] == "Z"


def test_a_command_that_hangs_is_ended_with_its_children(executable, tmp_path):
    script = f"#!/bin/sh\necho waiting >&2\nsleep 60 &\necho $! > {tmp_path}/child\nwait\n"
    start = time.perf_counter()
    with pytest.raises(InputError, match="my-model tokenize: no end after 1 seconds; it ended with: waiting"):
        model(executable(script), timeout=1).tokenize(["The cat"])
    assert time.perf_counter() - start < 20
    child = Path(tmp_path, "child").read_text().strip()
    assert any(ended(child) or time.sleep(0.1) for _ in range(50))


def test_where_there_are_no_groups_of_processes_the_tree_is_killed(executable, tmp_path):
    """As on Windows, with what its taskkill does."""
    executable('#!/bin/sh\nexec /bin/kill -9 -- "-$4"\n', "taskkill")
    code = "import os, signal\ndel os.killpg, signal.SIGHUP, signal.SIGKILL\n"
    code += "from tse_core.models.subprocesses import run_command\n"
    code += "print(run_command(['sh', '-c', 'echo there; sleep 600'], timeout=1))"
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=120)
    assert ran.stdout.startswith("Ended(code=None, stopped='time', output=b'there"), ran.stderr


def test_output_without_end_is_bounded(executable, monkeypatch):
    monkeypatch.setattr("tse_core.models.subprocesses.run_command.__defaults__", (2**20,))
    with pytest.raises(InputError, match="my-model tokenize: more than 268,435,456 bytes of output"):
        model(executable("#!/bin/sh\nexec yes\n"), timeout=60).tokenize(["The cat"])


@pytest.mark.parametrize("own_session", ["", "setsid "])
def test_a_grandchild_that_keeps_the_pipe_does_not_outlive_the_command(executable, own_session):
    start = time.perf_counter()
    script = f"#!/bin/sh\n{own_session}sleep 30 &\necho a b\n"
    assert model(executable(script)).tokenize(["A b"]) == [["a", "b"]]
    assert time.perf_counter() - start < 15


@pytest.mark.parametrize("number", ["TERM", "HUP"])
def test_a_signal_to_end_ends_the_command_too(executable, tmp_path, number):
    script = executable(f"#!/bin/sh\necho $$ > {tmp_path}/child\nsleep 60\n")
    code = "import signal, sys\nfrom tse_core.models.kinds.command import CommandModel\n"
    code += f"signal.signal(signal.SIG{number}, signal.SIG_DFL)\n"  # nohup, which ignores one, may have begun the tests
    code += "CommandModel([sys.argv[1]], name='m').tokenize(['a'])"
    process = subprocess.Popen([sys.executable, "-c", code, str(script)])
    file = tmp_path / "child"
    while not (file.exists() and file.read_text().strip()):
        time.sleep(0.1)
    process.send_signal(getattr(signal, f"SIG{number}"))
    assert process.wait(timeout=30) == 128 + getattr(signal, f"SIG{number}")
    assert ended(file.read_text().strip())


@pytest.mark.parametrize("timeout", [float("nan"), float("inf"), 0, -1])
def test_a_time_out_is_a_number_of_seconds(timeout):
    with pytest.raises(InputError, match="must be a number of seconds above 0"):
        CommandModel(["true"], name="true", timeout=timeout)
    opened = CommandModel(["true"], name="true")
    with pytest.raises(InputError, match="must be a number of seconds above 0"):
        opened.timeout = timeout
    assert opened.timeout == TIMEOUT


def test_what_a_command_says_last_steers_no_terminal(executable):
    with pytest.raises(InputError) as error:
        model(executable("#!/bin/sh\nprintf '\\033[2J\\007bad' >&2; exit 1\n")).tokenize(["a"])
    assert "\x1b" not in str(error.value) and "\\x1b[2J\\x07bad" in str(error.value)


def test_tokens_hold_what_unicode_calls_the_end_of_a_line(executable):
    assert model(executable("#!/bin/sh\nprintf 'a\\342\\200\\250b\\n'\n")).tokenize(["x"]) == [["a", "b"]]


def test_2_000_tokens_are_spelled_in_a_moment():
    tokens = [f"word{number}" for number in range(2000)]
    start = time.process_time()
    spans = spell(" ".join(tokens), tokens, [False] * 2000)
    assert spans[-1][1] == len(" ".join(tokens)) and time.process_time() - start < 1
    assert spell("a" * 400, ["a", "aa"] * 133 + ["b"], [False] * 267) is None
    assert spell("a" * 4000, ["[UNK]", "a"] * 1000 + ["z"], [True, False] * 1000 + [False]) is None
    assert time.process_time() - start < 5


def test_a_missing_command_is_said():
    with pytest.raises(InputError, match="'/no/such/thing' cannot be run"):
        open_command(Request("command:/no/such/thing")).tokenize(["a"])
    with pytest.raises(InputError, match="names no command"):
        open_command(Request("command:"))
    with pytest.raises(InputError, match="not a command line"):
        open_command(Request("command:'a"))


def test_a_container_is_run_with_the_file_mounted(executable, monkeypatch, tmp_path):
    """A stand-in for docker notes its arguments, then behaves like the image."""
    docker = executable(
        SCRIPT.replace("action, file", "print(*sys.argv[1:], file=open(__file__ + '.log', 'w'))\naction, file"),
        "docker",
    )
    monkeypatch.setenv("PATH", f"{docker.parent}{os.pathsep}{os.environ['PATH']}")
    container = open_command(Request("docker://me/my-model:2"))
    assert container.tokenize(["The cat"]) == [["the", "cat", "<eos>"]]
    arguments = docker.with_name("docker.log").read_text().split()
    assert arguments[:5] == ["run", "--rm", "--network", "none", "-v"]
    folder = arguments[5].split(":")[0]
    assert arguments[5:] == [f"{folder}:{folder}:ro", "me/my-model:2", "tokenize", f"{folder}/sentences.txt"]


@pytest.mark.parametrize("line", ["{script}", "{python} {script}", "{python} --model={script}"])
def test_another_executable_or_another_file_among_the_arguments_is_another_model(executable, line):
    def identity(text):
        command = line.format(script=executable(text, "fake.py"), python=sys.executable)
        return open_command(Request(f"command:{command}")).identity()

    first = identity(SCRIPT)
    assert first == identity(SCRIPT) != identity(SCRIPT.replace("len(token)", "2 * len(token)"))


@pytest.mark.parametrize(
    ("sentence", "tokens", "expected"),
    [
        ("The cats aren't here.", "The Ġcats Ġaren 't Ġhere .", ["The", "cats", "aren", "'t", "here", "."]),
        ("The unaffable cat", "▁The ▁un aff able ▁cat", ["The", "un", "aff", "able", "cat"]),
        ("The unaffable cat", "[CLS] the un ##aff ##able cat [SEP]", ["", "The", "un", "aff", "able", "cat", ""]),
        ("The unaffable cat", "The un@@ affable cat </s>", ["The", "un", "affable", "cat", ""]),
        ("Zoë's café", "zoe 's cafe", ["Zoë", "'s", "café"]),
        ("Zoë ate", "Zo Ã« Ġate", ["Zo", "ë", "ate"]),
        ("She said ( no )", "She said -LRB- no -RRB-", ["She", "said", "(", "no", ")"]),
        ("well-known 'fact' & so", "well @-@ known &apos;fact&apos; &amp; so",
         ["well", "-", "known", "'fact'", "&", "so"]),
        ("The blorps glim.", "The <unk> <unk> .", ["The", "blorps", "glim", "."]),
        ("The blorps glim.", "The <unk> s <unk> .", ["The", "blorp", "s", "glim", "."]),
        ("x < y", "x < y", ["x", "<", "y"]),
    ],
)  # fmt: skip
def test_tokens_are_found_in_their_sentence(sentence, tokens, expected):
    tokens = tokens.split()
    spans = spell(sentence, tokens, [token == "<unk>" for token in tokens])
    assert [sentence[start:end] for start, end in spans] == expected


def test_tokens_that_do_not_spell_the_sentence_are_refused():
    assert spell("The cat", ["The", "dog"], [False, False]) is None
    assert spell("The cat", ["The"], [False]) is None
    assert spell("The cat sat", ["The", "<unk>"], [False, True]) is None  # an unknown word ends at its space


def test_real_tokenizers_spell_real_sentences(papers_tokenizers):
    from transformers import AutoTokenizer

    sentences = ["The author next to the senators isn't good .", "It's the co-worker's résumé, naïvely (unread)!"]
    for name in ("bert-cased", "bert-uncased", "gpt2", "roberta"):
        tokenizer = AutoTokenizer.from_pretrained(papers_tokenizers / name)
        for sentence in sentences:
            encoding = tokenizer(sentence, return_offsets_mapping=True)
            tokens = tokenizer.convert_ids_to_tokens(encoding["input_ids"])
            spans = spell(sentence, tokens, [False] * len(tokens))
            for (start, end), (a, b), token in zip(spans, encoding["offset_mapping"], tokens, strict=True):
                if b > a:
                    assert sentence[start:end] == sentence[a:b].strip(), token
