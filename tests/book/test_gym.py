"""The gym: one more suite or model is evaluated against the other side, nothing else again; pages appear."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from letters import write_letters
from suites import suite_data
from tse_book.gym.folder import check_pages_folder
from tse_book.gym.pages import write_pages
from tse_book.gym.plan import load_gym, run_gym
from tse_book.pages.suite_questions import question_of
from tse_core.cli import main
from tse_core.errors import InputError
from tse_core.models.surprisal_model import PROBE
from tse_core.results.store import Store
from tse_core.syntaxgym import spreadsheet
from tse_core.syntaxgym.library import list_suites
from tse_core.syntaxgym.suites import suite_from_dict, to_json
from tse_core.syntaxgym.tables import accuracy_table, sg_scores

SINGULAR_IS_LONGER, WHOLE = "(2;%plural%) < (2;%singular%)", "(*;%plural%) < (*;%singular%)"


def suite(name, subjects=("The cats", "The dogs"), circuit="Agreement", verb="run", formula=SINGULAR_IS_LONGER):
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
    asked = {name: log.read_text().splitlines() if log.exists() else [] for name, log in logs.items()}
    return {name: [sentence for sentence in sentences if sentence != PROBE] for name, sentences in asked.items()}


def built(place, folder="pages"):
    gym = load_gym(place / "gym.yaml")
    outcomes = list(run_gym(gym, Store(place / "store")))
    pages = write_pages(gym, outcomes, place / folder)
    return outcomes, sorted(page.relative_to(place / folder).as_posix() for page in pages)


def test_pages_do_not_change_when_nothing_changed(place):
    before, after = (
        [(path.stat().st_mtime_ns, path.read_text()) for path in map((place / "pages").joinpath, built(place)[1])]
        for _ in range(2)
    )
    assert before == after


def test_a_gym_without_models_still_has_its_suites_and_circuits(place):
    (place / "gym.yaml").write_text("suites: [suites]\nmodels: []\n")
    _, pages = built(place)
    assert pages == ["index.md", "pages/circuit-agreement-2dff10f6.md", "pages/suite-first.md"]
    assert "[first](pages/suite-first.md)" in (place / "pages" / "index.md").read_text()


def test_two_models_of_one_name_are_refused(place):
    (place / "other").mkdir()
    write_letters(place / "other" / "short", "1.0")
    (place / "gym.yaml").write_text("suites: [suites]\nmodels: ['command:./short', 'command:./other/short']\n")
    with pytest.raises(InputError, match="another model is called 'short', too"):
        built(place)


def test_a_model_that_fails_fails_alone(place, capsys):
    """One model is missing, one gives NaN, one breaks off: the others' outcomes and pages are written all the same."""
    write_letters(place / "nan", "float('nan')")
    (place / "broken").mkdir()
    (place / "broken" / "config.json").write_text('{"model_type": "gpt2"}')
    (place / "broken" / "model.safetensors.index.json").write_text('{"weight_map": 3}')
    models = ["command:./nan", "./broken", "no-such-model-here", "command:./short"]
    (place / "gym.yaml").write_text(f"suites: [suites]\nmodels: {models}\n")
    with pytest.raises(SystemExit) as ended:
        main(["gym", "--config", "gym.yaml", "--store", "store", "--out", "gym.csv", "--pages", "pages"])
    told = capsys.readouterr()
    assert ended.value.code == 2 and told.err.count("\n") == 1 and "3 failed, all others are done: " in told.err
    for words in ("nan on first: ", "broken: ", "no-such-model-here: "):
        assert words in told.err
    assert pd.read_csv(place / "gym.csv")["model"].tolist() == ["short"]
    assert (place / "pages" / "pages" / "model-short.md").exists()


