"""Files with one mistake each, for the catalogue of errors."""

import json
from pathlib import Path

from suites import suite_data

PAIR = {"sentence_good": "The author laughs.", "sentence_bad": "The author laugh.", "label": -1}
GRAMMAR = """lexicon: {nouns: {n: [key/keys]}, predicates: {v: [is/are]}}
constructions: {c: {patterns: {p: 'the [n 1] [*v 1]'}}}
"""
SIGNATURE = "m@00000000 d@11111111 | l@22222222(3) bos:none protocol:exact/1 | 0.1.0 cpu 2026-01-01"
COLUMNS = (
    "model,protocol,construction,metric,side,cutoff,score,low,high,coverage,invalid,lemmas,contexts,pairs,signature"
)


def row(score="0.5", pairs="9", signature=SIGNATURE) -> str:
    return f"m,exact,Simple,TSE,,,{score},0.1,0.9,,,3,9,{pairs},{signature}"


def suite(**changes) -> str:
    """A well-formed suite of one item, with some parts changed."""
    items = [dict.fromkeys(("match", "mismatch"), ["The author", "laughs"])]
    return json.dumps(suite_data(items, "(2;%match%) < (2;%mismatch%)", name="mine") | changes)


def predicting(formula: str) -> str:
    return suite(predictions=[{"type": "formula", "formula": formula}])


def lines(*records) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


BOMB = "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 8)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
WORDS = ", ".join(f"w{number}" for number in range(60))
WIDE = f"lexicon: {{nouns: {{n: [key/keys]}}, predicates: {{v: [is/are]}}, words: {{w: [{WORDS}]}}}}\n"
WIDE += "constructions: {c: {patterns: {p: 'the [n 1] [w] [w] [w] [w] [w] [w] [*v 1]'}}}\n"
MANY = "".join(f"{key}: [{', '.join(f'x{number}' for number in range(60))}]\n" for key in ("models", "data", "lemmas"))


FILES = {
    # pairs
    "cut.jsonl": lines(PAIR) + '{"sentence_good": "The',
    "good.jsonl": lines(PAIR),
    "label-true.jsonl": lines(PAIR | {"label": True}),
    "surrogate.jsonl": lines(PAIR | {"sentence_good": "The \ud800 laughs."}),
    "utf16.jsonl": lines(PAIR).encode("utf-16"),
    "folder.jsonl/x": "",
    # lemmas, or columns of pairs
    "no-plural.csv": "lemma,singular\nwalk,walks\n",
    "twice.csv": "lemma,singular,plural\nwalk,walks,walk\nwalk,walks,walk\n",
    "cell.csv": "lemma,singular,plural\nwalk,,walk\n",
    # grammars, plans of sweeps, the gym's files
    "grammar.yaml": GRAMMAR,
    "bracket.yaml": GRAMMAR.replace("[n 1]", "[n 1"),
    "python.yaml": "!!python/object/apply:os.system ['true']\n",
    "bomb.yaml": BOMB,
    "wide.yaml": WIDE,
    "plan-key.yaml": "models: [tiny]\nmodel: x\n",
    "plan-folders-none.yaml": "models: [{folders: 'absent-*'}]\n",
    "plan-many.yaml": MANY,
    "gym-suite.yaml": "suites: [nowhere]\n",
    "gym-human-high.yaml": "human: {mine: {accuracy: 5, source: x}}\n",
    # suites
    "metric.json": suite(meta={"name": "mine", "metric": "total"}),
    "formula-chain.json": predicting("1 < (2;%match%) < 3"),
    "formula-condition.json": predicting("(2;%match%) < (2;%other%)"),
    "item.suite.csv": "#meta,name,mine\n#prediction,(1;%a%)<(1;%b%)\nitem_number,condition_name,1: x\none,a,The\n",
    "suite.json": suite(),
    # results
    "score.csv": f"{COLUMNS}\n{row()}\n{row(score='1.5')}\n",
    "unsigned.csv": f"{COLUMNS}\n{row(signature='by hand')}\n",
    "binary.parquet": bytes(range(256)),
    "folder.parquet/x": "",
    # text
    "empty.txt": "",
    "gap.txt": "The author laughs.\n\nThe author.\n",
    "latin.txt": b"caf\xe9\n",
    # folders
    "pickled/config.json": '{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}',
    "pickled/pytorch_model.bin": b"\x80\x04.",
    "bad-config/config.json": "{",
    "t5/config.json": '{"model_type": "t5", "is_encoder_decoder": true, "architectures": ["T5"]}',
    "pages/thesis.csv": "mine",
    "layers/config.json": '{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_layer": -1}',
    "baseline-cut/tse_baseline.json": "{",
}


def write_files(folder: Path) -> None:
    for name, contents in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(contents.encode() if isinstance(contents, str) else contents)
