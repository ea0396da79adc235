"""Models behind a server: the same numbers as in this process, and one line for whatever a server does wrong."""

import time

import numpy as np
import pandas as pd
import pytest

from loopback import echoed, prompt_logprobs, serving
from suites import suite_data
from tiny import save_model
from tse_core import InputError, evaluate, evaluate_blimp, evaluate_suite, load_model, score_pairs, surprisals
from tse_core.errors import StoreWarning
from tse_core.models.backends import server
from tse_core.models.backends.server import ServerModel
from tse_core.models.backends.server_answers import ServerError, scores_in
from tse_core.models.surprisal_model import SurprisalModel
from tse_core.syntaxgym.suites import suite_from_dict

SENTENCES = ["The authors laugh.", "The author that the guards like laughs."]
PAIRS = pd.DataFrame(
    {
        "good": ["The authors laugh.", "The author laughs.", "Authors laugh."],
        "bad": ["The authors laughs.", "The author laugh.", "Author laugh."],
        "paradigm": ["plural", "singular", "bare"],
    }
)

ITEMS = [{"right": [who, verb, "."], "wrong": [who, f"{verb}s", "."]}
         for who, verb in (("The authors", "laugh"), ("The guards that like the author", "swim"))]  # fmt: skip
SUITE = suite_from_dict(suite_data(ITEMS, "(2;%right%) < (2;%wrong%)"))


@pytest.fixture(scope="module")
def local(tiny_causal):
    return load_model(tiny_causal, device="cpu", bos="[CLS]")


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(server, "BUSY", server.BUSY.new(total=2, backoff_factor=0.01))


@pytest.mark.parametrize("answer", [echoed, prompt_logprobs])
def test_surprisals_and_pairs_are_those_of_the_model_in_this_process(local, answer):
    with serving(local, answer) as address:
        model = load_model(f"{address}#tiny", bos="[CLS]")
        assert isinstance(model, ServerModel) and isinstance(model, SurprisalModel)
        ours, theirs = surprisals(local, SENTENCES), surprisals(model, SENTENCES)
        assert theirs["token"].tolist() == ours["token"].tolist() and theirs["scored"].all()
        assert theirs[["start", "end"]].equals(ours[["start", "end"]])
        assert np.allclose(theirs["surprisal"], ours["surprisal"], atol=1e-4)
        ours, theirs = score_pairs(local, PAIRS), score_pairs(model, PAIRS)
        for column in ("logp_good", "logp_bad"):
            assert np.allclose(ours[column], theirs[column], atol=1e-4)
        assert (ours["correct"] == theirs["correct"]).all()


def test_a_first_token_with_nothing_in_front_counts_nothing_and_is_flagged(local):
    with serving(local) as address:
        ours, theirs = score_pairs(local, PAIRS, bos="none"), score_pairs(address, PAIRS)
    assert np.allclose(ours["margin"], theirs["margin"], atol=1e-4)
    assert theirs["length_good"].tolist() == ours["length_good"].tolist() == [3, 3, 2]
    assert theirs["unscored_difference"].tolist() == ours["unscored_difference"].tolist() == [False, False, True]


def test_another_model_behind_the_same_name_is_not_served_the_scores_of_the_first(local, tmp_path):
    """The server says nothing that differs; the probe, kept with the scores, shows that the model is another."""
    other = load_model(save_model(tmp_path / "other", "causal", seed=1), device="cpu")
    served = [local]

    def answer(_, body):
        return echoed(served[0], body)

    with serving(local, answer) as address:
        model, store = load_model(address, bos="[CLS]"), tmp_path / "store"
        first = evaluate_blimp(model, PAIRS, store=store)
        assert evaluate_blimp(load_model(address, bos="[CLS]"), PAIRS, store=store).pairs.equals(first.pairs)
        evaluate_suite(model, SUITE, store=store)
        served[0] = other
        model = load_model(address, bos="[CLS]")
        for call, data in ((evaluate_suite, SUITE), (evaluate_blimp, PAIRS)):
            with pytest.warns(StoreWarning, match="they are computed again"):
                found = call(model, data, store=store)
        assert found.pairs.equals(evaluate_blimp(model, PAIRS, store=None).pairs)
        assert not found.pairs.equals(first.pairs)


