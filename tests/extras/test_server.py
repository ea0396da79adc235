"""Models behind a server: the same numbers as in this process, and one line for whatever a server does wrong."""

import gzip
import re
import time
from http.server import BaseHTTPRequestHandler

import numpy as np
import pandas as pd
import pytest

from loopback import echoed, listening, serving
from suites import suite_data
from tiny import save_model
from tse_core import (
    InputError,
    evaluate,
    evaluate_blimp,
    evaluate_suite,
    load_model,
    score_pairs,
    surprisals,
)
from tse_core.errors import TseWarning
from tse_core.syntaxgym.suites import suite_from_dict
from tse_extras import server

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


def test_surprisals_and_pairs_are_those_of_the_model_in_this_process(local):
    with serving(local) as address:
        model = load_model(f"{address}#tiny", bos="[CLS]")
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
    assert (
        theirs["unscored_difference"].tolist()
        == ours["unscored_difference"].tolist()
        == [False, False, True]
    )


def test_another_model_behind_the_same_name_is_not_served_the_scores_of_the_first(local, tmp_path):
    """The server says nothing that differs; the probe, kept with the scores, shows that the model is another."""
    other = load_model(save_model(tmp_path / "other", "causal", seed=1), device="cpu")
    served = [local]

    def answer(_, body):
        return echoed(served[0], body)

    with serving(local, answer) as address:
        model, store = load_model(address, bos="[CLS]"), tmp_path / "store"
        first = evaluate_blimp(model, PAIRS, store=store)
        assert evaluate_blimp(load_model(address, bos="[CLS]"), PAIRS, store=store).pairs.equals(
            first.pairs
        )
        evaluate_suite(model, SUITE, store=store)
        served[0] = other
        for call, data in ((evaluate_suite, SUITE), (evaluate_blimp, PAIRS)):
            with pytest.warns(TseWarning, match="they are computed again"):
                found = call(load_model(address, bos="[CLS]"), data, store=store)
        assert not found.pairs.equals(first.pairs)


def test_what_a_server_cannot_give_is_refused(local):
    with serving(local) as address:
        with pytest.raises(
            InputError,
            match="#tiny gives surprisals only; this needs distributions over a vocabulary",
        ):
            evaluate(address, "marvin-linzen/simple")
        with pytest.raises(InputError, match="its only policy is bos, which may be a token's text"):
            load_model(address, bos="none")
        with pytest.raises(InputError, match="reads '<.endoftext.>' in .* as a special token"):
            surprisals(address, ["Say <|endoftext|> now."])
    with serving(local, names=("tiny", "large")) as address:
        with pytest.raises(InputError, match="has 2 models, say which, as in http://.*#my-model"):
            load_model(address)
        with pytest.raises(InputError, match="unknown model of .*'tine' .did you mean 'tiny'"):
            load_model(f"{address}#tine")
        assert load_model(f"{address}#tiny").label == "tiny"


def test_a_server_that_dies_loses_nothing_that_was_finished(local, tmp_path):
    def dying(model, body):
        return echoed(model, body) if len(place.asked) <= 6 else (503, {})

    with (
        serving(local, dying) as place,
        pytest.raises(InputError, match="paradigm .*no answer .*503"),
    ):
        evaluate_blimp(place, PAIRS, store=tmp_path)
    with serving(local) as place:
        resumed = evaluate_blimp(place, PAIRS, store=tmp_path)
        assert (
            len(place.asked) == 3 + 2 * 2
        )  # a token written and read, the probe; the two paradigms that were missing
        assert resumed.pairs.equals(evaluate_blimp(place, PAIRS).pairs)


def changed(change):
    """An answer in which the log-probabilities of a prompt were changed."""

    def answer(model, body):
        found = echoed(model, body)
        if "echo" in body:
            change(found["choices"][0]["logprobs"])
        return found

    return answer


def without_echo(model, body):
    """As llama.cpp's server answers: the token generated alone."""
    return echoed(model, {"model": body["model"], "prompt": body["prompt"]})


