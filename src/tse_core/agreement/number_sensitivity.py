"""Number sensitivity: the share of verbs that react to the subject's number.

Twins are contexts that differ in the subject's number alone. With c_s and c_p such contexts, of a singular and a plural
subject, and v_s and v_p a lemma's two forms,

    NS = mean over twins and lemmas of 1[log P(v_s | c_s) / P(v_p | c_s) > log P(v_s | c_p) / P(v_p | c_p)].

A constant preference for one form, whether for the shorter word or because the base form is also a noun, cancels in the
difference; a model that does not see the subject scores 0.5. It is the interaction of SyntaxGym's 2 x 2 designs
(Gauthier et al. 2020), where the same four surprisals make two differences and their difference is tested. EW is
stricter: each of the two log-odds must lie on its side of 0; so NS is 1 where EW is 1.

A tie counts as not sensitive. A context without a twin is left out, and so are twins that a division splits (by the
length of the subject, say): a cell counts those with only one context in it, unless it is a cell of one number. A
cell without twins is NaN.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from tse_core.agreement.cells import twin_rows
from tse_core.agreement.divisions import factor_names
from tse_core.errors import InputError
from tse_core.metrics.table import NS

if TYPE_CHECKING:
    from tse_core.agreement.evaluation import Evaluation


def number_sensitivity(
    found: "Evaluation",
    by: str | Sequence[str] = "construction",
    lemmas: Collection[str] | None = None,
    intervals: bool = True,
) -> pd.DataFrame:
    """NS in cells; the parameters are those of `Evaluation.table`.

    Returns
    -------
    DataFrame with the columns of `by`, NS, NS_low and NS_high (with `intervals`, 95 %), twins, split_twins, lemmas.

    Raises
    ------
    InputError : no forms were kept (keep="forms"); no two contexts are twins; what `Evaluation.table` raises.
    """
    found.log_odds  # noqa: B018  (raises where no forms were kept)
    if not len(twin_rows(found.contexts)):
        raise InputError(
            "no two contexts differ in the subject's number alone; the pairs have no column 'twin' that says so"
        )
    table = found.table(by, lemmas=lemmas, intervals=intervals)
    return table[[*factor_names(by), *(c for c in table if c.startswith(NS)), "twins", "split_twins", "lemmas"]]
