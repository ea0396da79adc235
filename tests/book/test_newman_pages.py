"""What the chapters on Newman et al. share: which models are real, what stands beside what, runs in plain words."""

import pandas as pd
import pytest

from tse_book import published
from tse_book.pages import figures, newman, recording_time, table
from tse_book.recorded import read_provenance
from tse_core.paths import data_folder

MADE = "{}@0a1b2c3d marvin-linzen@9f3e22ab | newman-clean@77aa01c2({}) bos:{} space:no dtype:float32"


def measured(model, bos="none"):
    signature = MADE.format(model, 962, bos)
    return pd.DataFrame({"model": [model], "construction": "Simple", "signature": signature, "lemmas": 962})


def test_a_model_of_the_laboratory_is_none_of_the_real_ones_whatever_its_folder():
    models = ["smollm2-135m-instruct", "models/lab-lexical-causal/", "/somewhere/gpt2"]
    assert newman.real_models(models) == ["smollm2-135m-instruct", "/somewhere/gpt2"]
    assert newman.laboratory_models(models) == ["models/lab-lexical-causal/"]


def test_a_page_says_that_a_real_model_or_the_papers_list_is_missing():
    assert "built without smollm2-135m-instruct" in newman.what_is_missing(["lab-lexical-causal"]).data
    assert "The paper counts 3,562 verbs" in newman.what_is_missing(["gpt2-xl"], ["newman-released"]).data
    for models, *lemmas in ((["gpt2"],), (["gpt2-xl"], ["newman-full"]), (["gpt2"], ["newman-released"])):
        assert newman.what_is_missing(models, *lemmas).data.startswith("<!--")


@pytest.mark.parametrize(
    ("models", "said"),
    [
        (["smollm2-135m-instruct", "lab-lexical-causal"], "never saw is SmolLM2-135M-Instruct"),
        (["bert-base-cased", "gpt2"], "never saw these: bert-base-cased, gpt2"),
        (["bert-large-cased", "gpt2-xl"], "run here: bert-large"),
        (["gpt2-xl", "gpt2"], "The paper never saw these: gpt2."),
        (["lab-lexical-causal"], "No real model took part"),
    ],
)
def test_a_page_calls_no_model_of_the_paper_one_that_it_never_saw(models, said):
    assert said in newman.who_is_asked(models)
    never = newman.who_is_asked(models).partition("never saw")[2]
    assert not any(name in never.replace("Beside a causal", "") for name in newman.papers_own(models))


def test_the_verdict_counts_rows():
    said = newman.verdict_of("m", 9, 9, 5)
    assert said.startswith("For m, EW over single-token verbs is below TSE in all 9 rows, in 5")
    assert "in 8 of 9 rows, in 0 of them" in newman.verdict_of("m", 9, 8, 0)


def test_a_signature_is_said_in_words():
    said = newman.run_in_words(MADE.format("smollm2-135m-instruct", 962, "<%7Cendoftext%7C>"))
    assert said.startswith("smollm2-135m-instruct read every context after the token <|endoftext|>; 962 verbs of the")
    assert "962 verbs of the list newman-clean" in said
    assert "with nothing in front" in newman.run_in_words(MADE.format("gpt2", 7, "none"))
    assert [newman.bos_of(MADE.format("m", 1, bos)) for bos in ("none", "cls", "<s>")] == ["nothing", "[CLS]", "<s>"]


def test_the_time_of_a_recorded_run_is_the_one_that_was_kept():
    seconds = read_provenance(data_folder() / "recorded" / "smollm2-135m-instruct")["files"]["blimp"]["seconds"]
    assert f"took {seconds / 60:.0f} minutes on one machine" in recording_time("smollm2-135m-instruct", "blimp")
    assert recording_time("smollm2-135m-instruct", "nothing") == recording_time("no such model", "blimp") == ""


def test_the_whole_distribution_is_table_2_with_no_point_hidden():
    curves = newman.with_table2(figures.published_curves(2))
    whole = curves[(curves["side"] == "top") & (curves["cutoff"] == 1.0)].set_index(["model", "construction", "metric"])
    printed = published.table2().query("metric != 'TSE'").set_index(["hf_name", "row", "metric"])["value"]
    assert len(whole) == len(printed) == 80
    assert (whole["score"].sort_index().to_numpy() == printed.sort_index().to_numpy()).all()


@pytest.mark.parametrize(
    ("model", "bos", "figure", "neighbour"),
    [
        ("roberta-large", "cls", 2, "roberta-large"),
        ("smollm2-135m-instruct", "<s>", 2, "gpt2-xl"),
        ("my-bert", "cls", 2, "bert-large-cased"),
        ("smollm2-135m-instruct", "none", 1, "bert-large-cased"),
    ],
)
def test_a_real_model_stands_beside_its_own_published_curve_or_a_neighbour_of_its_kind(model, bos, figure, neighbour):
    printed = figures.published_curves(figure)
    beside = newman.beside_real(measured(model, bos), printed)
    assert set(beside["model"]) == {neighbour} and set(beside["beside"]) == {model}
    assert newman.beside_real(measured("lab-lexical-causal"), printed).empty


def test_lighter_columns_are_marked_in_head_and_body():
    frame = pd.DataFrame({("a", "EW"): [0.5], ("b", "EW"): [0.25]}, index=["Simple"])
    html = table(frame, "Two BOS policies", index=True, lighter=("b",)).data
    assert '<td class="number light">0.25</td>' in html and '<td class="number">0.50</td>' in html


def test_a_link_to_a_page_in_a_printed_sentence_leads_to_the_built_page():
    said = newman.say("See [reports](../book/reporting.md), [Data](01_data.ipynb#the-list), [x](https://a.b/c.md).")
    assert said.data.endswith("(../book/reporting.html), [Data](01_data.html#the-list), [x](https://a.b/c.md).")
