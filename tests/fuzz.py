"""Hostile input for every reader: no exception but InputError, of one line, within two seconds.

    python tests/fuzz.py MINUTES [TARGET...]

Files are made from good and bad examples (bad_files.py) by cutting, doubling, replacing and inserting pieces.
"""

import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from unittest.mock import patch

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from bad_files import FILES
from tse_core import InputError
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.names import data_hash, load_pairs, load_sentence_pairs
from tse_core.results.signature import Signature
from tse_core.syntaxgym.formula import Formula

REGISTRY = f"""words: {{holds: sentence pairs, format: jsonl, licence: MIT, repository: owner/words,
  commit: "{"0" * 40}", files: {{data/a.txt: 3 {"0" * 64}, data/b.txt: 4 {"1" * 64}}}}}
mine: {{holds: agreement pairs, format: table, columns: {{good: satz}}, folder: mine}}
"""
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
    b"True\tThe author laughs.\nFalse\tThe author laugh.\n",
]
GYM = b"suites: []\nmodels: [a, 'command:./b']\nunknown: flag\nhuman: {s: {accuracy: 0.5, source: x}}\n"
SIGNATURE = b"m@00000000 d@11111111 | l@22222222(3) bos:none | 0.1.0 cpu 2026-01-01"
FORMULAS = ("(2;%a%) < (2;%b%)", "[(1;%a%) + 3.5 > (*;%b%)] & ((3;%a%)-(3;%b%)) = 0 | 1 < 2")
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


def agreement(path: Path) -> None:
    data_hash(load_pairs(path))


def sentences(path: Path) -> None:
    data_hash(load_sentence_pairs(path))


def grammar(path: Path) -> None:
    from tse_core.datasets.grammar import template_table
    from tse_core.datasets.grammar_notation import load_grammar

    template_table(load_grammar(path))


def plan(path: Path) -> None:
    from tse_core.sweep.plan import load_plan

    load_plan(path)


def gym(path: Path) -> None:
    from tse_book.gym.plan import load_gym

    load_gym(path)


def weights(path: Path) -> None:
    from tse_core.models.folders import weight_files

    for file in weight_files(path.parent):
        assert file.parent == path.parent


def lemmas(path: Path) -> None:
    assert len(load_lemmas(path).hash) == 8


def suite(path: Path) -> None:
    from tse_core.syntaxgym.library import load_suite

    assert len(load_suite(path).hash) == 8


def network(path: Path) -> None:
    from tse_core.models.kinds.gguf import _convert

    with tempfile.TemporaryDirectory() as folder:
        _convert(path, Path(folder, "model"))


@cache
def network_file() -> list[bytes]:
    """A GGUF file of a network of 16 words."""
    from transformers import LlamaConfig, LlamaForCausalLM

    from gguf_files import write_network

    shape = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    module = LlamaForCausalLM(LlamaConfig(vocab_size=16, max_position_embeddings=16, **shape))
    with tempfile.TemporaryDirectory() as folder:
        return [write_network(Path(folder, "model.gguf"), "llama", module).read_bytes()]


def results(path: Path) -> None:
    from tse_core.results.tidy import read_results

    read_results(path)


def registry(path: Path) -> None:
    from tse_core.datasets import downloads
    from tse_core.datasets import registry as _registry

    with patch.object(_registry, "data_folder", lambda: path.parent):
        for key in _registry.read_registry()["key"]:
            assert downloads.path_of(key).resolve().is_relative_to(downloads.path_of("").resolve())


def formula(path: Path) -> None:
    text = path.read_bytes().decode(errors="replace")
    assert Formula.parse(str(Formula.parse(text))) == Formula.parse(text)


def signature(path: Path) -> None:
    Signature.parse(path.read_bytes().decode(errors="replace"))


TARGETS: dict[str, tuple[str, list[bytes] | Callable[[], list[bytes]], Callable[[Path], None]]] = {
    "agreement pairs": ("pairs.jsonl", examples(".jsonl"), agreement),
    "sentence pairs": ("pairs.jsonl", examples(".jsonl"), sentences),
    "table of pairs": ("pairs.csv", TABLES, agreement),
    "table of sentences": ("pairs.txt", TABLES, sentences),
    "grammar": ("grammar.yaml", examples(".yaml"), grammar),
    "plan of a sweep": ("plan.yaml", [*examples(".yaml", starting="plan-"), b"models: [tiny]\ndata: [x]\n"], plan),
    "gym": ("gym.yaml", [*examples(".yaml", starting="gym-"), GYM], gym),
    "index of weights": ("model.safetensors.index.json", [b'{"weight_map": {"a": "b.safetensors"}}'], weights),
    "lemmas": ("lemmas.csv", [*examples(".csv", starting="twice"), b"lemma,singular,plural\ngo,goes,go\n"], lemmas),
    "suite as JSON": ("suite.json", examples("n.json", "c.json", "e.json"), suite),
    "suite as CSV": ("suite.csv", [*examples(".suite.csv"), SUITE], suite),
    "GGUF file": ("model.gguf", network_file, network),
    "results": ("results.csv", examples("results.csv", "score.csv", "hash.csv"), results),
    "registry": ("datasets.yaml", [REGISTRY.encode()], registry),
    "formula": ("formula.txt", [text.encode() for text in FORMULAS], formula),
    "signature": ("signature.txt", [SIGNATURE], signature),
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


def fuzzed(target: str, folder: Path) -> list[float]:
    """The seconds that 200 new inputs took."""
    times = []

    @seed(random.getrandbits(32))
    @settings(max_examples=200, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(mutated(TARGETS[target][1]))
    def once(contents):
        times.append(read(target, contents, folder))

    once()
    return times


def main(minutes: float, *targets: str) -> None:
    """Fuzz until the time is over; print what was done and the worst that was seen."""
    end = time.monotonic() + 60 * minutes
    longest, inputs = dict.fromkeys(targets or TARGETS, 0.0), dict.fromkeys(targets or TARGETS, 0)
    with tempfile.TemporaryDirectory() as folder:
        for target in longest:  # a reader's first call imports what it needs, which is not timed
            given = TARGETS[target][1]
            read(target, (given() if callable(given) else given)[0], Path(folder))
        while time.monotonic() < end:
            for target in longest:
                times = fuzzed(target, Path(folder))
                longest[target], inputs[target] = max(longest[target], *times), inputs[target] + len(times)
    for target, seconds in longest.items():
        print(f"{target:17} {inputs[target]:8,d} inputs, longest {seconds:.2f} s")
        assert seconds < LONGEST, f"{target}: a reader took {seconds:.1f} s"
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"no exception but InputError; peak memory {memory:.2f} GB")
    assert memory < 1


if __name__ == "__main__":
    main(float(sys.argv[1]), *sys.argv[2:])