def test_what_a_server_cannot_give_is_refused(local):
    with serving(local) as address:
        with pytest.raises(InputError, match="#tiny gives surprisals only; this needs distributions over a vocabulary"):
            evaluate(address, "marvin-linzen/simple")
        for option, value in {"kind": "causal", "dtype": "float16", "revision": "main"}.items():
            with pytest.raises(InputError, match=f"has its own {option}; leave {option} out"):
                load_model(address, **{option: value})
        with pytest.raises(InputError, match="its only policy is bos, which may be a token's text"):
            load_model(address, bos="none")

    with serving(local, names=("tiny", "large")) as address:
        with pytest.raises(InputError, match="has 2 models, say which, as in http://.*#my-model"):
            load_model(address)
        with pytest.raises(InputError, match="unknown model of .*'tine' .did you mean 'tiny'"):
            load_model(f"{address}#tine")
        assert load_model(f"{address}#tiny").label == "tiny"


def test_prompts_go_in_batches_or_one_by_one_where_the_server_takes_no_list(local):
    def one_by_one(model, body):
        return echoed(model, body) if len(body["prompt"]) == 1 else (500, {"error": {"message": "one at a time"}})

    with serving(local) as together, serving(local, one_by_one) as single:
        ours, theirs = score_pairs(together, PAIRS), score_pairs(single, PAIRS)
        assert ours.equals(theirs)
        probes = [1, 1, 1, 1]  # the probe twice, a token written, the same token read
        assert [len(body["prompt"]) for body in together.asked] == [*probes, 6]
        assert [len(body["prompt"]) for body in single.asked] == [*probes, 6, *[1] * 6]


def test_a_server_that_dies_loses_nothing_that_was_finished(local, tmp_path):
    def dying(model, body):
        return echoed(model, body) if len(place.asked) <= 8 else (503, {})

    message = "paradigm .*it answers 503"
    with serving(local, dying) as place, pytest.raises(InputError, match=message):
        evaluate_blimp(place, PAIRS, store=tmp_path)
    with serving(local) as place:
        resumed = evaluate_blimp(place, PAIRS, store=tmp_path)
        # The probe, thrice; a token written and read; for each paradigm that was missing the probe and its pairs.
        assert len(place.asked) < 5 + 2 * 3
        assert resumed.pairs.equals(evaluate_blimp(place, PAIRS).pairs)


def changed(model, body, change):
    answer = echoed(model, body)
    for choice in answer["choices"]:
        change(choice["logprobs"])
    return answer


def put(key, place, value):
    return lambda logprobs: logprobs[key].__setitem__(place, value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("tokens", 1, "writers"), "its tokens .* do not spell"),
        (put("token_logprobs", 1, 0.7), "log-probability of .* is 0.7"),
        (put("token_logprobs", 2, None), "no log-probability of"),
        (lambda found: found["token_logprobs"].pop(), "its answer holds no log-probabilities"),
    ],
)
def test_nonsense_in_the_middle_of_a_run_is_one_line(local, change, message):
    def sometimes(model, body):
        return changed(model, body, change) if len(body["prompt"]) > 1 else echoed(model, body)

    with serving(local, sometimes) as address, pytest.raises(InputError, match=f"#tiny: .*{message}"):
        score_pairs(address, PAIRS)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda *_: b"<html>", "its answer is not a JSON object: <html>"),
        (lambda *_: {}, "asked with echo and logprobs: it does not answer each.*; asked with prompt_logprobs"),
        (lambda *_: (404, {"detail": "Not Found"}), "no log-probabilities of a prompt.*it answers 404: .*Not Found"),
        (lambda m, b: {"choices": [{"logprobs": {"tokens": [" x"], "token_logprobs": [-1.0]}}]}, "do not spell"),
        (lambda m, b: {"choices": []}, "it does not answer each of 1 prompts"),
        (lambda *_: time.sleep(3), "no answer .*Read timed out"),
    ],
)
def test_a_server_without_log_probabilities_says_so_at_the_first_request(local, answer, message):
    with serving(local, answer) as address, pytest.raises(InputError, match=message):
        model, start = load_model(address), time.perf_counter()
        model.timeout = 1 if "timed out" in message else 60
        score_pairs(model, PAIRS)
    assert time.perf_counter() - start < 4


