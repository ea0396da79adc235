"""BLiMP's 67 paradigms: the phenomenon of each, and the methods that apply to it (data/blimp/paradigms.csv)."""

import pandas as pd

from tse_core.paths import data_folder


def blimp_paradigms() -> pd.DataFrame:
    """BLiMP's 67 paradigms as the data files describe them, with the paper's phenomenon and the methods they suit.

    Columns: UID, field, linguistics_term, phenomenon; full_sentence, one_prefix, two_prefix, lexically_identical.
    """
    table = pd.read_csv(data_folder() / "blimp" / "paradigms.csv").drop(columns="filename_equals_UID")
    names = {"phenomenon_paper": "phenomenon", "simple_LM_method": "full_sentence"}
    return table.rename(columns=names | {f"{n}_prefix_method": f"{n}_prefix" for n in ("one", "two")})
