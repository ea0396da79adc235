"""Judge N1 to N7 on recorded treebanks, as stated and under other choices: how real_sentences.csv was made.

    python data/recorded/real_sentences.py [FILE]

It takes some ten minutes, three of them for other choices. A row is a statement on a treebank and a model: the columns of
`tse_book.claims.real_sentences.judge`, and model, data, part ("found": the treebanks on which the statements were
found; "judged": those on which no model had run) and choice ("as stated", or what differs; only where it is judged).
"""

import sys
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from tse_book.claims.panels import cleaned, panel_of
from tse_book.claims.real_sentences import OF_LISTS, STATEMENTS, judge, under_choices
from tse_book.recorded.treebanks import recorded_treebank
from tse_core.paths import data_folder

SMOLLM2, GEMMA = "smollm2-135m-instruct", "gemma-3-270m"
AS_STATED = "as stated"
RUNS = [
    (SMOLLM2, "ud/English-EWT", "found"),
    (SMOLLM2, "ud/English-GUM", "found"),
    (SMOLLM2, "ud/English-ParTUT", "judged"),
    (GEMMA, "ud/English-EWT", "found"),
    (GEMMA, "ud/English-GUM", "found"),
    (GEMMA, "ud/English-ParTUT", "judged"),
    (GEMMA, "ud/German-GSD", "found"),
    (GEMMA, "ud/German-PUD", "judged"),
    (GEMMA, "ud/French-GSD", "found"),
    (GEMMA, "ud/French-Sequoia", "judged"),
]


def judged_runs(
    runs: Iterable[tuple[str, str, str]] = tuple(RUNS), *, draws: int = 2000, crossed: bool = True
) -> pd.DataFrame:
    """The table of these runs; `draws` and `crossed` as in `judge`."""
    tables = []
    for model, data, part in runs:
        panel = panel_of(recorded_treebank(model, data))
        statements = STATEMENTS if "English" in data else OF_LISTS
        table = judge(cleaned(panel), statements, draws=draws, crossed=crossed)
        tables.append(table.assign(model=model, data=data, part=part, choice=AS_STATED))
        if part == "judged":
            others = under_choices(panel, statements)
            tables.append(others.assign(model=model, data=data, part=part))
    table = pd.concat(tables, ignore_index=True)
    first = ["model", "data", "part", "choice"]
    return table[[*first, *table.columns.drop(first)]]


if __name__ == "__main__":
    out = Path(sys.argv[1]) if sys.argv[1:] else data_folder() / "recorded" / "real_sentences.csv"
    judged_runs().to_csv(out, index=False, float_format="%.6g")
