# %% [markdown]
# ## Does the finding hold for a model the paper never saw?

# %%
from tse_book.pages import guard

extends = judged[judged["verdict"] == "extends"].groupby("model")["id"].agg(set)
two = {"E.ew-below-tse", "E.attractors.pairs"}
guard(
    "For SmolLM2 three claims extend",
    extends["smollm2-135m-instruct"] == {*two, "E.mass-past"},
)
said = "For Gemma two claims extend, EW below TSE and attractors"
guard(said, extends["gemma-3-270m"] == two)
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
from tse_book.pages import another_verdict, quotes

holds, fails = claims["verdict"] == verdicts.HOLDS, claims["verdict"] == verdicts.FAILS
said = "Of 63 claims checked on published numbers, 50 hold and 13 do not"
quotes(said, (holds | fails).sum(), holds.sum(), fails.sum())
printed = claims[fails]["note"].str.contains(r"printed [\d.]+, holds")
guard("Six of the 13 hold for the printed numbers", printed.sum() == 6)
guard(
    "three would hold by another criterion",
    another_verdict(claims[fails]).sum() == 3,
)
waiting = claims["verdict"] == verdicts.NOT_RUN
if not set(claims[~(holds | fails | waiting)]["model"]):
    quotes("The other 229 claims wait for a model", waiting.sum())
