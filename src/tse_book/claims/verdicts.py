"""The verdicts, and the rules that give them. A verdict is computed, never typed."""

from collections.abc import Iterable

from tse_book.claims.choices import CORRECTED, PRINTED, THRESHOLD

REPRODUCED = "reproduced"
CLOSE = "close"
DIRECTION = "direction"
OTHER_LIST = "comparable, other lemma list"
NOT_REPRODUCED = "not reproduced"
HOLDS = "published data agree"
AS_PRINTED = "holds as printed, not on the corrected table"
BY_TABLE = "depends on the published table"
AT_THRESHOLD = "at our threshold"
FAILS = "published data disagree"
NOT_RUN = "not yet run"
VERDICTS = (
    REPRODUCED, CLOSE, DIRECTION, OTHER_LIST, NOT_REPRODUCED,
    HOLDS, AS_PRINTED, BY_TABLE, AT_THRESHOLD, FAILS, NOT_RUN,
)  # fmt: skip

UNDECIDED = "undecided"
DESCRIBED = "described"  # too few units for a verdict

INSIDE = "truth in the interval"
OUTSIDE = "truth outside the interval"
NEAR = "within 0.02"
DIFFERS = "differs"

TOLERANCES = (0.005, 0.02)  # largest differences that are "reproduced" and "close"
# The same for probabilities, as ratios: these may all be smaller than any such difference.
FACTORS = (1.05, 1.25)


def of_value(difference: float, same_list: bool, same_protocol: bool, tolerances=TOLERANCES) -> str:
    """The verdict on a value of the same model, from measured minus published.

    same_list: as many lemmas in the vocabulary as in the paper (True where no lemma list is
    involved). tolerances: the largest difference that is "reproduced", and that is "close".

    >>> of_value(-0.004, True, True), of_value(0.0, False, True)
    ('reproduced', 'comparable, other lemma list')
    """
    if not same_list:
        return OTHER_LIST
    exact, near = tolerances
    slack = 1e-9  # numbers of two decimals are no exact floats
    if abs(difference) <= exact + slack and same_protocol:
        return REPRODUCED
    return CLOSE if abs(difference) <= near + slack else NOT_REPRODUCED


def of_probability(measured: float, published: float) -> str:
    """The verdict on one probability of the same model.

    >>> of_probability(0.018, 0.017), of_probability(0.00003, 0.017)
    ('close', 'not reproduced')
    """
    exact, near = FACTORS
    ratio = max(measured / published, published / measured) if measured > 0 else float("inf")
    if ratio <= exact:
        return REPRODUCED
    return CLOSE if ratio <= near else NOT_REPRODUCED


def in_words(holds: bool) -> str:
    """Whether something holds, as the ledgers say it."""
    return "holds" if holds else "does not hold"


def of_published(holds: bool, turned: Iterable[str]) -> str:
    """The verdict from published data; `turned` is what the answer turns on (`choices.turned_by`).

    A threshold of ours decides nothing where half or twice its leeway would turn the answer, and published data neither
    where their versions say different things.

    >>> of_published(True, []), of_published(False, ["the printed Table 3"])
    ('published data agree', 'holds as printed, not on the corrected table')
    >>> of_published(True, ["the corrected Table 4"]), of_published(True, [THRESHOLD])
    ('depends on the published table', 'at our threshold')
    """
    turned = list(turned)
    if THRESHOLD in turned:
        return AT_THRESHOLD
    on_printed = any(about.startswith(PRINTED) for about in turned)
    on_corrected = any(about.startswith(CORRECTED) for about in turned)
    if on_printed and not on_corrected and not holds:
        return AS_PRINTED
    if on_printed or on_corrected:
        return BY_TABLE
    return HOLDS if holds else FAILS


def of_comparison(holds: bool, *, same_list: bool) -> str:
    """The verdict on a comparison or bound: a failure with another lemma list may be due to the list."""
    if holds:
        return DIRECTION
    return NOT_REPRODUCED if same_list else OTHER_LIST
