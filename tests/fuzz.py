"""Hostile input for every reader: no exception but InputError, of one line, within two seconds.

Files are made from good and bad examples (bad_files.py) by cutting, doubling, replacing and inserting pieces.
"""

import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from bad_files import FILES
from tse_book.gym import load_gym
from tse_core import InputError
from tse_core.datasets.grammar import load_grammar, template_table
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.names import data_hash, load_pairs, load_sentence_pairs
from tse_core.models.folders import weight_files
from tse_core.results.tidy import read_results
from tse_core.sweep.plan import load_plan
from tse_core.syntaxgym.library import load_suite

SUITE = b"""#meta,name,m
#meta,metric,sum
#prediction,(1;%a%) < (1;%b%)
item_number,condition_name,1: x
1,a,The
1,b,A
"""
TABLES = [
    b"left,correct,wrong,right,number,id\nThe author,laughs,laugh,on the table,singular,1\n",
    b"sen\twrong_sen\tgrammatical_feature\nThe author laughs.\tThe author laugh.\tSG\n",
]
GYM = b"suites: []\nmodels: [a, 'command:./b']\nunknown: flag\n"
PIECES = (
    *(character.encode() for character in "\0\n\r\t\"'{}[](),:%*<=#\ufeff"), b"\\u0000", b"\\ud800", b"\xff", b"../",
    "é\u202e\u2028".encode(), b"null", b"NaN", b"1e999", b"-1", b"9" * 5000, b"[" * 3000, b'{"a":' * 3000, b"- " * 3000,
    b"&a [*a]", b"!!python/name:os.system", b"<script>", b"json:",
)  # fmt: skip
LONGEST = 2.0  # seconds


@st.composite
def mutated(draw, examples) -> bytes:
    """One of the examples (or of those that a function gives) after a few edits."""
    text = draw(st.sampled_from(examples() if callable(examples) else examples))
    for _ in range(draw(st.integers(0, 4))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        piece = draw(st.sampled_from(PIECES) | st.binary(max_size=6) | st.just(text[start:end]))
        kept = end if draw(st.booleans()) else start
        text = text[:start] + piece * draw(st.integers(1, 2)) + text[kept:]
    return text


def examples(*endings: str, starting: str = "") -> list[bytes]:
    found = [contents for name, contents in FILES.items() if name.endswith(endings) and name.startswith(starting)]
    return [contents.encode() if isinstance(contents, str) else contents for contents in found if len(contents) < 5000]


def weights(path: Path) -> None:
    for file in weight_files(path.parent):
        assert file.parent == path.parent


def network(path: Path) -> None:
    from tse_core.models.gguf_files import _convert

    with tempfile.TemporaryDirectory() as folder:
        _convert(path, Path(folder))


@cache
def network_file() -> list[bytes]:
    """A GGUF file of a network of 16 words."""
    from transformers import LlamaConfig, LlamaForCausalLM

    from gguf_files import write_network

    shape = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    module = LlamaForCausalLM(LlamaConfig(vocab_size=16, max_position_embeddings=16, **shape))
    with tempfile.TemporaryDirectory() as folder:
        return [write_network(Path(folder, "model.gguf"), "llama", module).read_bytes()]


PLANS = [*examples(".yaml", starting="plan-"), b"models: [tiny]\ndata: [x]\n"]
GYMS = [*examples(".yaml", starting="gym-"), GYM]
INDEX = "model.safetensors.index.json"
TARGETS: dict[str, tuple[str, list[bytes] | Callable[[], list[bytes]], Callable[[Path], object]]] = {
    "agreement pairs": ("pairs.jsonl", examples(".jsonl"), lambda path: data_hash(load_pairs(path))),
    "sentence pairs": ("pairs.jsonl", examples(".jsonl"), lambda path: data_hash(load_sentence_pairs(path))),
    "table of pairs": ("pairs.csv", TABLES, lambda path: data_hash(load_pairs(path))),
    "table of sentences": ("pairs.txt", TABLES, lambda path: data_hash(load_sentence_pairs(path))),
    "grammar": ("grammar.yaml", examples(".yaml"), lambda path: template_table(load_grammar(path))),
    "plan of a sweep": ("plan.yaml", PLANS, load_plan),
    "gym": ("gym.yaml", GYMS, load_gym),
    "index of weights": (INDEX, [b'{"weight_map": {"a": "b.safetensors"}}'], weights),
    "lemmas": ("lemmas.csv", [b"lemma,singular,plural\ngo,goes,go\n"], lambda path: load_lemmas(path).hash),
    "suite as JSON": ("suite.json", examples("metric.json", "suite.json"), lambda path: load_suite(path).hash),
    "suite as CSV": ("suite.csv", [SUITE], lambda path: load_suite(path).hash),
    "GGUF file": ("model.gguf", network_file, network),
    "results": ("results.csv", examples("score.csv"), read_results),
}


def read(target: str, contents: bytes, folder: Path) -> float:
    """Put the contents before the reader; the seconds of processor it took. Fails on all but success and InputError."""
    name, _, reader = TARGETS[target]
    (folder / name).write_bytes(contents)
    started = time.process_time()
    try:
        reader(folder / name)
    except InputError as error:
        assert len(str(error)) <= 2000 and len(str(error).splitlines()) == 1, str(error)[:200]
    return time.process_time() - started
