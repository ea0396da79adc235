"""The step of training in the name of a checkpoint: a revision, or the part of a path that varies.

step512, checkpoint-500-seed1, seed1/checkpoint-500       512, 500, 500
checkpoint-1e6, chck_1.5M, 10k-steps                      1,000,000; 1,500,000; 10,000
stage2-step1000-tokens3B                                  1,000, of the second stage
step1_000_000, checkpoint-12,000                          1,000,000; 12,000
pythia-160m, opt-1.3b, v2                                 none: sizes and versions
"""

import re
from decimal import Decimal

# Words that announce a step; of several in a name the first in this order counts.
LABELS = ("step", "checkpoint", "ckpt", "chck")
UNITS = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12}
LARGEST = 2**53  # numbers of tables are exact up to here
_NUMBER = r"(\d+(?:\.\d+)?(?:e[+-]?\d{1,2}(?!\d))?)([kmbt](?=step|[^a-z]|$))?"  # 1.5M, 1e6
_BEFORE_STEPS = rf"(?<![\d.]){_NUMBER}[-_ ]?steps?(?![-_= ]?\d)"  # 500-steps
_NO_STEP = r"(?:seed|stage|ingredient|rank|layer)[-_=]?\d+|(?<![a-z])v\d+(?:\.\d+)*"
# Digits in groups, which are a number behind a label, or at the start of a name before "steps".
_GROUPS = r"[1-9]\d{0,2}(?:[_,]\d{3})+(?!\d)"
_GROUPED = rf"(?:{'|'.join(LABELS)})s?[-_= ]?{_GROUPS}|(?<![^/]){_GROUPS}(?=[-_ ]?steps?)"
_COMMIT = r"(?=.*[a-f])(?=.*\d)[0-9a-f]{7,40}"


def step_of(name: str, *, announced_only: bool = False) -> tuple[int | None, list[int]]:
    """The step in a name (None: there is none), and other numbers that could be meant.

    A number that one of `LABELS` announces comes first, wherever it stands. Without one the step is
    the last number of the last part of the path; with `announced_only` only where that part is
    nothing but a number. Seeds, stages and layers, versions, commits and fractions are no steps,
    nor are sizes: numbers that all have a unit.

    >>> step_of("checkpoint-500-seed1"), step_of("run3_1.5M"), step_of("seed1/final")
    ((500, []), (1500000, [3]), (None, []))
    """
    name = re.sub(_GROUPED, _ungrouped, name, flags=re.IGNORECASE)
    readings = _announced(name)
    last = name.rpartition("/")[2]
    if not readings and (not announced_only or as_number(last) is not None):
        readings = _unannounced(last)
    numbers = list(dict.fromkeys(readings))
    if not numbers:
        return None, []
    return numbers[0], numbers[1:]


def stage_of(name: str) -> int:
    """The stage of training in a checkpoint's name, as in OLMo's ``stage2-step1000``; else 0."""
    stage = re.search(r"stage[-_]?(\d+)", name, re.IGNORECASE)
    return int(stage[1]) if stage else 0


def as_number(text: str) -> int | None:
    """The whole number that a text is, such as 1000, 1e6 or 1.5M; None where it is none."""
    number = re.fullmatch(_NUMBER, text.strip(), re.IGNORECASE)
    if number is None:
        return None
    digits, unit = number.groups()
    return _value(digits, unit)


def _ungrouped(match: re.Match[str]) -> str:
    """The text of a match without the signs between groups of digits."""
    return re.sub(r"(?<=\d)[_,](?=\d)", "", match[0])


def _announced(name: str) -> list[int]:
    """The numbers that a label announces, those of the first label first."""
    after_step, *after_others = [rf"{label}s?[-_= ]?{_NUMBER}" for label in LABELS]
    return _values([after_step, _BEFORE_STEPS, *after_others], name)


def _unannounced(text: str) -> list[int]:
    """The numbers of a text that may be steps, the last one first."""
    if re.fullmatch(_COMMIT, text):
        return []
    text = re.sub(_NO_STEP, "", text, flags=re.IGNORECASE)
    units = [unit for _, unit in re.findall(_NUMBER, text, re.IGNORECASE)]
    if all(units):
        return []
    return list(reversed(_values([_NUMBER], text)))


def _values(patterns: list[str], text: str) -> list[int]:
    """The numbers of a text that the patterns match, those of the first pattern first."""
    values = []
    for pattern in patterns:
        for digits, unit in re.findall(pattern, text, re.IGNORECASE):
            value = _value(digits, unit)
            if value is not None:
                values.append(value)
    return values


def _value(digits: str, unit: str | None) -> int | None:
    """The value of a number with its unit; None for a fraction, and for more than a table holds."""
    value = Decimal(digits) * UNITS[(unit or "").lower()]
    if value >= LARGEST or value != value.to_integral_value():
        return None
    return int(value)