def test_another_model_under_the_same_name_is_noticed(local):
    def changing(model, body):
        def other(logprobs):
            logprobs["token_logprobs"][1:] = [value - 1 for value in logprobs["token_logprobs"][1:]]

        return changed(model, body, other) if len(place.asked) > 5 else echoed(model, body)

    message = "is another model than it was: it scores 'The keys"
    with serving(local, changing) as place, pytest.raises(InputError, match=message):
        evaluate_blimp(place, PAIRS)


def one_place_late(model, body):
    """As llama-cpp-python answers where no token that begins a text is in front: each number is the next place's."""

    def late(logprobs):
        logprobs["token_logprobs"] = [None, *logprobs["token_logprobs"][2:], -9.0]

    return changed(model, body, late) if "echo" in body else echoed(model, body)


def test_numbers_that_stand_beside_other_tokens_are_noticed(local):
    message = "do not belong to the tokens .*' author' after 'The keys.* name it, as in --bos"
    with serving(local, one_place_late) as address:
        model = load_model(address)
        for _ in range(2):  # a second try finds it again
            with pytest.raises(InputError, match=message):
                surprisals(model, SENTENCES)
    with serving(local) as place:
        assert surprisals(place, SENTENCES)["scored"].sum() == 10
        written, read = (body["prompt"][0] for body in place.asked[2:4])
        assert (written, read) == ("The keys to the cabinet", "The keys to the cabinet author")


def test_characters_that_are_parted_among_tokens_are_put_together_again():
    logprobs = {"tokens": ["Le", " caf", "\ufffd", "\ufffd", "."], "token_logprobs": [None, -1.0, -2.0, -3.0, -4.0]}
    found = scores_in({"logprobs": logprobs, "text": "Le café."}, "Le café.")
    assert list(zip(found.starts, found.ends, strict=True)) == [(0, 2), (3, 6), (6, 7), (7, 8)]
    assert found.bits[2] * np.log(2) == pytest.approx(5.0)
    with pytest.raises(ServerError, match="do not spell"):
        scores_in({"logprobs": logprobs}, "Le thé.")


@pytest.mark.parametrize(
    ("first", "bos"), [("", "<|endoftext|>"), ("<|endoftext|>", "<|endoftext|>"), ("<s>", ""), ("", "")]
)
def test_a_special_token_in_front_is_no_part_of_a_word(first, bos):
    """llama.cpp writes it as nothing; some servers add one of their own."""
    logprobs = {"tokens": [first, "Who", " were", "", "?"], "token_logprobs": [None, -15.5, -10.5, -0.5, -1.5]}
    found = scores_in({"logprobs": logprobs, "text": f"{bos}Who were?"}, "Who were?", bos)
    assert found.tokens == ["Who", " were", "?"] and list(found.starts) == [0, 4, 8]
    assert np.allclose(found.bits * np.log(2), [15.5, 10.5, 2.0])  # a space of its own counts with what follows it


def test_a_key_goes_into_the_header_and_nowhere_else(local, monkeypatch):
    monkeypatch.setenv("TSE_API_KEY", "my-secret")
    with serving(local) as address:
        found = evaluate_blimp(address, PAIRS)
        assert set(address.keys) == {"Bearer my-secret"}
        assert "my-secret" not in str(found.signature) + str(address.asked)
    with pytest.raises(InputError) as error:
        load_model("http://{}@127.0.0.1:1/v1".format("me:my-secret"))
    assert "my-secret" not in str(error.value) and "TSE_API_KEY" in str(error.value)
