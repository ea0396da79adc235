"""Files with one mistake each, for the catalogue of errors."""

import json
from pathlib import Path

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
    regions = [{"region_number": 1, "content": "The author"}, {"region_number": 2, "content": "laughs"}]
    conditions = [{"condition_name": name, "regions": regions} for name in ("match", "mismatch")]
    data = {
        "meta": {"name": "mine", "metric": "sum"},
        "region_meta": {"1": "subject", "2": "verb"},
        "predictions": [{"type": "formula", "formula": "(2;%match%) < (2;%mismatch%)"}],
        "items": [{"item_number": 1, "conditions": conditions}],
    }
    return json.dumps(data | changes)


def predicting(formula: str) -> str:
    return suite(predictions=[{"type": "formula", "formula": formula}])


def lines(*records) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


FILES = {
    # pairs
    "empty.jsonl": "",
    "cut.jsonl": lines(PAIR) + '{"sentence_good": "The',
    "list.jsonl": "[1, 2]\n",
    "no-label.jsonl": lines({key: PAIR[key] for key in ("sentence_good", "sentence_bad")}),
    "label.jsonl": lines(PAIR | {"label": 1}),
    "label-text.jsonl": lines(PAIR | {"label": "-1"}),
    "no-bad.jsonl": lines({"sentence_good": "The author laughs.", "label": -1}),
    "number.jsonl": lines(PAIR | {"sentence_good": 7}),
    "same.jsonl": lines(PAIR | {"sentence_bad": PAIR["sentence_good"]}),
    "two-words.jsonl": lines(PAIR | {"sentence_bad": "The authors laugh."}),
    "longer.jsonl": lines(PAIR | {"sentence_bad": "The author laugh loudly."}),
    "latin.jsonl": b'{"sentence_good": "Caf\xe9"}\n',
    "binary.jsonl": bytes(range(256)),
    "prefix.jsonl": lines(PAIR | {"one_prefix_method": True}),
    # lemmas
    "no-plural.csv": "lemma,singular\nwalk,walks\n",
    "equal.csv": "lemma,singular,plural\nput,put,put\n",
    "twice.csv": "lemma,singular,plural\nwalk,walks,walk\nwalk,walks,walk\n",
    "cell.csv": "lemma,singular,plural\nwalk,,walk\n",
    "header.csv": "lemma,singular,plural\n",
    "latin.csv": b"lemma,singular,plural\ncaf\xe9,caf\xe9s,caf\xe9\n",
    # grammars
    "tab.yaml": "lexicon:\n\t- a\n",
    "text.yaml": "hello\n",
    "no-lexicon.yaml": "constructions: {}\n",
    "kind.yaml": GRAMMAR.replace("nouns", "noun"),
    "bracket.yaml": GRAMMAR.replace("[n 1]", "[n 1"),
    "star.yaml": GRAMMAR.replace("*v", "v"),
    "unknown-list.yaml": GRAMMAR.replace("[n 1]", "[m 1]"),
    "form.yaml": GRAMMAR.replace("is/are", "is"),
    "python.yaml": "!!python/object/apply:os.system ['true']\n",
    # suites
    "cut.json": '{"meta": ',
    "deep.json": "[" * 100_000,
    "list.json": "[]",
    "metric.json": suite(meta={"name": "mine", "metric": "total"}),
    "no-items.json": suite(items=[]),
    "formula-chain.json": predicting("1 < (2;%match%) < 3"),
    "formula-end.json": predicting("(2;%match%) <"),
    "formula-condition.json": predicting("(2;%match%) < (2;%other%)"),
    "formula-region.json": predicting("(2;%match%) < (7;%match%)"),
    "formula-code.json": predicting("__import__('os').system('true')"),
    "header.csv.suite.csv": "#meta,name,mine\nThe,author\n",
    "item.suite.csv": "#meta,name,mine\n#prediction,(1;%a%)<(1;%b%)\nitem_number,condition_name,1: x\none,a,The\n",
    # results
    "column.csv": COLUMNS.removesuffix(",signature") + "\n",
    "score.csv": f"{COLUMNS}\n{row()}\n{row(score='1.5')}\n",
    "word.csv": f"{COLUMNS}\n{row(score='high')}\n",
    "count.csv": f"{COLUMNS}\n{row(pairs='')}\n",
    "unsigned.csv": f"{COLUMNS}\n{row(signature='by hand')}\n",
    "hash.csv": f"{COLUMNS}\n{row(signature=SIGNATURE.replace('@00000000', ''))}\n",
    "no-row.csv": COLUMNS + "\n",
    "results.parquet": "not parquet",
    "good-results.csv": f"{COLUMNS}\n{row()}\n",
    # text and folders
    "empty.txt": "",
    "gap.txt": "The author laughs.\n\nThe author.\n",
    "latin.txt": b"caf\xe9\n",
    "sentences.txt": "The author laughs.\n",
    "good.jsonl": lines(PAIR),
    "suite.json": suite(),
    "pickled/config.json": '{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}',
    "pickled/pytorch_model.bin": b"\x80\x04.",
    "no-config/readme.txt": "no model",
    "bad-config/config.json": "{",
    "t5/config.json": '{"model_type": "t5", "is_encoder_decoder": true, "architectures": ["T5"]}',
}


def write_files(folder: Path) -> None:
    for name, contents in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(contents.encode() if isinstance(contents, str) else contents)
