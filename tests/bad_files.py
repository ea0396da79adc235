"""Files with one mistake each, for the catalogue of errors."""

import json
from pathlib import Path

from suites import suite_data

PAIR = '{"sentence_good": "The author laughs.", "sentence_bad": "The author laugh.", "label": -1}\n'
GRAMMAR = """lexicon: {nouns: {n: [key/keys]}, predicates: {v: [is/are]}}
constructions: {c: {patterns: {p: 'the [n 1] [*v 1]'}}}
"""
SIGNATURE = "m@00000000 d@11111111 | l@22222222(3) bos:none protocol:exact/1 | 0.1.0 cpu 2026-01-01"
COLUMNS = (
    "model,protocol,construction,metric,side,cutoff,score,low,high,coverage,invalid,lemmas,contexts,pairs,signature"
)
ROW = f"m,exact,Simple,TSE,,,0.5,0.1,0.9,,,3,9,9,{SIGNATURE}"


def suite(**changes) -> str:
    """A well-formed suite of one item, with some parts changed."""
    items = [dict.fromkeys(("match", "mismatch"), ["The author", "laughs"])]
    return json.dumps(suite_data(items, "(2;%match%) < (2;%mismatch%)", name="mine") | changes)


WORDS = ", ".join(f"w{number}" for number in range(60))
WIDE = f"lexicon: {{nouns: {{n: [key/keys]}}, predicates: {{v: [is/are]}}, words: {{w: [{WORDS}]}}}}\n"
WIDE += "constructions: {c: {patterns: {p: 'the [n 1] [w] [w] [w] [w] [w] [w] [*v 1]'}}}\n"


FILES = {
    # pairs
    "cut.jsonl": PAIR + '{"sentence_good": "The',
    "good.jsonl": PAIR,
    "surrogate.jsonl": PAIR.replace("author", r"\ud800"),
    # grammars, plans of sweeps, the gym's files
    "grammar.yaml": GRAMMAR,
    "python.yaml": "!!python/object/apply:os.system ['true']\n",
    "wide.yaml": WIDE,
    "plan.yaml": "models: [absent-model]\ndata: [good.jsonl]\n",
    "gym-suite.yaml": "suites: [nowhere]\n",
    # suites
    "metric.json": suite(meta={"name": "mine", "metric": "total"}),
    "suite.json": suite(),
    # results
    "score.csv": f"{COLUMNS}\n{ROW}\n{ROW.replace('0.5', '1.5')}\n",
    "folder.parquet/x": "",
    # text
    "gap.txt": "The author laughs.\n\nThe author.\n",
    # folders
    "pickled/config.json": '{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}',
    "pickled/pytorch_model.bin": b"\x80\x04.",
    "t5/config.json": '{"model_type": "t5", "is_encoder_decoder": true, "architectures": ["T5"]}',
}


def write_files(folder: Path) -> None:
    for name, contents in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(contents.encode() if isinstance(contents, str) else contents)
