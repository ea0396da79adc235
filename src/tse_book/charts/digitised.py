"""The curves read off the figures of Newman et al. (2021), as a table; no chart is drawn, so Altair is not needed."""

import pandas as pd

from tse_book import published

KEYS = ["model", "construction", "metric", "side", "cutoff"]
_VALUES = {1: "score", 2: "score", 3: "coverage", 4: "invalid"}


def published_curves(figure: int) -> pd.DataFrame:
    """A digitised figure of the paper: 1 and 2 (score), 3 (coverage), 4 (invalid); model is the name on the hub.

    Figure 1 could be read well. In the others, points that another curve hides in part or whole are left out, and so
    are misread markers: points more than 0.15 above both neighbours, or below both.
    """
    value = _VALUES[figure]
    table = published.figures(figure).rename(columns={"estimate": value}).assign(source="published")
    if figure > 1:
        table = table[table["quality"] == "ok"]
        curves = table.sort_values(KEYS).groupby(KEYS[:-1], sort=False)[value]
        before, after = (table[value] - curves.shift(n) for n in (1, -1))
        table = table[~((before > 0.15) & (after > 0.15)) & ~((before < -0.15) & (after < -0.15))]
    order = list(published.MODELS.values())  # of Table 2
    table = table.sort_values("model", key=lambda names: names.map(order.index), kind="stable")
    return table[[*KEYS, value, "source"]].reset_index(drop=True)
