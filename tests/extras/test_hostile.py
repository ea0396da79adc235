"""Input that somebody might send, generated: it gives what the same text gives plainly, or one line.

Never another error, and never a line with a control character or a secret in it.
"""

import csv
import json
import math
import re
import shutil
import struct
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tse_core import InputError, load_lemmas, load_pairs, load_sentence_pairs, surprisals
from tse_core.errors import check_known
from tse_core.models.folders import check_settings, weight_files
from tse_core.results.parquet import read_tables, write_tables
from tse_core.results.signature import Signature
from tse_core.results.store import Store
from tse_core.results.tidy import TIDY_COLUMNS, read_results
from tse_core.syntaxgym import load_suite
from tse_core.text import is_missing
from tse_core.words import plain
from tse_extras.adapters import adapter_source
from tse_extras.command import CommandModel
from tse_extras.gguf import converted_folder
from tse_extras.server import ServerModel

EXAMPLES = [
    pytest.param(8, id="quick"),
    pytest.param(100, id="long", marks=pytest.mark.slow),
]
SECRET = "open-sesame-7f3a"
CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
GOOD, BAD = "The author laughs.", "The author laugh."

TEXTS = st.text(max_size=8) | st.sampled_from(
    [GOOD, "", " ", "\x1b]0;title\x07", "a\u202eb", "\ud800", "a\0b", "x\ry\nz", SECRET, "x" * 5000]
)
NUMBERS = st.booleans() | st.integers() | st.floats() | st.sampled_from([10**400, -1e308, 10**7])
VALUES = st.recursive(
    st.none() | NUMBERS | TEXTS,
    lambda values: st.lists(values, max_size=3) | st.dictionaries(TEXTS, values, max_size=3),
    max_leaves=4,
)
# Of JSON as text, which may say a key twice or never end.
FAULTY = [
    "[" * 50_000,
    '{"a": 1, "a": 2}',
    "1" * 5000,
    "1e999",
    r'"\ud800"',
    "{",
    "",
    "]",
    '"-1.5"',
    '{"a": "../b"}',
]
WRITTEN = VALUES.map(json.dumps) | TEXTS.map(json.dumps) | st.sampled_from(FAULTY)


def search(examples, strategy, check):
    """Try a check on some examples of a strategy, the same ones each time."""
    options = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    options(given(strategy)(check))()


