"""Warnings point at the line that called the package, wherever inside it they arise."""

import json
import shutil

import pandas as pd
import pytest

from tse_core import evaluate, load_model, load_pairs
from tse_core.agreement.evaluate import evaluate_models
from tse_core.errors import TseWarning


@pytest.fixture
def without_bos(tiny_causal, tmp_path):
    """The folder of a model whose tokenizer has no token between documents."""
    folder = tmp_path / "without-bos"
    shutil.copytree(tiny_causal, folder)
    for file, key in (("config.json", "bos"), ("tokenizer_config.json", "bos_token")):
        settings = json.loads((folder / file).read_text())
        del settings[key]
        (folder / file).write_text(json.dumps(settings))
    return folder


def load_by_name(folder):
    load_model(folder)


def evaluate_by_name(folder):
    evaluate(folder, "marvin-linzen/simple", store=None)


def evaluate_several(folder):
    evaluate_models([folder], "marvin-linzen/simple", store=None)


@pytest.mark.parametrize("call", [load_by_name, evaluate_by_name, evaluate_several])
def test_a_warning_points_at_the_callers_line(call, without_bos):
    with pytest.warns(TseWarning, match="reads no BOS token") as record:
        call(without_bos)
    first = call.__code__.co_firstlineno
    assert {(warning.filename, warning.lineno) for warning in record} == {(__file__, first + 1)}


def test_a_warning_of_a_reader_points_there_too(tmp_path):
    file = tmp_path / "pairs.csv"
    file.write_text(
        "left,right,correct,wrong,subject,number\nThe author,.,laughs,laugh,The author,singular\n"
    )
    with pytest.warns(TseWarning, match="subjects without a 'noun'") as record:
        load_pairs(file)
    assert {warning.filename for warning in record} == {__file__}


def test_a_warning_of_a_property_that_is_kept_points_there_too(tiny_causal):
    row = {"construction": "simple", "left": "The author", "right": ".", "number": "singular"}
    pairs = pd.DataFrame([row | {"correct": "laughs", "wrong": "laugh"}])
    scores = evaluate(tiny_causal, pairs, "newman-clean", store=None)
    with pytest.warns(TseWarning, match="the subject's noun of 1 of 1 rows is a guess") as record:
        scores.intervals()
    assert {warning.filename for warning in record} == {__file__}
