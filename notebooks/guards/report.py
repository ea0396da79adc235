# %% [markdown]
# ## Does the finding hold for a model the paper never saw?

# %%
from tse_book.pages import guard, quotes

extends = judged[judged["verdict"] == "extends"].groupby("model")["id"].agg(set)
two = {"E.ew-below-tse", "E.attractors.pairs"}
guard(
    "For SmolLM2 three claims extend",
    extends["smollm2-135m-instruct"] == {*two, "E.mass-past"},
)
said = "For Gemma two claims extend: EW is below TSE, and attractors lower TSE"
guard(said, extends["gemma-3-270m"] == two)
by_row = findings[findings["model"] == "smollm2-135m-instruct"]
by_row = by_row[by_row["condition"] == "default"]
by_row = by_row.set_index(["claim", "row"])["value"].dropna()
gap, past = by_row["E.ew-below-tse"], by_row["E.mass-past"]
nine = [one.drop(["all", "BLiMP"]).mean() for one in (gap, past)]
quotes("TSE minus EW is .100 instead of .099", nine[0], gap["all"])
quotes("26 % of what is not counted, instead of .248", nine[1] * 100, past["all"])
mw = judged[judged["id"] == "E.mw-above-ew"]
guard(
    "That MW is above EW is undecided for both",
    mw["verdict"].tolist() == ["undecided"] * 2,
)
guard("although the intervals lie above 0", (mw["low"] > 0).all())
undecided = (judged["verdict"] == "undecided").groupby(judged["model"]).mean()
guard("most of the other claims are undecided for them", undecided.min() > 0.5)

# %% [markdown]
# ## What needs the papers' models

# %%
from tse_book.claims import verdicts
from tse_book.pages import quotes

checked = claims[claims["basis"] == "published data"]
counts = checked["verdict"].value_counts()
said = (
    "Of 63 claims checked on published numbers, 39 hold and 5 do not; 6 hold as printed"
)
known = [verdicts.HOLDS, verdicts.FAILS, verdicts.AS_PRINTED]
quotes(said, len(checked), *counts[known])
quotes("The other 13 are *at our threshold*", counts[verdicts.AT_THRESHOLD])
said = "25 of the 63 come out the same under all of them"
quotes(said, (checked["robustness"] == 1).sum(), len(checked))
waiting = claims["verdict"] == verdicts.NOT_RUN
if len(checked) + waiting.sum() == len(claims):
    quotes("The other 229 claims wait for a model", waiting.sum())
