"""A mistake of a user is one line that says what was wrong and where, and exit code 2.

The catalogue, errors_catalogue.txt, holds commands and the line each gets; ... stands for what differs between
machines. Options and choices that do not exist are typer's to report.
"""

import re
import shlex
import shutil
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("errors_catalogue.txt")
CATALOGUE = re.findall(r"^\$ tse (.*)\n(.*)$", FILE.read_text(), re.MULTILINE)
PAIR = '{"sentence_good": "The author laughs.", "sentence_bad": "The author laugh.", "label": -1}\n'
FILES = {
    "good.jsonl": PAIR,
    "gap.txt": "\n\n",
    "plan.yaml": "models: [absent-model]\ndata: [good.jsonl]\n",
    "gym-suite.yaml": "suites: [nowhere]\n",
    "folder.parquet/x": "",
    "pickled/config.json": '{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}',
    "pickled/pytorch_model.bin": "",
    "t5/config.json": '{"model_type": "t5", "is_encoder_decoder": true, "architectures": ["T5"]}',
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, tiny_causal):
    place = tmp_path_factory.mktemp("catalogue")
    for name, contents in FILES.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(contents)
    shutil.copytree(tiny_causal, place / "tiny")
    return place


@pytest.fixture(autouse=True)
def alone(folder, monkeypatch):
    """In the folder of these files, with an empty cache and no network."""
    monkeypatch.chdir(folder)
    for name, value in (("TSE_CACHE", "cache"), ("HF_HUB_OFFLINE", "1")):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("TSE_MIRROR", raising=False)


@pytest.mark.parametrize(("command", "line"), CATALOGUE, ids=[command for command, _ in CATALOGUE])
def test_each_mistake_is_one_line_and_exit_code_2(command, line, tse):
    code, _, said = tse(*shlex.split(command))
    assert code == 2, said
    assert said.count("\n") == 1 and "Traceback" not in said
    pattern = ".*".join(re.escape(part) for part in line.split("..."))
    assert re.fullmatch(pattern, said.rstrip("\n")), said


def test_what_is_printed_holds_no_secret_and_no_order_to_a_terminal(tse, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "my-token")
    name = "pairs-my-token-\x1b]0;title\x07.csv"
    Path("pairs.csv").write_text("good,bad\nthe author laughs.,the author laugh.\n")
    code, out, said = tse("blimp", "tiny", "--data", "pairs.csv", "--out", name)
    assert code == 0 and "written: pairs-***-\\x1b]0;title\\x07.csv" in out, said
