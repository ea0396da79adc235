"""What the studies compute over some lemmas, by frequency band and with shuffled margins: by hand, and as evaluated."""

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from tiny import save_model
from tse_book.studies.shuffled import shuffled_scores
from tse_book.studies.slot_shares import form_shares, slot_scores
from tse_book.studies.switches import largest_changes, policy_switches
from tse_core import evaluate, load_lemmas, load_model, slot_distribution
from tse_core.agreement.evaluation import Evaluation
from tse_core.agreement.slots import FORMS, marked_distribution
from tse_core.datasets.lemmas import Lemmas
from tse_core.errors import TseWarning
from tse_core.metrics.definitions import Cutoffs
from tse_core.results.signature import Signature
from tse_extras.sweep.curves import ALL_CONSTRUCTIONS as ALL
from tse_extras.sweep.curves import band_scores, likely_bands, scores_over, training_curves
from tse_extras.sweep.running import sweep


@pytest.fixture(scope="module")
def found(model, simple):
    return evaluate(model, simple, detail="forms")


def test_two_contexts_of_a_subject_share_the_scores_of_both():
    cell = {
        "construction": "Simple",
        "subject": "keys",
        "noun": "key",
        "number": "plural",
        "contexts": 2,
    }
    by_lemma = pd.DataFrame(
        [
            cell
            | {"lemma": "be", "correct": 2, "probability_correct": 0.5, "probability_wrong": 0.1},
            cell
            | {"lemma": "open", "correct": 1, "probability_correct": 0.1, "probability_wrong": 0.1},
            cell
            | {"lemma": "rust", "correct": 0, "probability_correct": 0.0, "probability_wrong": 0.2},
        ]
    )
    scores = scores_over(SimpleNamespace(by_lemma=by_lemma), ["be", "open", "no such lemma"])
    assert len(scores) == 2 and set(scores["noun"]) == {"key"}
    assert scores["ew"].tolist() == [0.75, 0.75] and scores["mw"].tolist() == pytest.approx(
        [0.75, 0.75]
    )
    assert scores["lemmas"].tolist() == [2, 2]


@pytest.mark.slow
@pytest.mark.parametrize("step", [1, 3])
def test_over_some_or_all_lemmas_the_scores_are_those_of_an_evaluation_of_these(
    found, model, simple, step
):
    chosen, table = found.lemmas["lemma"].iloc[::step], load_lemmas().table
    own = Lemmas("some", table[table["lemma"].isin(chosen)])
    alone = evaluate(model, simple, own)
    scores = scores_over(found, chosen)
    assert len(scores) == len(found.contexts)
    assert scores["ew"].mean() == pytest.approx(alone.table()["EW"].item(), abs=1e-12)
    assert scores["mw"].mean() == pytest.approx(alone.table()["MW"].item(), abs=1e-6)


def test_scores_of_a_distribution_by_hand():
    rows = [(0.4, "correct", "meet"), (0.1, "wrong", "meet"), (0.1, "correct", "like"), (0.2, "wrong", "like"),
            (0.05, "past", "meet"), (0.15, "other", "")]  # fmt: skip
    marked = pd.DataFrame(rows, columns=["probability", "form", "lemma"])
    marked["log_probability"] = np.log(marked["probability"])
    found = slot_scores(marked, verbs=["like", "hate"])
    assert found["mw"] == pytest.approx(0.5 / 0.8) and found["ew"] == 0.5 and found["tse"] == 0.0
    assert sum(found[form] for form in ("correct", "wrong", "past", "other")) == pytest.approx(1)
    assert pd.isna(
        slot_scores(marked, verbs=["admire"])["tse"]
    )  # no verb of the template is in the vocabulary