def test_a_suites_page_goes_from_accuracy_to_one_region_of_one_item(place):
    with (place / "gym.yaml").open("a") as gym:
        gym.write("human: {first: {accuracy: 0.93, source: Somebody (2020)}}\n")
    built(place)
    page = (place / "pages" / "pages" / "suite-first.md").read_text()
    headings = ["Prediction", "Accuracy", "Surprisal by region", "Item by item", "Raw data"]
    assert page.startswith("# first\n") and all(f"\n## {heading}\n" in page for heading in headings)
    specs = [json.loads(found) for found in re.findall(r"\}\)\((\{.*\}), \{", page)]
    rows = [row for spec in specs for rows in spec["datasets"].values() for row in rows]
    (one,) = [row for row in rows if row.get("item") == 2 and row.get("condition") == "singular"]
    assert (one["model"], one["label"], one["content"]) == ("short", ["1 subject", "2 verb"], ["The dogs", "runs"])
    assert (one["bits"], one["pieces"]) == ([7.0, 4.0], ["The 3.0 dogs 4.0", "runs 4.0"])
    assert "{download}`Every token's surprisal (CSV, 12 rows) <../data/first-tokens.csv>`" in page
    tokens = pd.read_csv(place / "pages" / "data" / "first-tokens.csv").query("item == 2 and condition == 'singular'")
    assert dict(zip(tokens["token"], tokens["bits"], strict=True)) == {"The": 3.0, "dogs": 4.0, "runs": 4.0}
    assert "[Agreement](circuit-agreement-2dff10f6.md)" in page
    assert r"People: 0.93 (Somebody \(2020\))." in page


def test_items_with_unknown_words_are_left_out_or_counted(place):
    known = ["The cats", "The dogs", "The birds", "The mice"]
    (place / "suites" / "first.json").write_text(suite("first", subjects=[*known, "Ra"], formula=WHOLE))
    outcomes, _ = built(place)
    for unknown, judged in (("refuse", 4), ("flag", 5)):
        (row,) = accuracy_table(outcomes, unknown).to_dict("records")
        assert (row["accuracy"], row["correct"], row["judged"], row["unknown"]) == (1.0, judged, judged, 1)


@pytest.mark.parametrize(
    ("subjects", "formula"),
    [
        (["Ra"], WHOLE),
        (["The cats", "Ra", "Ra"], WHOLE),  # more than half of the items
        (["The cats", "Ra Ra"], SINGULAR_IS_LONGER),  # no region that counts, but too many of all tokens
    ],
)
def test_a_suite_of_unknown_words_is_not_judged(place, subjects, formula):
    (place / "suites" / "first.json").write_text(suite("first", subjects=subjects, formula=formula))
    outcomes, _ = built(place)
    assert pd.isna(accuracy_table(outcomes)["accuracy"][0])
    assert accuracy_table(outcomes, "flag")["accuracy"][0] == 1.0
    assert "no item is judged" in (place / "pages" / "pages" / "suite-first.md").read_text()
    assert "–" in (place / "pages" / "index.md").read_text()


def test_sg_score_is_the_mean_over_suites():
    rows = [("m", "a", "Agreement", 1.0), ("m", "b", "Agreement", 0.5), ("m", "c", "Licensing", 0.0)]
    (row,) = sg_scores(pd.DataFrame(rows, columns=["model", "suite", "circuit", "accuracy"])).to_dict("records")
    assert row == {"model": "m", "SG": 0.5, "suites": 3, "Agreement": 0.75, "Licensing": 0.0}


def test_the_projects_own_gym_is_read(monkeypatch, tmp_path):
    monkeypatch.setenv("TSE_CACHE", str(tmp_path))
    gym = load_gym()
    assert {suite.name for suite in gym.suites} >= {"lab_number_prep", "lab_center_embed"}
    assert gym.unknown == "refuse"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("suites: [a\n", "gym.yaml, line 2: not YAML"),
        ("- a\n", "gym.yaml: it must be a mapping"),
        ("suite: []\n", r"gym.yaml: unknown key 'suite' \(did you mean 'suites'\?\)"),
        ("suites: x\n", "gym.yaml: suites must be a list"),
        ("unknown: maybe\n", "gym.yaml: unknown must be refuse or flag, not 'maybe'"),
        ("suites: [suites, suites]\n", "gym.yaml: two suites are called 'first'"),
    ],
)
def test_mistakes_in_the_gyms_file_are_one_line(place, text, message):
    (place / "gym.yaml").write_text(text)
    with pytest.raises(InputError, match=message) as error:
        load_gym(place / "gym.yaml")
    assert "\n" not in str(error.value)


