"""Progress: a line every half minute in a log, none of what is short, one line on Colab."""

import sys
import time
import types

import pytest

from tse_core.progress import progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test moves on by hand."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_a_log_says_nothing_of_what_is_short(capsys, clock):
    with progress(10, "work") as advance:
        for _ in range(10):
            clock[0] += 2.9
            advance(1)
    assert capsys.readouterr().err == ""


def test_a_log_gets_a_line_every_half_minute_and_one_at_the_end(capsys, clock):
    with progress(67000, "gpt2: pairs", unit="pairs") as advance:
        for _ in range(670):
            clock[0] += 1
            advance(100)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "gpt2: pairs: 3,000 of 67,000 pairs, 100/s, 11 min left"
    assert len(lines) == 23  # 22 times 30 s in 670 s, and the end
    assert lines[-1] == "gpt2: pairs: 67,000 of 67,000 pairs, 100/s, took 11 min"


def test_the_end_is_said_once_though_nothing_more_is_reported_after_it(capsys, clock):
    with progress(2, "work") as advance:
        for n in (1, 1, 0):
            clock[0] += 40
            advance(n)
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_work_that_reports_once_in_five_minutes_is_told_when_it_does(capsys, clock):
    with progress(2, "slow", unit="suites") as advance:
        clock[0] += 5400
        advance(1, "slower")
    assert capsys.readouterr().err == "slower: 1 of 2 suites, 1.5 h left\n"


def test_colab_gets_one_line_that_is_renewed(capsys, monkeypatch, clock):
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    with progress(4000, "gpt2: contexts", unit="contexts") as advance:
        clock[0] += 1
        advance(1000)
        advance(3000)
    said = capsys.readouterr().err
    assert said.startswith("\rgpt2: contexts: 1,000 of 4,000 contexts, 1,000/s, 3 s left")
    assert said.endswith("4,000 of 4,000 contexts, 4,000/s, took 1 s   \n")
    assert said.count("\n") == 1