def test_probabilities_that_no_float_can_hold_are_compared_by_their_logarithms():
    """e^-200 against e^-201: both are 0 in single precision; MW is 1 / (1 + 1/e)."""
    marked = pd.DataFrame({"form": ["other", "correct", "wrong"], "lemma": ["", "meet", "meet"]})
    marked = marked.assign(probability=[1.0, 0.0, 0.0], log_probability=[0.0, -200.0, -201.0])
    found = slot_scores(marked, verbs=["meet"])
    assert (found["tse"], found["ew"], found["mw"]) == (
        1.0,
        1.0,
        pytest.approx(1 / (1 + np.exp(-1))),
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["random-bert-cased", "random-gpt2"])
def test_a_models_distribution_sums_to_one_and_agrees_with_evaluate(small_models, simple, name):
    model = load_model(small_models / name)
    pairs = simple.head(1)
    sentence = f"{pairs['left'].iloc[0]} ___ {pairs['right'].iloc[0]}"
    found = slot_scores(
        marked_distribution(model, sentence, pairs["number"].iloc[0], "newman-clean")
    )
    context = evaluate(model, pairs, "newman-clean").contexts.iloc[0]
    assert found["correct"] + found["wrong"] + found["past"] + found["other"] == pytest.approx(
        1, abs=1e-4
    )
    assert found["mw"] == pytest.approx(context["mw"], abs=0.01)
    assert found["ew"] == pytest.approx(context["ew"], abs=0.01)
    both = pd.concat(
        [
            pairs,
            pairs.assign(number="plural" if pairs["number"].iloc[0] == "singular" else "singular"),
        ]
    )
    shares = form_shares(model, both, "newman-clean")[list(FORMS)]
    assert shares.iloc[0].to_dict() == pytest.approx(
        {form: found[form] for form in FORMS}, abs=2e-4
    )
    assert shares["correct"].iloc[0] != pytest.approx(shares["correct"].iloc[1], abs=1e-6)


@pytest.mark.slow
def test_the_period_moves_nothing_of_a_causal_model_and_the_default_is_its_evaluation(tiny_causal):
    table = policy_switches(str(tiny_causal), ["marvin-linzen/simple"], "newman-appendix")
    own = evaluate(tiny_causal, "marvin-linzen/simple", "newman-appendix").table().iloc[0]
    scores = table.set_index(["switch", "setting", "metric"])["score"].loc["no final period"]
    for metric, setting in itertools.product(("MW", "EW", "TSE"), ("default", "changed")):
        assert scores[setting, metric] == own[metric]
    assert set(table["setting"]) == {"default", "changed"} and table["switch"].nunique() >= 8


@pytest.mark.slow
def test_every_model_has_the_same_switches_and_a_note_where_one_is_not_for_it(
    tiny_causal, tiny_masked
):
    tables = []
    for model in (tiny_causal, tiny_masked):
        tables.append(policy_switches(str(model), ["marvin-linzen/simple"], "newman-appendix"))
    causal, masked = tables
    assert list(causal["switch"].unique()) == list(masked["switch"].unique())
    for table in tables:
        for switch, rows in table.groupby("switch"):
            has_note = (rows["note"] != "").all()
            assert has_note != (rows["setting"] == "changed").any(), switch
    notes = masked.set_index("switch")["note"]
    assert set(notes["BOS token: none"]) == {"Masked models read no BOS token."}


def test_the_largest_change_is_over_constructions_and_a_switch_without_one_has_none():
    rows = [
        ("first", "A", "default", 0.5), ("first", "A", "changed", 0.6),
        ("first", "B", "default", 0.9), ("first", "B", "changed", 0.6),
        ("second", "A", "default", 0.5),
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["switch", "construction", "setting", "score"])
    found = largest_changes(table.assign(model="m", metric="EW")).set_index("change")["EW"]
    assert found["first"] == pytest.approx(0.3)
    assert pd.isna(found["second"])


