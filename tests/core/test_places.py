"""The packages, the cache, the store, models and data in folders with spaces and letters of other scripts."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAME = "ein Ördner, 例 é 'x'"
RUN = """
import json, sys
from tse_core import evaluate
found = evaluate(sys.argv[1], sys.argv[2], lemmas=sys.argv[3], store=sys.argv[4])
print(json.dumps(found.tidy()["score"].tolist()))
"""


@pytest.mark.slow
def test_a_folder_may_be_called_anything(tiny_masked, tmp_path):
    lines = [
        {"sentence_good": "The author laughs.", "sentence_bad": "The author laugh.", "label": -1},
        {"sentence_good": "The authors laugh.", "sentence_bad": "The authors laughs.", "label": -2},
    ]
    contents = {
        "pairs.jsonl": "".join(json.dumps(line | {"noun": "author"}) + "\n" for line in lines),
        "verbs.csv": "lemma,singular,plural\nlaugh,laughs,laugh\nsmile,smiles,smile\n",
    }
    scores = []
    for place in (tmp_path / "plain", tmp_path / NAME):
        shutil.copytree(ROOT / "src" / "tse_core", place / "src" / "tse_core")
        shutil.copytree(tiny_masked, place / "model")
        (place / "data").symlink_to(ROOT / "data")
        for name, text in contents.items():
            (place / name).write_text(text)
        given = [place / name for name in ("model", "pairs.jsonl", "verbs.csv", "store")]
        environment = os.environ | {"PYTHONPATH": str(place / "src"), "TSE_CACHE": str(place / "cache")}
        call = [sys.executable, "-W", "error::UserWarning:tse_core", "-c", RUN, *map(str, given)]
        done = subprocess.run(call, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-1000:]
        scores.append(json.loads(done.stdout))
        assert list((place / "store").glob("*/*.parquet"))
    assert scores[0] == scores[1] and len(scores[0]) > 5
