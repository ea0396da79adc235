"""Several models in one call: the tables are those of each alone, and one network is in memory at a time."""

import gc
import shutil
import weakref

import pandas as pd
import pytest

from tse_core import InputError, evaluate, evaluate_models, load_lemmas, load_pairs
from tse_core.agreement import pieces as pipeline
from tse_core.agreement.comparison import compare_metrics

MODELS = ["lab-systematic-causal", "lab-lexical-causal"]
SIMPLE, BOTH, FEW = "marvin-linzen/simple", ("subjects", "verbs"), load_lemmas().table[::20]


@pytest.fixture(scope="module")
def runs():
    return evaluate_models(MODELS, SIMPLE, FEW, detail="forms")


@pytest.mark.slow
def test_each_table_is_that_of_the_models_alone_with_a_column_model(runs):
    alone = {name: evaluate(name, SIMPLE, FEW, detail="forms") for name in MODELS}
    for of in (
        lambda found: found.table(intervals=True),
        lambda found: found.curves(),
        lambda found: found.intervals(BOTH),
    ):
        expected = pd.concat(
            [of(found).assign(model=name) for name, found in alone.items()], ignore_index=True
        )
        found = of(runs)
        assert found.columns[0] == "model"
        pd.testing.assert_frame_equal(found, expected[found.columns], check_categorical=False)
    gaps = runs.compare("TSE", "EW").drop(columns="model")
    pd.testing.assert_frame_equal(gaps.iloc[[0]], compare_metrics(alone[MODELS[0]], "TSE", "EW"))


@pytest.mark.filterwarnings("error::tse_core.errors.TseWarning")
def test_a_score_of_one_verb_is_sampled_and_compared_by_nouns_alone():
    found = evaluate(
        MODELS[0], SIMPLE, load_lemmas().table.query("lemma == 'laugh'"), detail="lemmas"
    )
    by_both, by_nouns = (
        found.intervals(over).set_index("metric").loc["EW"] for over in (BOTH, BOTH[:1])
    )
    assert by_both[["low", "high"]].tolist() == pytest.approx(by_nouns[["low", "high"]].tolist())
    assert compare_metrics(found, "TSE", "EW", over=BOTH).loc[0, "second"] == by_nouns["score"]


def test_the_evaluations_of_models_are_a_mapping_from_their_names(runs):
    assert list(runs) == runs.models == MODELS and len(runs) == 2
    assert "lab-lexical-causal" in runs and "gpt2" not in runs and runs.get("gpt2") is None
    assert [scores.signature.model for _, scores in runs.items()] == MODELS
    with pytest.raises(
        InputError, match="no evaluation 'gpt2'; there is: 'lab-systematic-causal', 'lab-lex"
    ):
        runs["gpt2"]


@pytest.mark.slow
def test_several_data_sets_stand_under_one_another():
    data = [SIMPLE, "marvin-linzen/vp-coordination"]
    evaluations = evaluate_models({"one": MODELS[0], "other": MODELS[1]}, data)
    assert list(evaluations) == [(model, name) for model in ("one", "other") for name in data]
    assert (
        evaluations["other", data[1]].signature.data_name == data[1] and "other" not in evaluations
    )
    found = evaluations.table()
    rows = [
        ("one", "Simple"),
        ("one", "VP coordination"),
        ("other", "Simple"),
        ("other", "VP coordination"),
    ]
    assert found[["model", "construction"]].apply(tuple, axis=1).tolist() == rows


@pytest.mark.slow
def test_the_names_of_a_mapping_tell_checkpoints_apart(tiny_causal, tmp_path):
    folders = {}
    for name in ("a", "b"):
        folders[name] = shutil.copytree(tiny_causal, tmp_path / name / "checkpoint-500")
    evaluations = evaluate_models(folders, SIMPLE)
    assert evaluations.tidy()["model"].unique().tolist() == ["a", "b"]
    assert [evaluations[name].signature.model for name in folders] == ["a", "b"]


@pytest.mark.slow
def test_a_network_is_forgotten_before_the_next_is_opened(tiny_causal, tiny_masked, monkeypatch):
    networks, score = [], pipeline.score_contexts

    def scored(model, *how):
        gc.collect()
        assert not any(network() for network in networks)
        found = score(model, *how)
        networks.append(weakref.ref(model.network))
        return found

    monkeypatch.setattr(pipeline, "score_contexts", scored)
    evaluate_models({"one": tiny_causal, "other": tiny_masked}, SIMPLE)
    assert len(networks) == 2


@pytest.mark.parametrize(
    ("models", "how", "message"),
    [
        ("lab-lexical-causal", {}, "give a list of at least one model"),
        ([], {}, "give a list of at least one model"),
        (iter([]), {}, "there is no evaluation; give at least one model and one data set"),
        (
            [MODELS[0], MODELS[0]],
            {},
            "two models are called 'lab-systematic-causal'; give each a name",
        ),
        (
            [MODELS[0]],
            {"pairs": [SIMPLE, SIMPLE]},
            "the data set marvin-linzen/simple@.* is given twice",
        ),
        ([MODELS[0]], {"by": "advrb"}, "unknown column to divide by 'advrb'"),
        ([MODELS[0]], {"by": "number,noun"}, "by is 'number,noun', .* need detail='forms'"),
    ],
)
def test_mistakes_are_said_before_anything_is_scored(models, how, message, monkeypatch):
    monkeypatch.setattr(pipeline, "score_contexts", None)
    with pytest.raises(InputError, match=message):
        evaluate_models(models, **{"pairs": SIMPLE} | how)


def test_data_sets_of_one_name_are_told_apart_by_their_hashes():
    pairs = load_pairs(SIMPLE)
    data = [pairs.iloc[:10], pairs.iloc[10:20]]
    runs = evaluate_models(MODELS[:1], data, FEW)
    identities = [scores.signature.identity["data"] for scores in runs.values()]
    assert (
        list(runs) == [(MODELS[0], identity) for identity in identities]
        and len(set(identities)) == 2
    )


def in_a_line(row) -> str:
    """The scores of a row of a table as they are printed."""
    shares = [f"{name} {row[name]:.3f}" for name in ("EW", "MW", "TSE")]
    spread = f"(spread {row['spread']:.2f}, bias {row['bias']:.2f} nats)"
    return "  ".join([*shares, f"sensitivity {row['sensitivity']:.2f} {spread}"])


@pytest.mark.slow
def test_scores_print_themselves_and_their_signature(runs):
    scores = runs["lab-lexical-causal"]
    row = scores.table().iloc[0]
    line = f"{in_a_line(row)}  in Simple | {scores.signature}"
    assert repr(scores) == str(scores) == line
    assert repr(runs).splitlines()[1] == f"lab-lexical-causal: {line}"
    both = evaluate(
        MODELS[0], pd.concat([load_pairs(SIMPLE), load_pairs("marvin-linzen/vp-coordination")]), FEW
    )
    means = both.table().mean(numeric_only=True)
    assert repr(both) == f"{in_a_line(means)}  over 2 constructions | {both.signature}"
    for cell in ("<th>EW</th>", f"<td>{row['EW']:.3f}</td>", scores.signature.model):
        assert cell in scores._repr_html_()