BANDS = pd.Series(
    {"laugh": "head", "swim": "head", "see": "middle", "walk": "tail", "write": "tail"},
    dtype=pd.CategoricalDtype(["head", "middle", "tail"]),
)


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    file = tmp_path_factory.mktemp("lists") / "verbs.csv"
    rows = [f"{lemma},{lemma}s,{lemma},{band}" for lemma, band in BANDS.items()]
    file.write_text("\n".join(["lemma,singular,plural,band", *rows]))
    return file


@pytest.fixture(scope="module")
def result(model, simple, few):
    return evaluate(model, simple, few, detail="lemmas")


@pytest.mark.slow
def test_band_scores_are_those_of_each_slot(result, tiny_causal):
    """Each context by hand; in Simple, a subject and number have one left context, so pooling changes nothing."""
    values = []
    for context in result.contexts.itertuples():
        probability = slot_distribution(tiny_causal, context.left).set_index("token")["probability"]
        for lemma, band in BANDS.items():
            forms = [probability[lemma + "s"], probability[lemma]]
            correct, wrong = forms if context.number == "singular" else forms[::-1]
            values.append((context.Index, band, correct, wrong))
    by_hand = pd.DataFrame(values, columns=["context", "band", "correct", "wrong"])
    by_hand["chosen"] = by_hand["correct"] > by_hand["wrong"]
    scores = band_scores(result, BANDS).set_index(["construction", "band", "metric"])
    for band, rows in by_hand.groupby("band"):
        sums = rows.groupby("context")[["correct", "wrong"]].sum()
        assert scores.loc[("Simple", band, "EW"), "score"] == pytest.approx(
            rows["chosen"].mean(), abs=1e-9
        )
        expected = (sums["correct"] / sums.sum(axis=1)).mean()
        assert scores.loc[("Simple", band, "MW"), "score"] == pytest.approx(expected, abs=1e-6)
        assert scores.loc[("Simple", band, "EW"), "lemmas"] == (band == BANDS).sum()


def test_over_all_verbs_the_scores_are_the_tables_and_likely_bands_cut_the_probability_on_verbs(
    result,
):
    scores = band_scores(result, BANDS).set_index(["construction", "band", "metric"])["score"]
    table = result.table().set_index("construction").loc["Simple"]
    for metric in ("TSE", "EW", "MW"):
        assert [scores[row, "all", metric] for row in ("Simple", ALL)] == pytest.approx(
            [table[metric]] * 2
        )
    empty = band_scores(result, BANDS.cat.add_categories("none"))
    empty = empty[empty["band"] == "none"]  # rows all the same, without a score
    assert empty["construction"].unique().tolist() == ["Simple", ALL]
    assert empty["score"].isna().all() and not empty[["n", "lemmas"]].any(axis=None)
    bands = likely_bands(result)
    rows = result.by_lemma.assign(
        mass=lambda t: (t["probability_correct"] + t["probability_wrong"]) * t["contexts"]
    )
    mass = rows.groupby("lemma")["mass"].sum()
    share = mass.groupby(bands).sum() / mass.sum()
    assert share["head"] >= 0.5 and share.get("tail", 0.0) <= 0.1
    assert max(mass[mass.index.map(bands) == "tail"], default=0) <= min(
        mass[mass.index.map(bands) == "head"]
    )


@pytest.mark.slow
def test_curves_hold_every_step(tmp_path, few):
    for seed, step in ((0, 1), (1, 3), (1, 4)):
        save_model(tmp_path / "trained" / f"step-{step}", "causal", seed)
    plan = {
        "models": [{"folders": f"{tmp_path}/trained/step-*", "name": "tiny"}],
        "lemmas": [str(few)],
    }
    plan |= {"data": ["marvin-linzen/simple"], "detail": "lemmas"}
    with pytest.warns(TseWarning, match="the same weights, .*: tiny step-3, tiny step-4"):
        sweep(plan, store=tmp_path / "store")
    curves = training_curves(plan, tmp_path / "store")
    assert set(curves["step"]) == {1, 3, 4} and set(curves["name"]) == {"tiny"}
    assert set(curves["band"]) == {"all", "head", "middle", "tail"}
    alone = evaluate(tmp_path / "trained" / "step-4", "marvin-linzen/simple", few).table()
    last = curves[
        (curves["step"] == 4) & (curves["band"] == "all") & (curves["construction"] == "Simple")
    ]
    assert last.set_index("metric")["score"]["EW"] == pytest.approx(alone["EW"].item())


