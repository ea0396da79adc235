"""The gym: one more suite or model is evaluated against the other side, nothing else again."""

import json

import numpy as np
import pandas as pd
import pytest

from letters import write_letters
from suites import suite_data
from tse_book import gym
from tse_book.gym import load_gym, run_gym, write_page_data
from tse_book.studies.details import Detail
from tse_core.cli import main
from tse_core.errors import InputError
from tse_core.models.surprisal_model import PROBE
from tse_core.results.store import Store
from tse_core.syntaxgym.accuracies import accuracy_table, circuit_table
from tse_core.syntaxgym.library import public_suites
from tse_core.syntaxgym.suites import suite_from_dict, to_json

SINGULAR_IS_LONGER, WHOLE = "(2;%plural%) < (2;%singular%)", "(*;%plural%) < (*;%singular%)"


def suite(
    name,
    subjects=("The cats", "The dogs"),
    circuit="Agreement",
    verb="run",
    formula=SINGULAR_IS_LONGER,
):
    items = [{"plural": [subject, verb], "singular": [subject, f"{verb}s"]} for subject in subjects]
    data = suite_data(items, formula, name=name, circuit=circuit, regions=["subject", "verb"])
    return to_json(suite_from_dict(data))


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "first.json").write_text(suite("first"))
    write_letters(tmp_path / "short")
    write_letters(tmp_path / "long", "9.0 - len(word)")
    (tmp_path / "gym.yaml").write_text("suites: [suites]\nmodels: ['command:./short']\n")
    return tmp_path


def computed(place):
    """The sentences each model has been asked about so far, but for the one by which a model is known."""
    logs = {name: place / f"{name}.log" for name in ("short", "long")}
    asked = {
        name: log.read_text().splitlines() if log.exists() else [] for name, log in logs.items()
    }
    return {
        name: [sentence for sentence in sentences if sentence != PROBE]
        for name, sentences in asked.items()
    }


def outcomes_of(place):
    return list(run_gym(load_gym(place / "gym.yaml"), Store(place / "store")))


@pytest.mark.slow
def test_only_what_is_new_is_computed(place):
    outcomes_of(place)
    assert computed(place)["short"] == [
        "The cats run",
        "The cats runs",
        "The dogs run",
        "The dogs runs",
    ]
    (place / "suites" / "second.json").write_text(
        suite("second", circuit="Garden-Path Effects", verb="jump")
    )
    (place / "gym.yaml").write_text(
        "suites: [suites]\nmodels: ['command:./short', 'command:./long']\n"
    )
    accuracy = accuracy_table(outcomes_of(place)).set_index(["model", "suite"])["accuracy"]
    assert computed(place)["short"][4:] == [
        "The cats jump",
        "The cats jumps",
        "The dogs jump",
        "The dogs jumps",
    ]
    assert len(computed(place)["long"]) == 8
    assert accuracy["short"].tolist() == [1.0, 1.0] and accuracy["long"].tolist() == [0.0, 0.0]


def test_the_page_shows_a_suite_from_its_accuracy_to_each_region(place):
    write_page_data(load_gym(place / "gym.yaml"), outcomes_of(place), place / "page")
    text = (place / "page" / "gym-data.js").read_text()
    (shown,) = json.loads(text.removeprefix("window.tseGym = ").removesuffix(";\n"))["suites"]
    assert (shown["name"], shown["circuit"], shown["items"], shown["critical"]) == (
        "first",
        "Agreement",
        2,
        [2],
    )
    assert shown["example"][0] == {"condition": "plural", "texts": ["The cats", "run"]}
    assert shown["accuracies"] == [
        {"model": "short", "accuracy": 1.0, "correct": 2, "judged": 2, "unknown": 0}
    ]
    assert {"condition": "singular", "label": "2 verb", "bits": 4.0} in shown["profiles"]["short"]
    assert shown["outcomes"] == {"short": {"1": "holds", "2": "holds"}}
    regions = pd.read_csv(place / "page" / "gym" / "first.csv").query(
        "item == 2 and condition == 'singular'"
    )
    assert dict(zip(regions["name"], regions["bits"], strict=True)) == {"subject": 7.0, "verb": 4.0}


def test_a_model_that_fails_fails_alone(place, capsys):
    """One model is missing, one gives NaN: the other's outcomes are written all the same."""
    write_letters(place / "nan", "float('nan')")
    (place / "gym.yaml").write_text(
        "suites: [suites]\nmodels: ['command:./nan', no-such-model, 'command:./short']\n"
    )
    with pytest.raises(SystemExit) as ended:
        main(["book", "gym", "--config", "gym.yaml", "--page", "page"])
    told = capsys.readouterr()
    assert (
        ended.value.code == 2
        and told.err.count("\n") == 1
        and "2 failed, all others are done: " in told.err
    )
    assert "nan: " in told.err and "no-such-model: " in told.err
    assert pd.read_csv(place / "page" / "gym" / "accuracies.csv")["model"].tolist() == ["short"]
    assert '"short"' in (place / "page" / "gym-data.js").read_text()


