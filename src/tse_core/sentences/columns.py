"""The columns of per-pair scores: which names they take, and what the data's own columns become."""

from collections.abc import Collection

from tse_core.datasets.pairs import FURTHER_BAD, SENTENCE_COLUMNS

ITEM, CLUSTER = "distinct_pair", "cluster"
MACRO = "macro"  # all pairs, with each paradigm counted alike
# Of accuracies.
BOUNDS, COUNTS = ("accuracy", "low", "high"), ("pairs", "judged", "ties", "unknown", "items")
STRATUM = "stratum"  # a column that numbers the paradigms, or their parts in different groups
OF_PAIRS = {*SENTENCE_COLUMNS, FURTHER_BAD}  # what scores are of: their hash is that of the data
# Columns of scores, accuracies, comparisons and results: no column of the data replaces them.
_OF_SCORES = {
    *("paradigm", "pair_id", "phenomenon", "margin", "correct", "tie", "unknown_critical"),
    *("unscored_difference", "logp_good", "logp_bad", "length_good", "length_bad"),
    *("unknown_good", "unknown_bad", "model", "data", "signature", CLUSTER, ITEM, STRATUM),
    *("bad_option", "completion_good", "completion_bad"),
}
_OF_ACCURACIES = {
    *("accuracy_items", "clusters", "correct_items", "squares", "all", MACRO, *BOUNDS, *COUNTS),
}
_OF_COMPARISONS = {
    *("first", "second", "difference", "only_first", "only_second", "p_value"),
    *("low_corrected", "high_corrected", "p_corrected"),
    *("model_first", "model_second", "signature_first", "signature_second"),
    *("difference_low", "difference_high", "correct_second", f"{ITEM}_second"),
}
SCORE_NAMES = _OF_SCORES | _OF_ACCURACIES | _OF_COMPARISONS


def names_beside(names_of_columns: Collection[str]) -> dict[str, str]:
    """The names that the sentences and the further columns of pairs have beside their scores.

    One that is called like a column of scores or accuracies stands there as ``data_NAME``, or with
    one more ``data_`` where the pairs have that name, too.
    """
    names = [name for name in ("good", "bad") if name in names_of_columns]
    names += [name for name in names_of_columns if name not in OF_PAIRS]
    new_names = {}
    for name in names:
        new_name = name
        while new_name in SCORE_NAMES or (new_name != name and new_name in names_of_columns):
            new_name = f"data_{new_name}"
        new_names[name] = new_name
    return new_names