CUTOFFS = Cutoffs((0.5, 1.0), (0.2,))


def made_up(probabilities):
    """One singular context in which these are all entries: a row a lemma, [correct, wrong]."""
    table = np.asarray(probabilities, dtype=float)
    forms = {"log_odds": np.log(table[:, :1] / table[:, 1:]).T}
    for number, values in zip(("singular", "plural"), table.T, strict=True):
        forms[f"log_probability_{number}"] = np.log(values)[None]
        forms[f"mass_above_{number}"] = np.array([[table[table > value].sum() for value in values]])
    contexts = pd.DataFrame(
        {"construction": ["Simple"], "number": "singular", "noun": "key", "left": "The key"}
    )
    lemmas = pd.DataFrame({"lemma": range(len(table))})
    return Evaluation(
        contexts, pd.DataFrame(), lemmas, Signature({}, {}), CUTOFFS, "", form_arrays=forms
    )


def test_two_verbs_that_swap_their_margins_by_hand():
    """Forms .4/.3 (right) and .1/.2 (wrong). The first half is .4 and a third of .3, the last fifth .1 and half of .2.

    Measured: the head holds the first verb alone, EW 1; both forms of the second are in the tail to one half, EW 0.
    Margins swapped, the first verb has .3464 * sqrt(1/2) = .245 and .490, the second .1414 * sqrt(4/3) = .163 and .122.
    Then the first is wrong and the second right, in the same places.
    """
    found = shuffled_scores(made_up([[0.4, 0.3], [0.1, 0.2]]), draws=30, seed=1)
    assert found["EW", "top", 0.5][0] == [1.0] and found["EW", "bottom", 0.2][0] == [0.0]
    assert set(found["EW", "top", 0.5][1:, 0]) == {0.0, 1.0}
    swapped = found["EW", "top", 0.5][:, 0] == 0
    assert set(found["EW", "bottom", 0.2][swapped, 0]) == {1.0}
    assert set(found["EW", "top", 1][:, 0]) == {0.5}


def test_small_margins_that_err_fall_by_the_cut_offs_own_doing():
    """Margin and likelihood are independent, and only small margins err: the null falls as far as what is measured."""
    random = np.random.default_rng(0)
    middle, size = random.normal(-9, 2, 400), random.exponential(2.0, 400)
    margin = np.where((size < 0.7) & (random.random(400) < 0.5), -size, size)
    table = np.exp(np.stack([middle + margin / 2, middle - margin / 2], axis=1))
    found = shuffled_scores(
        replace(made_up(table / table.sum()), cutoffs=Cutoffs((0.3,), (0.01,))), draws=50
    )
    falls = (found["EW", "top", 0.3] - found["EW", "bottom", 0.01])[:, 0]
    null = np.nanmean(falls[1:])
    assert null > 0.03 and abs(falls[0] - null) < 0.05


def test_the_measured_scores_are_those_of_the_evaluation_and_ew_over_all_verbs_stays(found):
    shuffled = shuffled_scores(found, draws=3)
    scores = found.at_cutoffs.pivot(
        index="context", columns=["metric", "side", "cutoff"], values="score"
    )
    for name, values in shuffled.items():
        if name[2] >= 1e-3:
            np.testing.assert_allclose(values[0], scores[name], atol=2e-4, err_msg=str(name))
    ew = shuffled["EW", "top", 1]
    np.testing.assert_allclose(ew[1:], ew[:1].repeat(3, axis=0), atol=1e-12)
