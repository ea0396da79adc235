# %% [markdown]
# ## The published curves

# %%
from tse_book.pages import guard, quotes

quotes("67 of 77 readable curves", (falls["fall"] > 0.05).sum(), len(falls))

largest = falls.loc[falls["fall"].idxmax()]
quotes("largest published fall is .92", largest["fall"])
empty = charts.published_curves(4).query("side == 'bottom'")
empty = empty.set_index(["model", "construction"])["invalid"]
last = empty[(largest["model"], largest["construction"])].max()
quotes("99.7 % of the contexts have no verb left", 100 * last)
keys = ["model", "construction", "metric"]
heads = printed.query("side == 'top' and cutoff == 0.1").dropna(subset="score")
quotes("26 of the 77", len(falls[keys].merge(heads[keys])), len(falls))
firsts = (
    printed.query("side == 'top'").dropna(subset="score").groupby(keys)["cutoff"].min()
)
late = falls[keys].merge(firsts[firsts == 1].reset_index()[keys])
quotes("19 only at top 100 %", len(late), 100)

# %% [markdown]
# ## Two models that the paper never saw

# %%
if set(measured["model"]) == {"smollm2-135m-instruct", "gemma-3-270m"}:
    mean = of_models.mean().xs("EW", level="metric")
    quotes("EW falls by .33 on average for SmolLM2 and by .15 for Gemma", *mean)
    many = (measured["fall"] > 0.05).groupby(measured["model"]).agg(["sum", "size"])
    guard(
        "for each model 15 of 18 curves fall by more than .05",
        (many == [15, 18]).all(axis=None),
    )
    gemma = measured[measured["model"] == "gemma-3-270m"].set_index("construction")
    odd = gemma.loc["In a sentential complement", "head"]
    guard("Two of Gemma's curves rise from 0", list(odd.round(3)) == [0, 0])
    rest = gemma[gemma["metric"] == "EW"].drop("In a sentential complement")
    quotes("Gemma's EW falls by .27", rest["fall"].mean())

# %% [markdown]
# ## How much of the fall comes from the cut-offs?

# %%
if asked[:1] == ["smollm2-135m-instruct"]:
    quotes("verbs EW is .91; in the tail it is .75", *(s.mean() for s in shares[:2]))
    guard("With shuffled margins it falls as well", shares[2].mean() < shares[0].mean())

# %%
if asked == ["smollm2-135m-instruct"] and sample == 40:
    said = (
        "From top 30 % to bottom 1 % EW falls by .16; the cut-offs alone give about .12"
    )
    ends = 100 * head["cutoff"].max(), 100 * tail["cutoff"].max()
    explained = means.loc[(asked[0], "EW")]
    quotes(said, *ends, *explained[["score", "null"]])
    guard("they explain most of the fall", explained["null"] > explained["score"] / 2)
    few = {}
    for name, end in {
        "head": "side == 'top' and cutoff == .3",
        "tail": "side == 'bottom' and cutoff == .01",
    }.items():
        at = with_null.query("metric == 'EW'").query(end).set_index("construction")
        few[name] = (at["contexts"] * (1 - at["invalid"])).round(), at["contexts"]
    quotes("only 239 of the 340 contexts", few["head"][0].sum(), few["head"][1].sum())
    lonely = [counted["In a sentential complement"] for counted in few["head"]]
    guard("only one of 40", lonely == [1, 40])
    guard("At bottom 1 % all contexts have", (few["tail"][0] == few["tail"][1]).all())
    guard("eight of nine rows lie below", (at["score"] < at["null_low"]).sum() == 8)
