"""Whatever is changed of an input: a store gives what scoring anew gives, and no two scores share a signature's key.

Inputs are changed at random, one after another, and all runs share one store. `test_code.py` does the same with the
package's own code.
"""

import json
import random
import shutil
from pathlib import Path

import pandas as pd
import pytest
from safetensors.torch import load_file, save_file

from tse_core import InputError, evaluate, load_model, load_pairs
from tse_core.datasets.lemmas import Lemmas
from tse_core.results.signature import Signature

CASES = 32
VERBS = ["laugh", "smile", "swim", "like", "bring", "write"]


class Inputs:
    """What an evaluation is made of; each method changes one thing of it."""

    def __init__(self, draw: random.Random, folder: Path, pairs: pd.DataFrame):
        self.draw, self.folder, self.pairs = draw, folder, pairs.copy()
        self.lemmas = pd.DataFrame(
            {"lemma": VERBS, "singular": [f"{verb}s" for verb in VERBS], "plural": VERBS}
        )
        self.how = {"protocol": "exact"}
        self.reading = {"bos": "default"}

    def word(self):
        row, column = (
            self.draw.randrange(len(self.pairs)),
            self.draw.choice(["left", "right", "correct", "wrong"]),
        )
        new = self.draw.choice(["authors", "swim", "likes", "smile", "smiles"])
        self.pairs.loc[row, column] = f"{new} ." if column == "right" else new

    def about_a_pair(self):
        row = self.draw.randrange(len(self.pairs))
        column = self.draw.choice(["number", "construction", "subject", "noun"])
        new = (
            self.draw.choice(["singular", "plural"])
            if column == "number"
            else self.draw.choice(["a", "author"])
        )
        self.pairs.loc[row, column] = new

    def rows(self):
        kept = self.draw.sample(range(len(self.pairs)), self.draw.randint(3, len(self.pairs)))
        self.pairs = self.pairs.iloc[kept].reset_index(drop=True)

    def verb(self):
        row, column = (
            self.draw.randrange(len(self.lemmas)),
            self.draw.choice(["singular", "plural"]),
        )
        self.lemmas.loc[row, column] = self.draw.choice(["sees", "see", "walks", "walk"])

    def verbs(self):
        kept = self.draw.sample(range(len(self.lemmas)), self.draw.randint(2, len(self.lemmas)))
        self.lemmas = self.lemmas.iloc[kept].reset_index(drop=True)

    def policy(self):
        words = {"verbs": "all", "word_end": False}
        ways = [{"protocol": "released"}, words, {"sample": 3, "seed": 1}, {"sample": 3, "seed": 2}]
        self.how = self.draw.choice(ways) | {
            "detail": self.draw.choice(["contexts", "lemmas", "forms"])
        }

    def way_of_reading(self):
        ways = [
            {"bos": "none"},
            {"bos": "[SEP]"},
            {"bos": "add"},
            {"space": True},
            {"dtype": "bfloat16"},
        ]
        self.reading = self.draw.choice(ways)

    def weight(self):
        file = self.folder / "model.safetensors"
        weights = load_file(file)
        values = weights[self.draw.choice(sorted(weights))].view(-1)
        values[self.draw.randrange(len(values))] += self.draw.choice([-1, 1]) * self.draw.uniform(
            0.1, 3
        )
        save_file(weights, file, {"format": "pt"})

    def tokenizer(self):
        file = self.folder / "tokenizer.json"
        content = json.loads(file.read_text())
        known = content["model"]["vocab"]
        one, other = self.draw.sample(
            ["laughs", "laugh", "swims", "swim", "author", "authors", "the"], 2
        )
        known[one], known[other] = known[other], known[one]
        if self.draw.random() < 0.2:
            content["normalizer"] = None
        file.write_text(json.dumps(content))

    def configuration(self):
        file = self.folder / "config.json"
        changes = [{"layer_norm_epsilon": 0.1}, {"activation_function": "relu"}, {"n_head": 4}, {"n_layer": 1},
                   {"scale_attn_weights": False}]  # fmt: skip
        file.write_text(json.dumps(json.loads(file.read_text()) | self.draw.choice(changes)))

    def scores(self, store):
        """Every number and its interval, and the key under which they are kept."""
        reading = {name: value for name, value in self.reading.items() if name != "space"}
        model = load_model(self.folder, **reading).with_policies(space=self.reading.get("space"))
        tidy = evaluate(
            model, self.pairs, Lemmas("mine", self.lemmas), store=store, **self.how
        ).tidy()
        (signature,) = tidy["signature"].unique()
        return tidy.drop(columns="signature"), Signature.parse(signature).key


CHANGES = [
    name
    for name, value in vars(Inputs).items()
    if callable(value) and name not in ("__init__", "scores")
]


@pytest.mark.slow
def test_whatever_is_changed_no_score_is_another_ones(tiny_causal, tmp_path):
    draw, known, done = random.Random(7), {}, dict.fromkeys(CHANGES, 0)
    pairs = load_pairs("marvin-linzen/simple").iloc[::17].reset_index(drop=True)
    for case in range(CASES):
        inputs = Inputs(draw, shutil.copytree(tiny_causal, tmp_path / str(case) / "model"), pairs)
        chosen = draw.sample(CHANGES, draw.choice([1, 1, 2]))
        for change in chosen:
            getattr(inputs, change)()
        try:
            anew, key = inputs.scores(None)
        except InputError:
            continue
        kept, kept_key = inputs.scores(tmp_path / "store")
        assert kept_key == key, chosen
        pd.testing.assert_frame_equal(kept, anew, atol=1e-6, obj=str(chosen))
        pd.testing.assert_frame_equal(known.setdefault(key, anew), anew, atol=1e-6, obj=str(chosen))
        for change in chosen:
            done[change] += 1
    assert min(done.values()) >= 2 and len(known) > CASES / 2, (done, len(known))
