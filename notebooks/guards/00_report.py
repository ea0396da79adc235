# %% [markdown]
# ## Does the finding hold for a model the paper never saw?

# %%
from tse_book.pages import guard

extends = judged[judged["verdict"] == "extends"].groupby("model")["id"].agg(set)
guard("For SmolLM2 four claims extend", len(extends["smollm2-135m-instruct"]) == 4)
two = {"E.ew-below-tse", "E.attractors.pairs"}
said = "For Gemma two claims extend, EW below TSE and attractors"
guard(said, extends["gemma-3-270m"] == two)
gemma = judged[judged["model"] == "gemma-3-270m"].set_index("id")["verdict"]
guard("that MW is above EW is undecided", gemma["E.mw-above-ew"] == "undecided")
mw = judged[(judged["model"] == "gemma-3-270m") & (judged["id"] == "E.mw-above-ew")]
guard("although the interval lies above 0", mw["low"].item() > 0)
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