def put(key, place, value):
    return changed(lambda logprobs: logprobs[key].__setitem__(place, value))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (put("tokens", 1, "writers"), "#tiny: its tokens .* do not spell"),
        (put("token_logprobs", 1, 0.7), "#tiny: the log-probability of .* is 0.7"),
        (put("token_logprobs", 1, -9999.0), "#tiny: the log-probability of .* is -9999"),
        (put("token_logprobs", 2, None), "#tiny: the log-probability of .* is nan"),
        (
            changed(lambda found: found["token_logprobs"].pop()),
            "#tiny: its answer holds no log-probabilities",
        ),
        (lambda *_: b"<html>", "no answer .*Expecting value"),
        (lambda *_: {"choices": []}, "#tiny: its answer holds no log-probabilities"),
        (put("token_logprobs", 1, True), "#tiny: its answer holds no log-probabilities"),
        (put("token_logprobs", 1, "-1.5"), "#tiny: its answer holds no log-probabilities"),
        (put("token_logprobs", 1, -(10**400)), "#tiny: its answer holds no log-probabilities"),
        (put("tokens", 1, 7), "#tiny: its answer holds no log-probabilities"),
        (
            without_echo,
            "#tiny: its answer leaves the prompt out; vLLM and .*open the model's files",
        ),
        (lambda *_: b"[" * 100_000, "nested too deep"),
        (lambda *_: (401, {"error": "no"}), "401; it asks for a key, which TSE_API_KEY can hold"),
        (lambda *_: (500, {"error": "no"}), "500; the server failed, and its own log says why"),
        (lambda *_: (404, {"detail": "Not Here"}), "no answer .404; .*Not Here"),
        pytest.param(
            lambda *_: time.sleep(3), "no answer .*not whole after 1 s", marks=pytest.mark.slow
        ),
        pytest.param(
            lambda *_: (time.sleep(0.002) or b" " for _ in range(10_000)),
            "no answer .*its answer is not whole after 1 s",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_nonsense_is_one_line(local, answer, message):
    with serving(local, answer) as address:
        seconds = 1 if re.search("after 1 s", message) else 60
        model, start = load_model(address, timeout=seconds), time.perf_counter()
        with pytest.raises(InputError, match=message) as error:
            score_pairs(model, PAIRS)
    assert "\n" not in str(error.value) and time.perf_counter() - start < 6


def test_numbers_that_stand_beside_other_tokens_are_noticed(local):
    """As llama-cpp-python answers where no token that begins a text is in front: each number is the next place's."""

    def late(logprobs):
        logprobs["token_logprobs"] = [None, *logprobs["token_logprobs"][2:], -9.0]

    with serving(local, changed(late)) as address:
        model = load_model(address)
        for _ in range(2):  # a second try finds it again
            with pytest.raises(
                InputError, match="do not belong to the tokens .*' author' after 'The keys.* --bos"
            ):
                surprisals(model, SENTENCES)


def test_a_server_that_never_ends_keeps_no_one_waiting(local, monkeypatch):
    """It drips a header now and then, asks for hours of patience, or sends more than the limit."""

    class Drips(BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            for number in range(100):
                self.wfile.write(f"X-{number}: 1\r\n".encode())
                time.sleep(0.1)

        def log_message(self, *_):
            pass

    start = time.perf_counter()
    with listening(Drips) as port, pytest.raises(InputError, match="not whole after 0.5 s"):
        load_model(f"http://127.0.0.1:{port}/v1", timeout=0.5)
    assert time.perf_counter() - start < 5
    monkeypatch.setenv("TSE_LIMIT", "0.0001")
    with (
        serving(local, lambda *_: b" " * 200_000) as address,
        pytest.raises(
            InputError, match="its answer has .* more than the limit of 100,000; TSE_LIM"
        ),
    ):
        surprisals(address, SENTENCES)
    packed = gzip.compress(bytes(10_000_000))
    with (
        serving(local, lambda *_: (200, packed, {"Content-Encoding": "gzip"})) as address,
        pytest.raises(InputError, match="its answer has .* more than the limit of 100,000"),
    ):
        surprisals(address, SENTENCES)


@pytest.mark.slow
def test_a_server_that_asks_for_hours_has_the_time_out(local, monkeypatch):
    monkeypatch.setattr(server, "BUSY", server.BUSY.new(total=2))
    with serving(local, lambda *_: (429, {}, {"Retry-After": "100000"})) as address:
        model, start = load_model(address, timeout=1), time.perf_counter()
        with pytest.raises(InputError, match="not whole after 1 s"):
            surprisals(model, SENTENCES)
    assert time.perf_counter() - start < 2  # once, not once for each request


def test_a_bos_token_before_that_of_the_server_is_refused(local):
    nats = [None, -15.5, -10.5, -0.5, -1.5]
    for front in (["<s>", "<s>"], ["<|begin_of_text|>", "<s>"], ["", ""]):
        answer = given([*front, "Who", " were", "?"], nats, "<s>Who were?")
        message = "reads two tokens before a sentence: .*which it puts there itself, and '<s>'; lea"
        with serving(local, answer) as address, pytest.raises(InputError, match=message):
            load_model(address, bos="<s>").token_surprisals(["Who were?"])


def test_no_secret_is_shown(local, monkeypatch, tse):
    monkeypatch.setenv("TSE_API_KEY", "my secret")
    with (
        serving(
            local, lambda *_: (500, {"key": "my\nsecret", "at": "a://b:c" + "@d/?api_key=e"})
        ) as place,
        pytest.raises(InputError) as error,
    ):
        surprisals(place, SENTENCES)
    assert "my" not in str(error.value) and "***@d/?api_key=***" in str(error.value)
    with pytest.raises(InputError, match="its key goes into TSE_API_KEY"):
        load_model("http://127.0.0.1:1/v1?api_key=e")


def given(tokens, nats, text):
    choice = {"text": text, "logprobs": {"tokens": tokens, "token_logprobs": nats}}
    return lambda *_: {"choices": [choice]}


def test_characters_that_are_parted_among_tokens_are_put_together_again(local):
    parted = given(
        ["Le", " caf", "\ufffd", "\ufffd", "."], [None, -1.0, -2.0, -3.0, -4.0], "Le café."
    )
    with serving(local, parted) as address:
        (found,) = load_model(address).token_surprisals(["Le café."])
        with pytest.raises(InputError, match="do not spell"):
            load_model(address).token_surprisals(["Le thé."])
    assert list(zip(found.starts, found.ends, strict=True)) == [(0, 2), (3, 6), (6, 7), (7, 8)]
    assert found.bits[2] * np.log(2) == pytest.approx(5.0) and not found.unknown.any()


@pytest.mark.parametrize(
    ("first", "bos"),
    [("", "<|endoftext|>"), ("<|endoftext|>", "<|endoftext|>"), ("<s>", ""), ("", "")],
)
def test_a_special_token_in_front_is_no_part_of_a_word(local, first, bos):
    """llama.cpp writes it as nothing; some servers add one of their own."""
    answer = given(
        [first, "Who", " were", "", "?"], [None, -15.5, -10.5, -0.5, -1.5], f"{bos}Who were?"
    )
    with serving(local, answer) as address:
        (found,) = load_model(address, bos=bos or "default").token_surprisals(["Who were?"])
    assert found.tokens == ["Who", " were", "?"] and list(found.starts) == [0, 4, 8]
    assert np.allclose(
        found.bits * np.log(2), [15.5, 10.5, 2.0]
    )  # a space of its own counts with what follows it


def test_a_key_goes_into_the_header_and_nowhere_else(local, monkeypatch):
    monkeypatch.setenv("TSE_API_KEY", "my-secret")
    with serving(local) as address:
        found = evaluate_blimp(address, PAIRS)
        assert set(address.keys) == {"Bearer my-secret"}
        assert "my-secret" not in str(found.signature) + str(address.asked)
    with pytest.raises(InputError) as error:
        load_model("http://{}@127.0.0.1:1/v1".format("me:my-secret"))
    assert "my-secret" not in str(error.value) and "TSE_API_KEY" in str(error.value)