def accepted(act):
    """The result of a function; None where it raises InputError, whose line is looked at."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return act()
    except InputError as error:
        line = str(error)
        assert 0 < len(line) <= 2000 and not CONTROL.search(line) and SECRET not in line
        return None


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("TSE_API_KEY", SECRET)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def check_pairs(pairs, rows):
    """The pairs are those of rows whose sentences are texts, given as plain columns."""
    assert all(isinstance(row[side], str) for row in rows for side in ("good", "bad"))
    table = pd.DataFrame([{"good": row["good"], "bad": row["bad"]} for row in rows], dtype=object)
    expected = load_sentence_pairs(table)
    assert pairs["good"].tolist() == expected["good"].tolist()
    assert pairs["bad"].tolist() == expected["bad"].tolist()


@pytest.mark.parametrize("examples", EXAMPLES)
def test_tables_in_json(examples, tmp_path):
    keys = st.sampled_from(["good", "bad", "id", "factor", "number", "\x1b[2J"])
    cells = st.tuples(keys, WRITTEN)
    sides = st.tuples(st.just('"The author laughs."') | WRITTEN, st.just('"The author laugh."'))
    path = tmp_path / "own.jsonl"

    def check(rows):
        lines = []
        for (good, bad), others in rows:
            pairs = [("good", good), ("bad", bad), *others]
            lines.append("{" + ", ".join(f"{json.dumps(k)}: {v}" for k, v in pairs) + "}")
        path.write_text("\n".join(lines))
        pairs = accepted(lambda: load_sentence_pairs(path))
        if pairs is not None:
            assert all(len(set(keys)) == len(keys) for keys in map(_keys, lines))
            check_pairs(pairs, [json.loads(line) for line in lines])

    search(examples, st.lists(st.tuples(sides, st.lists(cells, max_size=2)), min_size=1), check)


def _keys(line):
    return json.loads(line, object_pairs_hook=lambda pairs: [key for key, _ in pairs])


@pytest.mark.parametrize("load", [load_pairs, load_sentence_pairs])
@pytest.mark.parametrize("examples", EXAMPLES)
def test_tables_in_python(examples, load):
    objects = st.sampled_from([np.array(["a", "b"]), pd.NaT, Path(GOOD)])
    others = st.binary(max_size=4) | objects | VALUES

    def check(drawn):
        values, label = drawn
        rows = [{"good": value, "bad": BAD, "construction": label} for value in [GOOD, *values]]
        pairs = accepted(lambda: load(pd.DataFrame(rows, dtype=object)))
        if pairs is not None:
            # A column of lists is no label, and left out.
            is_label = is_missing(label) or isinstance(label, str | int | float)
            assert is_label or load is load_sentence_pairs
            # A missing sentence is empty, which scoring refuses.
            texts = ["" if is_missing(value) else value for value in [GOOD, *values]]
            assert all(isinstance(text, str) for text in texts)
            if load is load_sentence_pairs:
                check_pairs(pairs, [{"good": text, "bad": BAD} for text in texts])

    # Mostly there is one hostile value, lest it hide another one.
    values = st.lists(others, min_size=1, max_size=2)
    search(examples, st.tuples(values, st.just("a")) | st.tuples(st.just([GOOD]), others), check)


@pytest.mark.parametrize("examples", EXAMPLES)
def test_lemmas(examples):
    def check(value):
        table = pd.DataFrame(
            {"lemma": ["a"], "singular": [value], "plural": ["laugh"]}, dtype=object
        )
        lemmas = accepted(lambda: load_lemmas(table))
        assert lemmas is None or isinstance(value, str)

    search(examples, VALUES, check)


@pytest.mark.parametrize("examples", EXAMPLES)
def test_tables_in_parquet(examples, tmp_path):
    path = tmp_path / "own.parquet"
    columns = st.sampled_from(
        [[GOOD], [["The", "author"]], [b"The author laughs."], [True], [7], [{"a": "b"}], [None]]
    )
    metadata = WRITTEN | st.sampled_from(['{"columns": 7}', '{"index_columns": ["a"]}', "{}"])

    def check(drawn):
        values, text = drawn
        table = pa.table({"good": values, "bad": [BAD]})
        table = table.replace_schema_metadata({b"pandas": text.encode("utf-8", "replace")})
        pq.write_table(table, path)
        pairs = accepted(lambda: load_sentence_pairs(path))
        if pairs is not None:
            check_pairs(pairs, [{"good": values[0], "bad": BAD}])

    search(examples, st.tuples(columns, metadata), check)


@pytest.mark.parametrize("examples", EXAMPLES)
def test_sizes(examples, tmp_path, monkeypatch):
    """With a limit of 20,000 bytes, and of columns."""
    monkeypatch.setenv("TSE_LIMIT", "0.00002")

    def check(drawn):
        ending, rows, characters, columns = drawn
        path = tmp_path / f"own.{ending}"
        path.unlink(missing_ok=True)
        good, bad = "a " + "x" * characters, "b"
        further = {f"c{number}": "1" for number in range(columns)}
        size = 0
        if ending == "link.csv":
            path.symlink_to("/dev/zero")
        elif ending == "parquet":
            table = pd.DataFrame([{"good": good, "bad": bad, **further}] * rows)
            table.to_parquet(path, index=False)
            size = rows * (len(good) + len(bad) + 60 * (columns + 2))
        elif ending == "csv":
            head = ",".join(["good", "bad", *further])
            line = ",".join([good, bad, *further.values()])
            path.write_text("\n".join([head, *[line] * rows]))
        else:
            row = json.dumps({"good": good, "bad": bad, **further})
            path.write_text("\n".join([row] * rows))
        pairs = accepted(lambda: load_sentence_pairs(path))
        is_small = max(size, path.stat().st_size) <= 20_000 and columns < 999
        assert (pairs is not None) == (is_small and ending != "link.csv")

    sizes = st.sampled_from([1, 10, 300]), st.sampled_from([0, 100, 30_000])
    endings = st.sampled_from(["csv", "jsonl", "parquet", "link.csv"])
    search(examples, st.tuples(endings, *sizes, st.sampled_from([0, 0, 1000])), check)


ANSWER = {
    "text": f"{GOOD} More",
    "logprobs": {
        "tokens": ["The", " author", " laughs", ".", " More"],
        "token_logprobs": [None, -1.5, -2.5, -0.5, -1.0],
    },
}


@pytest.mark.parametrize("examples", EXAMPLES)
def test_answers_of_servers(examples, monkeypatch):
    """One value of an answer is another one, or the answer is."""
    # Values of other kinds, and those near what belongs there.
    near = {
        "tokens": ["5", "true", "null", '""', '" author"', '"<unk>"', '["a"]'],
        "token_logprobs": ["false", "true", '"-1.5"', "-1e308", "-" + "1" * 400, "0.5", "null"],
        "text": ["5", "null"],
        "choices": ["null", "[5]", "{}"],
        "answer": ["null", "[]", "5"],
    }
    positions = st.integers(1, 3)
    at_places = [st.tuples(st.sampled_from([*near]), positions, WRITTEN)]
    for name, values in near.items():
        at_places.append(st.tuples(st.just(name), positions, st.sampled_from(values)))

    def check(drawn):
        place, position, written = drawn
        choice = json.loads(json.dumps(ANSWER))
        if place in choice["logprobs"]:
            choice["logprobs"][place][position] = "@"
        elif place == "text":
            choice["text"] = "@"
        text = json.dumps({"choices": "@" if place == "choices" else [choice]})
        text = written if place == "answer" else text.replace('"@"', written)

        def received(self, address, body):
            listing = json.dumps({"data": [{"id": "tiny"}]})
            content = listing if address.endswith("models") else text
            return 200, content.encode("utf-8", "surrogatepass")

        monkeypatch.setattr(ServerModel, "_received", received)
        scores = accepted(lambda: ServerModel("http://x").token_surprisals([GOOD]))
        if scores is not None:
            logprobs = json.loads(text)["choices"][0]["logprobs"]
            for value in logprobs["token_logprobs"][1:4]:
                assert isinstance(value, int | float) and not isinstance(value, bool)
                assert abs(value) < 1e300
            # Texts that are not those of the sentence may join neighbours, and lose no bit.
            bits = -math.fsum(logprobs["token_logprobs"][1:4]) / math.log(2)
            first = scores[0].bits[1:] if math.isnan(scores[0].bits[0]) else scores[0].bits
            assert math.isclose(np.nansum(first), bits, abs_tol=1e-9)

    search(3 * examples, st.one_of(at_places), check)  # none of them takes a millisecond


@pytest.mark.parametrize("examples", EXAMPLES)
def test_lists_of_models_of_servers(examples, monkeypatch):
    def check(written):
        text = f'{{"data": [{{"id": {written}}}]}}'
        monkeypatch.setattr(ServerModel, "_received", lambda *_: (200, text.encode()))
        model = accepted(lambda: ServerModel("http://x"))
        assert model is None or model.served == json.loads(written)
        assert model is None or isinstance(model.served, str)

    search(examples, WRITTEN, check)


@pytest.mark.parametrize("examples", EXAMPLES)
def test_tables_of_commands(examples, monkeypatch):
    cells = TEXTS | st.sampled_from(["1", "2", "-1", "nan", "inf", "1e308", "9" * 400, "True"])

    def check(drawn):
        row, column, cell, is_further = drawn
        rows = [["1", "1", "The", "1.5"], ["1", "2", "author", "2.5"]]
        if is_further:
            rows = [[cell, *cells_of_row] for cells_of_row in rows]
        else:
            rows[row][column] = cell
        head = "sentence_id\ttoken_id\ttoken\tsurprisal\n"
        text = head + "\n".join(map("\t".join, rows)) + "\n"

        def run(self, action, sentences):
            return text if action == "get_surprisals" else "0 0\n"

        monkeypatch.setattr(CommandModel, "_run", run)
        scores = accepted(lambda: CommandModel(["x"]).token_surprisals(["The author"]))
        if scores is not None:
            assert [row[:2] for row in rows] == [["1", "1"], ["1", "2"]]
            expected = [float(row[3]) for row in rows]
            assert scores[0].bits.tolist() == expected and max(expected) < 1e300

    places = st.integers(0, 1), st.integers(0, 3)
    search(examples, st.tuples(*places, cells, st.sampled_from([False, False, True])), check)


REGION = {"region_number": 1, "content": "laughs"}
SUITE = {
    "meta": {"name": "own", "metric": "sum"},
    "region_meta": {"1": "verb"},
    "predictions": [{"type": "formula", "formula": "(1;%a%) < (1;%b%)"}],
    "items": [
        {
            "item_number": 1,
            "conditions": [
                {"condition_name": "a", "regions": [REGION]},
                {"condition_name": "b", "regions": [REGION | {"content": "laugh"}]},
            ],
        }
    ],
}
WORDS_OF_SUITE = ["own", "sum", "verb", "formula", "(1;%a%) < (1;%b%)", "a", "laughs", "laugh"]


@pytest.mark.parametrize("examples", EXAMPLES)
def test_suites(examples, tmp_path):
    """One text of a suite is another value."""
    path = tmp_path / "own.json"
    parts = [json.dumps(word) for word in WORDS_OF_SUITE] + ["1}", '"meta"', '"items"']

    def check(drawn):
        part, written = drawn
        text = json.dumps(SUITE).replace(part, written, 1)
        path.write_text(text, errors="surrogatepass")
        suite = accepted(lambda: load_suite(path))
        if suite is not None:
            data = json.loads(text)
            condition = data["items"][0]["conditions"][0]
            content = condition["regions"][0]["content"]
            assert isinstance(content, str) and isinstance(data["meta"]["name"], str)
            assert suite.table["content"][0] == plain(content)

    search(examples, st.tuples(st.sampled_from(parts), WRITTEN), check)


@pytest.mark.parametrize("examples", EXAMPLES)
def test_suites_of_a_spreadsheet(examples, tmp_path):
    path = tmp_path / "own.csv"
    lines = [
        "#meta,name,own", "#meta,metric,sum", "#prediction,(1;%a%) < (1;%b%)",
        "item_number,condition_name,1: verb", "1,a,laughs", "1,b,laugh",
    ]  # fmt: skip
    hostile = st.sampled_from(["#meta,metric,mean", "1,a,laughs", "x,y", "#prediction", "," * 2000])

    def check(drawn):
        position, line = drawn
        found = [*lines[:position], line, *lines[position:]]
        path.write_text("\n".join(found), errors="surrogatepass")
        suite = accepted(lambda: load_suite(path))
        if suite is not None:
            assert suite.metric == "sum" and suite.table["content"].tolist() == ["laughs", "laugh"]

    search(examples, st.tuples(st.integers(0, 6), hostile | TEXTS), check)


@pytest.mark.parametrize("examples", EXAMPLES)
def test_settings_of_models(examples, tmp_path):
    index, adapter = tmp_path / "model.safetensors.index.json", tmp_path / "adapter_config.json"

    def check(written):
        index.write_text(f'{{"weight_map": {written}}}')
        files = accepted(lambda: weight_files(tmp_path))
        assert files is None or all(file.parent == tmp_path for file in files)
        adapter.write_text(f'{{"base_model_name_or_path": "a", "peft_type": {written}}}')
        assert accepted(lambda: adapter_source(str(tmp_path), None)) is None

    search(examples, WRITTEN, check)


@pytest.mark.parametrize("examples", EXAMPLES)
def test_configurations(examples, tiny_causal, tmp_path):
    """One setting of config.json is another value."""
    for file in tiny_causal.iterdir():
        shutil.copyfile(file, tmp_path / file.name)
    settings = json.loads((tiny_causal / "config.json").read_text())
    keys = st.sampled_from(
        ["n_layer", "n_head", "num_labels", "architectures", "text_config", "return_dict", "bos"]
    )
    near = st.sampled_from([0, 1, 3, -4, 10**7])

    def check(drawn):
        key, value = drawn
        (tmp_path / "config.json").write_text(json.dumps(settings | {key: value}))
        scores = accepted(lambda: surprisals(tmp_path, GOOD))
        if scores is not None:
            assert key != "n_layer" or value == settings["n_layer"]
            assert key != "bos" or value in (None, "none")
            assert key != "num_labels" or not isinstance(value, int) or 0 <= value <= 50_000

    search(examples, st.tuples(keys, near | VALUES), check)


@pytest.mark.parametrize("examples", EXAMPLES)
def test_normalisers(examples, tmp_path):
    letters = st.sampled_from([0, 1, 5, 20, 10**6])
    steps = letters.map(lambda length: {"type": "Replace", "content": "a" * length})
    nested = st.recursive(
        steps | VALUES, lambda parts: st.fixed_dictionaries({"normalizers": st.lists(parts)})
    )

    def longest(normaliser):
        if not isinstance(normaliser, dict):
            return 1
        steps = normaliser.get("normalizers", [])
        return max(1, len(normaliser.get("content", ""))) * math.prod(map(longest, steps))

    def check(normaliser):
        (tmp_path / "tokenizer.json").write_text(json.dumps({"normalizer": normaliser}))
        if accepted(lambda: check_settings(tmp_path) or True):
            assert longest(normaliser) <= 100

    search(examples, nested, check)


SIGNATURE = "m@00000000 d@11111111 | l@22222222(3) bos:none protocol:exact/1 | 0.1.0 cpu 2026-01-01"
NUMBERS_OF_RUN = dict.fromkeys(TIDY_COLUMNS, "1") | {
    "model": "m", "protocol": "exact", "method": "", "construction": "c", "metric": "TSE",
    "side": "", "cutoff": "", "score": "0.5", "low": "0.1", "high": "0.9", "signature": SIGNATURE,
}  # fmt: skip


@pytest.mark.parametrize("examples", EXAMPLES)
def test_results(examples, tmp_path):
    """One cell of a results file is another one."""
    path = tmp_path / "r.csv"
    cells = TEXTS | st.sampled_from(["1.5", "-1", "nan", "inf", "9" * 400, "0.95", "1e-400", "m@1"])

    def check(drawn):
        column, cell = drawn
        with path.open("w", newline="", errors="surrogatepass") as file:
            csv.writer(file).writerows([TIDY_COLUMNS, (NUMBERS_OF_RUN | {column: cell}).values()])
        results = accepted(lambda: read_results(path))
        if results is not None:
            (row,) = results.to_dict("records")
            assert row["model"] == "m" and 0 <= row["low"] <= row["score"] <= row["high"] <= 1
            for count in ("lemmas", "contexts", "pairs"):
                assert row[count] == float(cell if column == count else 1) >= 0

    search(examples, st.tuples(st.sampled_from(TIDY_COLUMNS), cells), check)


@pytest.mark.parametrize("examples", EXAMPLES)
def test_pieces_of_the_store(examples, tmp_path):
    """A fact of a piece is another value, or its table is another one."""
    store, signature = Store(tmp_path), Signature.parse(SIGNATURE)
    kept = pd.DataFrame({"logp": [-1.0, -2.0], "tie": [True, False]})
    store.put(signature, "piece", {"pairs": kept}, [1.0])
    (path,) = tmp_path.rglob("*.parquet")
    _, facts = read_tables(path)
    others = [kept[:1], kept.astype(str), kept[["tie"]], pd.concat([kept, kept]), kept[:0]]
    facts_of_others = st.sampled_from(["piece", "key", "probe", "provenance", "columns"])

    def check(drawn):
        number, fact, value = drawn
        table = [kept, *others][number]
        changed = facts if number else facts | {fact: value}
        write_tables(path, {"pairs": table}, changed)
        stored = accepted(lambda: store.get(signature, "piece", ["pairs"], [1.0]))
        if stored is not None:
            pd.testing.assert_frame_equal(stored[0]["pairs"], kept)
            assert changed["probe"] == [1.0] and changed["piece"] == "piece"
            assert stored[1] == dict(signature.provenance)
            assert changed["key"] == facts["key"]

    drawn = st.tuples(st.sampled_from([0, 0, 1, 2, 3, 4, 5]), facts_of_others, VALUES)
    search(examples, drawn, check)


@pytest.mark.parametrize("examples", EXAMPLES)
def test_headers_of_gguf(examples, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TSE_CACHE", str(tmp_path))
    counts = st.integers(0, 3) | st.sampled_from([2**31, 2**50, 2**64 - 1])
    numbers = st.integers(0, 14)

    def check(drawn):
        tensors, keys, length, kind, of_list, count, rest = drawn
        header = struct.pack("<IQQQ", 3, tensors, keys, length) + b"a"
        value = struct.pack("<IIQ", kind, of_list, count)
        (tmp_path / "m.gguf").write_bytes(b"GGUF" + header + value + rest)
        assert accepted(lambda: converted_folder(tmp_path / "m.gguf")) is None

    # Mostly one key of one letter, which holds a list, lest anything else be refused first.
    one, list_of = st.just(1) | counts, st.just(9) | numbers
    parts = counts, one, one, list_of, numbers, counts, st.binary(max_size=60)
    search(examples, st.tuples(*parts), check)


@pytest.mark.parametrize("examples", EXAMPLES)
def test_names(examples):
    """Of files, suites, columns and anything else that a line quotes."""
    pieces = [
        SECRET,
        f"http:{'//'}me:word@x/?api_key=abc",
        "http:/me:word@x",
        "\x1b[2J",
        "\u202e",
        "\r\n",
        "\0",
        "-",
        "a",
    ]
    names = st.lists(st.sampled_from(pieces) | TEXTS, min_size=1, max_size=4).map("".join)

    def check(name):
        assert accepted(lambda: load_pairs(f"{name}.csv")) is None
        assert accepted(lambda: load_suite(f"{name}.json")) is None
        assert accepted(lambda: check_known("word", name, [f"the {SECRET}"])) is None
        try:
            raise InputError(f"{name} is none")
        except InputError as error:
            assert "me:word" not in str(error) and "api_key=abc" not in str(error)

    search(examples, names, check)
