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


def cell(**changes) -> str:
    """A results file of one row with some cells changed."""
    values = dict(zip(COLUMNS.split(","), row().split(","), strict=True)) | changes
    return f"{COLUMNS}\n{','.join(values.values())}\n"


def config(**changes) -> str:
    return json.dumps({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 8, "n_head": 2} | changes)


def items(*numbers, **changes) -> str:
    """A suite with these item numbers, each condition changed."""
    regions = [{"region_number": 1, "content": "The author"}, {"region_number": 2, "content": "laughs"}]
    conditions = [{"condition_name": name, "regions": regions} | changes for name in ("match", "mismatch")]
    return suite(items=[{"item_number": number, "conditions": conditions} for number in numbers])


def table(*rows: str) -> str:
    """A suite as a spreadsheet, with these rows after the predictions."""
    return "\n".join(["#meta,name,mine", "#meta,metric,sum", "#prediction,(1;%a%)<(1;%b%)", *rows, ""])


BOMB = "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 8)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
WORDS = ", ".join(f"w{number}" for number in range(60))
WIDE = f"lexicon: {{nouns: {{n: [key/keys]}}, predicates: {{v: [is/are]}}, words: {{w: [{WORDS}]}}}}\n"
WIDE += "constructions: {c: {patterns: {p: 'the [n 1] [w] [w] [w] [w] [w] [w] [*v 1]'}}}\n"
MANY = "".join(f"{key}: [{', '.join(f'x{number}' for number in range(60))}]\n" for key in ("models", "data", "lemmas"))


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
    "null.jsonl": "null\n",
    "blank.jsonl": "\n \n\n",
    "comma.jsonl": json.dumps(PAIR) + ",\n",
    "quotes.jsonl": str(PAIR) + "\n",
    "label-float.jsonl": lines(PAIR | {"label": -1.0}),
    "label-true.jsonl": lines(PAIR | {"label": True}),
    "label-null.jsonl": lines(PAIR | {"label": None}),
    "label-nan.jsonl": lines(PAIR | {"label": float("nan")}),
    "spaces.jsonl": lines(PAIR | {"sentence_bad": "  "}),
    "sentence-list.jsonl": lines(PAIR | {"sentence_good": ["The", "author"]}),
    "sentence-null.jsonl": lines(PAIR | {"sentence_good": None}),
    "deep.jsonl": '{"a":' * 5000 + "\n",
    "digits.jsonl": '{"label": ' + "9" * 6000 + "}\n",
    "surrogate.jsonl": lines(PAIR | {"sentence_good": "The \ud800 laughs."}),
    "utf16.jsonl": lines(PAIR).encode("utf-16"),
    "folder.jsonl/x": "",
    "second.jsonl": lines(PAIR, PAIR, {"sentence_good": "x"}),
    "no-word.jsonl": lines({"sentence_good": "The author.", "sentence_bad": "The author laugh.", "label": -1}),
    "prefix-2.jsonl": lines(PAIR | {"two_prefix_method": True, "two_prefix_prefix_good": "The"}),
    "empty-lemmas.csv": "",
    "semicolon-lemmas.csv": "lemma;singular;plural\nwalk;walks;walk\n",
    "columns-lemmas.csv": "lemma,singular,plural,plural\nwalk,walks,walk,walk\n",
    "spaces-lemmas.csv": "lemma,singular,plural\nwalk,  ,walk\n",
    "short-lemmas.csv": "lemma,singular,plural\nwalk\n",
    "utf16-lemmas.csv": "lemma,singular,plural\nwalk,walks,walk\n".encode("utf-16"),
    "folder-lemmas.csv/x": "",
    "bomb.yaml": BOMB,
    "wide.yaml": WIDE,
    "twice.yaml": GRAMMAR + "lexicon: {}\n",
    "twice-inside.yaml": GRAMMAR.replace("nouns: {n: [key/keys]}", "nouns: {n: [key/keys], n: [cat/cats]}"),
    "date.yaml": "lexicon: 2021-13-45\n",
    "deep.yaml": "[" * 5000,
    "digits.yaml": "lexicon: " + "9" * 6000 + "\n",
    "list.yaml": "- lexicon\n",
    "empty.yaml": "",
    "nul.yaml": "lexicon: \0\n",
    "utf16.yaml": GRAMMAR.encode("utf-16"),
    "latin.yaml": b"name: caf\xe9\n",
    "key.yaml": "? [a]\n: 1\n",
    "documents.yaml": "--- 1\n--- 2\n",
    "folder.yaml/x": "",
    "lexicon-list.yaml": "lexicon: [a]\nconstructions: {}\n",
    "entries.yaml": GRAMMAR.replace("[key/keys]", "5"),
    "entry.yaml": GRAMMAR.replace("[key/keys]", "[5]"),
    "no-constructions.yaml": "lexicon: {nouns: {n: [key/keys]}}\n",
    "construction.yaml": GRAMMAR.replace("{patterns: {p: 'the [n 1] [*v 1]'}}", "5"),
    "patterns.yaml": GRAMMAR.replace("patterns:", "pattern:"),
    "pattern-number.yaml": GRAMMAR.replace("'the [n 1] [*v 1]'", "5"),
    "index.yaml": GRAMMAR.replace("[n 1]", "[n]"),
    "index-alone.yaml": GRAMMAR.replace("[*v 1]", "[*v 2]"),
    "stars.yaml": GRAMMAR.replace("[*v 1]", "[*v 1] [*v 1]"),
    "noun-star.yaml": GRAMMAR.replace("[n 1]", "[*n 1]").replace("[*v 1]", "[v 1]"),
    "often.yaml": GRAMMAR.replace("[n 1] [*v 1]", "[n 1] [n 2] [*v 1]"),
    # suites
    "digits.json": '{"meta": ' + "9" * 6000 + "}",
    "number.json": "5",
    "utf16.json": suite().encode("utf-16"),
    "folder.json/x": "",
    "no-meta.json": suite(meta=None),
    "no-name.json": suite(meta={"metric": "sum"}),
    "name-number.json": suite(meta={"name": 5, "metric": "sum"}),
    "metric-list.json": suite(meta={"name": "mine", "metric": ["sum"]}),
    "region-meta.json": suite(region_meta=[]),
    "region-name.json": suite(region_meta={"1": "a", "two": "b"}),
    "no-predictions.json": suite(predictions=[]),
    "prediction-text.json": suite(predictions=["1 < 2"]),
    "prediction-type.json": suite(predictions=[{"type": "formula"}]),
    "formula-empty.json": predicting(""),
    "formula-number.json": suite(predictions=[{"type": "formula", "formula": 5}]),
    "formula-brackets.json": predicting("((2;%match%) < (2;%mismatch%)"),
    "formula-percent.json": predicting("(2;%match) < (2;%mismatch%)"),
    "formula-times.json": predicting("(2;%match%) * 2 < 3"),
    "formula-sum.json": predicting("(2;%match%) + (2;%mismatch%)"),
    "formula-deep.json": predicting("(" * 5000 + "(2;%match%) < 1" + ")" * 5000),
    "formula-digits.json": predicting("(2;%match%) < " + "9" * 6000),
    "items-object.json": suite(items={}),
    "item-text.json": suite(items=["one"]),
    "item-twice.json": items(1, 1),
    "item-number.json": items("one"),
    "no-conditions.json": suite(items=[{"item_number": 1, "conditions": []}]),
    "condition-name.json": items(1, condition_name=5),
    "condition-twice.json": items(1, condition_name="match"),
    "regions-missing.json": items(1, regions=[]),
    "region-twice.json": items(1, regions=[{"region_number": 1, "content": "a"}] * 2),
    "region-other.json": items(1, regions=[{"region_number": 7, "content": "a"}]),
    "content-number.json": items(1, regions=[{"region_number": 1, "content": 5}, {"region_number": 2, "content": "a"}]),
    "all-empty.json": items(1, regions=[{"region_number": 1, "content": ""}, {"region_number": 2, "content": ""}]),
    "no-table.suite.csv": table(),
    "quote.suite.csv": table('"item_number,condition_name,1: x'),
    "heading.suite.csv": table("item_number,condition_name,x", "1,a,The"),
    "headings.suite.csv": table("item_number,condition_name,1: x,1: y", "1,a,The,A"),
    "cells.suite.csv": table("item_number,condition_name,1: x", "1,a,The,more"),
    "number.suite.csv": table("item_number,condition_name,1: x", "1.5,a,The"),
    "value.suite.csv": table("#meta,author,json:{", "item_number,condition_name,1: x", "1,a,The"),
    "twice.suite.csv": table("item_number,condition_name,1: x", "1,a,The", "1,a,A"),
    "empty.suite.csv": "",
    # results
    "nan.results.csv": cell(score="nan"),
    "inf.results.csv": cell(score="inf"),
    "minus.results.csv": cell(score="-0.1"),
    "low.results.csv": cell(low="2"),
    "high.results.csv": cell(high="-1"),
    "true.results.csv": cell(score="True"),
    "count-half.results.csv": cell(pairs="1.5"),
    "count-minus.results.csv": cell(pairs="-1"),
    "count-inf.results.csv": cell(pairs="inf"),
    "count-huge.results.csv": cell(pairs="9" * 40),
    "cutoff.results.csv": cell(cutoff="7"),
    "side.results.csv": cell(side="left"),
    "cut-side.results.csv": cell(cutoff="0.5"),
    "date-week.results.csv": cell(signature=SIGNATURE.replace("2026-01-01", "2026-W01-1")),
    "date.results.csv": cell(signature=SIGNATURE.replace("2026-01-01", "yesterday")),
    "digits.results.csv": cell(pairs="9" * 6000),
    "header-only.results.csv": "model\n",
    "empty.results.csv": "",
    "utf16.results.csv": cell().encode("utf-16"),
    "binary.parquet": bytes(range(256)),
    "cut.parquet": b"PAR1",
    "folder.parquet/x": "",
    # plans of sweeps
    "plan-empty.yaml": "",
    "plan-models.yaml": "models: []\n",
    "plan-text.yaml": "models: gpt2\n",
    "plan-number.yaml": "models: [5]\n",
    "plan-key.yaml": "models: [tiny]\nmodel: x\n",
    "plan-both.yaml": "models: [{model: tiny, folders: x}]\n",
    "plan-neither.yaml": "models: [{name: x}]\n",
    "plan-entry.yaml": "models: [{model: tiny, color: red}]\n",
    "plan-folders-empty.yaml": "models: [{folders: ''}]\n",
    "plan-folders-root.yaml": "models: [{folders: '/'}]\n",
    "plan-folders-stars.yaml": "models: [{folders: '**a'}]\n",
    "plan-folders-none.yaml": "models: [{folders: 'absent-*'}]\n",
    "plan-folders-list.yaml": "models: [{folders: [a]}]\n",
    "plan-folders-nul.yaml": 'models: [{folders: "a\\0b"}]\n',
    "plan-device.yaml": "models: [{model: tiny, device: {a: b}}]\n",
    "plan-dtype.yaml": "models: [{model: tiny, dtype: float8}]\n",
    "plan-kind.yaml": "models: [{model: tiny, kind: [causal]}]\n",
    "plan-bos.yaml": "models: [{model: tiny, bos: 5}]\n",
    "plan-name.yaml": "models: [{model: tiny, name: {a: b}}]\n",
    "plan-revisions.yaml": "models: [{model: tiny, revisions: []}]\n",
    "plan-revision.yaml": "models: [{model: tiny, revisions: [{a: b}]}]\n",
    "plan-model-nul.yaml": 'models: ["a\\0b"]\n',
    "plan-twice.yaml": "models: [tiny, tiny]\n",
    "plan-data.yaml": "models: [tiny]\ndata: 5\n",
    "plan-data-empty.yaml": "models: [tiny]\ndata: []\n",
    "plan-data-number.yaml": "models: [tiny]\ndata: [5]\n",
    "plan-protocol.yaml": "models: [tiny]\nprotocols: [both]\n",
    "plan-keep.yaml": "models: [tiny]\nkeep: everything\n",
    "plan-keep-list.yaml": "models: [tiny]\nkeep: [forms]\n",
    "plan-engine.yaml": "models: [tiny]\nengine: spark\n",
    "plan-engine-number.yaml": "models: [tiny]\nengine: 5\n",
    "plan-engine-key.yaml": "models: [tiny]\nengine: {speed: 5}\n",
    "plan-workers.yaml": "models: [tiny]\nengine: {name: processes, workers: 0}\n",
    "plan-workers-true.yaml": "models: [tiny]\nengine: {name: processes, workers: true}\n",
    "plan-tokens.yaml": "models: [tiny]\ntask_tokens: 0\n",
    "plan-tokens-text.yaml": "models: [tiny]\ntask_tokens: many\n",
    "plan-many.yaml": MANY,
    # the gym's files
    "gym-text.yaml": "hello\n",
    "gym-key.yaml": "suite: [a]\n",
    "gym-suites.yaml": "suites: a\n",
    "gym-models.yaml": "models: {a: b}\n",
    "gym-unknown.yaml": "unknown: perhaps\n",
    "gym-unknown-list.yaml": "unknown: [flag]\n",
    "gym-suite.yaml": "suites: [nowhere]\n",
    "gym-suite-number.yaml": "suites: [5]\n",
    "gym-suite-nul.yaml": 'suites: ["a\\0b"]\n',
    "gym-twice.yaml": "suites: [suite.json, suite.json]\n",
    "gym-human.yaml": "human: {mine: 0.5}\n",
    "gym-human-high.yaml": "human: {mine: {accuracy: 5, source: x}}\n",
    "gym-human-nan.yaml": "human: {mine: {accuracy: .nan, source: x}}\n",
    "gym-command.yaml": "suites: [suite.json]\nmodels: ['command:./no-such-program']\n",
    "gym-model.yaml": "suites: [suite.json]\nmodels: [absent-model]\n",
    # text, folders of models
    "utf16.txt": "The author laughs.\n".encode("utf-16"),
    "blank.txt": " \n\n",
    "folder.txt/x": "",
    "pages/thesis.csv": "mine",
    "config-list/config.json": "[]",
    "config-deep/config.json": "[" * 5000,
    "config-type/config.json": '{"model_type": "nothing-known"}',
    "config-latin/config.json": b'{"model_type": "caf\xe9"}',
    "config-folder/config.json/x": "",
    "no-weights/config.json": config(),
    "layers/config.json": config(n_layer=-1),
    "layers-text/config.json": config(n_layer="many"),
    "heads/config.json": config(n_head=3),
    "vocabulary/config.json": config(vocab_size=-5),
    "encoder/config.json": '{"model_type": "bart", "is_encoder_decoder": true}',
    "vision/config.json": '{"model_type": "vit", "architectures": ["ViTModel"]}',
    "baseline-cut/tse_baseline.json": "{",
    "baseline-kind/tse_baseline.json": '{"kind": "trigram"}',
    "baseline-list/tse_baseline.json": "[]",
    "baseline-no-weights/tse_baseline.json": '{"kind": "ngram", "order": 2}',
}


def write_files(folder: Path) -> None:
    for name, contents in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(contents.encode() if isinstance(contents, str) else contents)
