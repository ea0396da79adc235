"""Number sensitivity, and the twins on which it is measured.

**Number sensitivity** (NS) is the share of verbs that react to the subject's number. With c_s and
c_p two contexts that differ in it alone (twins), and v_s and v_p a lemma's two forms, the lemma
moves by

    log P(v_s | c_s) / P(v_p | c_s)  -  log P(v_s | c_p) / P(v_p | c_p),

and NS is the share of twins and lemmas that move by more than 0. A constant preference for one
form, whether for the shorter word or because the base form is also a noun, cancels in the
difference; a model whose preferences have nothing to do with the subject scores 0.5 on average. It
is the interaction of SyntaxGym's 2 x 2 designs (Gauthier et al. 2020). EW is stricter: each of the
two log-odds must lie on its side of 0; so NS is 1 where EW is 1. Contexts without a twin are left
out, and so are twins that a division splits (by the length of the subject, say), unless a cell is
of one number. A cell without twins is NaN.
"""

import numpy as np
import pandas as pd


def twin_of(contexts: pd.DataFrame) -> np.ndarray:
    """The row of each context's twin, -1 where there is none.

    It shares the context's construction and its label in the column ``twin`` and has the other
    number; of several it is the first in the order of their text.
    """
    twins = np.full(len(contexts), -1)
    if "twin" not in contexts:
        return twins
    label = ["construction", "twin"]
    # One context of each label and number, the first in the order of their text.
    rows = contexts[contexts["twin"] != ""].sort_values(["left", "right"])
    rows = rows.drop_duplicates([*label, "number"])[[*label, "number"]].reset_index(names="row")
    # Every two contexts of one label, in either order; those of different numbers are twins.
    both = rows.merge(rows, on=label, suffixes=("", "_twin")).query("number != number_twin")
    twins[both["row"]] = both["row_twin"]
    return twins


def twins_within(twins: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The twins that are in the same group as their context, -1 where there is none."""
    # A context without a twin looks up the last row, which the first condition leaves out.
    together = (twins >= 0) & (groups[twins] == groups)
    return np.where(together, twins, -1)