@pytest.mark.slow
def test_only_what_is_new_is_computed_and_appears_in_the_built_book(place):
    """With the book's own glob, warnings as errors."""
    contents = yaml.safe_load((Path(__file__).parents[2] / "_toc.yml").read_text())
    chapters = [entry for part in contents["parts"] for entry in part["chapters"]]
    (gym,) = [entry for entry in chapters if entry.get("file") == "book/gym/index"]
    (place / "_toc.yml").write_text(yaml.safe_dump({"format": "jb-book", "root": "index", "chapters": [gym]}))
    (place / "_config.yml").write_text("only_build_toc_files: true\nexecute: {execute_notebooks: 'off'}\n")
    (place / "index.md").write_text("# A book\n")
    made = place / "_build" / "html" / "book" / "gym" / "pages"

    def pages():
        outcomes, _ = built(place, "book/gym")
        jupyter_book = Path(sys.executable).parent / "jupyter-book"
        command = [str(jupyter_book), "build", str(place), "--all", "-n", "-W", "--keep-going", "-q"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return outcomes, {path.stem for path in made.glob("*.html")}

    assert pages()[1] == {"circuit-agreement-2dff10f6", "model-short", "suite-first"}
    built(place)
    assert len(computed(place)["short"]) == 4  # nothing new, nothing computed
    second = suite_from_dict(json.loads(suite("second", circuit="Garden-Path Effects", verb="jump")))
    (place / "suites" / "second.csv").write_text(spreadsheet.write(second))
    built(place)
    assert computed(place)["short"][4:] == ["The cats jump", "The cats jumps", "The dogs jump", "The dogs jumps"]
    (place / "gym.yaml").write_text("suites: [suites]\nmodels: ['command:./short', 'command:./long']\n")
    outcomes, found = pages()
    assert {name: len(sentences) for name, sentences in computed(place).items()} == {"short": 8, "long": 8}
    assert found == {"circuit-agreement-2dff10f6", "circuit-garden-path-effects-043022d0", "model-short", "model-long",
                     "suite-first", "suite-second"}  # fmt: skip
    accuracy = accuracy_table(outcomes).set_index(["model", "suite"])["accuracy"]
    assert accuracy["short"].tolist() == [1.0, 1.0] and accuracy["long"].tolist() == [0.0, 0.0]
    shown = (made / "suite-second.html").read_text()
    assert "The dogs" in shown and "long" in shown


def test_pages_remove_only_what_they_wrote(place):
    built(place)
    (place / "suites" / "first.json").write_text(suite("renamed"))
    assert "pages/suite-renamed.md" in built(place)[1]
    assert not (place / "pages" / "pages" / "suite-first.md").exists()
    (place / "pages" / "data" / "thesis.csv").write_text("mine")
    with pytest.raises(InputError, match="holds data/thesis.csv, which is none of the gym's pages"):
        built(place)
    assert (place / "pages" / "data" / "thesis.csv").read_text() == "mine"


@pytest.mark.parametrize("name", ["data/claims.yaml", "thesis.txt", "pages/mine.md", "index.md", "notes/a.txt"])
def test_a_folder_with_other_files_gets_no_pages(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(InputError, match=f"holds {name.partition('/')[0]}.*, which is none of the gym's pages"):
        check_pages_folder(tmp_path)


def test_pages_of_names_that_differ_little_stay_apart(place):
    (place / "gym.yaml").write_text("suites: [suites]\nmodels: []\n")
    for number, circuit in enumerate(("Agreement", "agreement", "AGREEMENT", "x" * 400, "../../owned")):
        (place / "suites" / f"{number}.json").write_text(suite(f"suite{number}", circuit=circuit))
    _, pages = built(place)
    circuits = [page for page in pages if page.startswith("pages/circuit-")]
    assert len({page.lower() for page in circuits}) == 5 and max(map(len, circuits)) < 110
    assert not list(place.rglob("*owned.md"))


def test_every_public_and_laboratory_suite_says_what_it_asks():
    names = list_suites()["name"]
    assert not [name for name in names if not question_of(name).endswith("?")]
    assert question_of("my_own") == ""