@pytest.mark.parametrize(
    ("subjects", "formula", "accuracy", "unknown"),
    [
        (["The cats", "The dogs", "The birds", "The mice", "Ra"], WHOLE, 1.0, 1),
        (["The cats", "Ra", "Ra"], WHOLE, np.nan, 2),  # more than half of the items: not judged
        (
            ["The cats", "Ra Ra"],
            SINGULAR_IS_LONGER,
            np.nan,
            0,
        ),  # no region that counts, but too many of all tokens
    ],
)
def test_items_with_unknown_words_are_left_out_or_counted(
    place, subjects, formula, accuracy, unknown
):
    (place / "suites" / "first.json").write_text(suite("first", subjects=subjects, formula=formula))
    outcomes = outcomes_of(place)
    (refused,), (flagged,) = (
        accuracy_table(outcomes, how).to_dict("records") for how in ("refuse", "flag")
    )
    assert (
        refused["accuracy"] == pytest.approx(accuracy, nan_ok=True) and flagged["accuracy"] == 1.0
    )
    assert (flagged["judged"], flagged["unknown"]) == (len(subjects), unknown)


def recorded_run(outcomes, monkeypatch):
    """Let these outcomes be those of a recorded run, read without a BOS token, too."""
    tables = {"items": [], "regions": []}
    for outcome in outcomes:
        for bos in ("default", "none"):
            labels = {"bos": bos, "suite": outcome.suite.name}
            tables["items"].append(outcome.items.assign(**labels))
            regions = outcome.regions.drop(columns=["content", "unknown"])
            tables["regions"].append(regions.assign(**labels))
    signatures = {f"default {outcome.suite.name}": outcome.signature for outcome in outcomes}
    details = {name: Detail(pd.concat(parts), signatures) for name, parts in tables.items()}
    monkeypatch.setattr(gym, "recorded_details", lambda model, kind: details[kind])
    monkeypatch.setattr(gym, "read_provenance", lambda home: {"kind": "causal"})


def test_recorded_results_stand_first_on_the_suites_that_are_the_same(place, monkeypatch):
    (place / "suites" / "second.json").write_text(suite("second", verb="jump"))
    measured = outcomes_of(place)
    recorded_run(measured, monkeypatch)
    (place / "suites" / "second.json").write_text(suite("second", verb="sing"))
    (place / "gym.yaml").write_text(
        "suites: [suites]\nmodels: ['command:./long']\nrecorded: [short]\nopens: second\n"
    )
    config = load_gym(place / "gym.yaml")
    (outcome,) = gym.recorded_outcomes(config)
    pd.testing.assert_frame_equal(outcome.regions, measured[0].regions)
    pd.testing.assert_frame_equal(outcome.items, measured[0].items)
    write_page_data(config, [outcome, *outcomes_of(place)], place / "page")
    text = (place / "page" / "gym-data.js").read_text()
    data = json.loads(text.removeprefix("window.tseGym = ").removesuffix(";\n"))
    assert data["models"] == {"short": "short (recorded)", "long": "long"}
    assert data["opens"] == "second"
    assert [list(shown["profiles"]) for shown in data["suites"]] == [["short", "long"], ["long"]]


@pytest.mark.slow
def test_a_public_suite_that_is_not_downloaded_is_shown_as_recorded_without_its_sentences(place):
    (place / "gym.yaml").write_text("recorded: [smollm2-135m-instruct]\nopens: number_prep\n")
    config = load_gym(place / "gym.yaml")
    outcomes = list(gym.recorded_outcomes(config))
    write_page_data(config, outcomes, place / "page")
    text = (place / "page" / "gym-data.js").read_text()
    suites = json.loads(text.removeprefix("window.tseGym = ").removesuffix(";\n"))["suites"]
    shown = {suite["name"]: suite for suite in suites}
    assert len(shown) == len(public_suites()) == 34
    two = shown["fgd_hierarchy"]
    assert len(two["predictions"]) == 2 and two["critical"] == [6, 9]
    first = shown["number_prep"]
    assert first["example"] == [] and first["circuit"] == "Agreement" and first["items"] == 19
    (row,) = first["accuracies"]
    holds = [verdict == "holds" for verdict in first["outcomes"][row["model"]].values()]
    assert len(holds) == row["judged"] == 19 and sum(holds) == row["correct"]
    bits = pd.DataFrame(first["profiles"][row["model"]]).set_index(["condition", "label"])["bits"]
    (verb,) = (label for label in first["regions"] if label.startswith("6 "))
    assert bits["match_plural", verb] < bits["mismatch_plural", verb]


def test_a_run_without_suites_is_named(place):
    (place / "gym.yaml").write_text("suites: [suites]\nrecorded: [no-such-run]\n")
    with pytest.raises(InputError, match="no-such-run: no recorded run with suites"):
        list(gym.recorded_outcomes(load_gym(place / "gym.yaml")))


def test_sg_score_is_the_mean_over_suites():
    rows = [
        ("m", "a", "Agreement", 4, 4),
        ("m", "b", "Agreement", 2, 4),
        ("m", "c", "Licensing", 0, 4),
    ]
    table = pd.DataFrame(rows, columns=["model", "suite", "circuit", "correct", "judged"])
    found = circuit_table(table.assign(accuracy=table["correct"] / table["judged"])).set_index(
        "circuit"
    )
    assert found["accuracy"].to_dict() == {"Agreement": 0.75, "Licensing": 0.0, "all suites": 0.5}
    assert found["suites"].tolist() == [2, 1, 3]
