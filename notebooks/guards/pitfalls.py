# %% [markdown]
# ## Four faults in released code

# %%
from tse_book.pages import guard, quotes
from tse_core import load_lemmas

guard("Only 1 of 1,951 rows", len(by_index) == 1)
guard("1,951 rows of the released list", len(load_lemmas("newman-released")) == 1951)

# %%
exact = cutoff_scores(logits, verbs, [0], top=[1.0], bottom=[])
guard("EW loses a hundredth", 0.005 < (exact.ew_top - found.ew_top).item() < 0.015)
guard("MW hardly moves", abs((exact.mw_top - found.mw_top).item()) < 1e-4)

# %% [markdown]
# ## One changed setting moves a score

# %%
own = board[board["model"] == "smollm2-135m-instruct"]
if len(own):
    wide = own.pivot_table("score", ["switch", "metric", "construction"], "setting")
    moved = (wide["changed"] - wide["default"]).abs().groupby("switch").max()
    guard("the final period moves nothing", moved["no final period"] == 0)
    model = newman.opened("smollm2-135m-instruct")
    own_bos = model.with_policies(bos="add").bos_read
    guard("Putting `<|im_start|>` in front", own_bos == "<|im_start|>")
    guard("moves a score most", moved.idxmax() == "BOS token: the tokenizer's own")
    quotes("by .14", moved.max())
    quotes("by up to .11", moved["verbs: never nouns or past forms"])

# %%
half = half.set_index("dtype")
coarse, finer = half.loc["bfloat16"], half.loc["float16"]
changes = coarse["EW_largest_change"], coarse["TSE_largest_change"]
quotes("a construction's EW moves by up to .006 and TSE by up to .017", *changes)
changes = finer["EW_largest_change"], finer["TSE_largest_change"]
quotes("by up to .001 and .010", *changes)

# %% [markdown]
# ## What would other nouns give?

# %%
width = pd.DataFrame(widths, columns=columns).set_index("construction")
wider = width["by noun"] > width["independent"]
guard("wider in eight of nine rows", (wider.sum(), len(wider)) == (8, 9))
relative = width.loc["In object relative clause"]
quotes(".17 instead of .02", relative["by noun"], relative["independent"])
times = relative["by noun"] / relative["independent"]
guard("about eight times as wide", 7.5 < times < 8.5)
second_and_third = coverage.iloc[[1, 2]]
quotes(".86 and .69", *second_and_third["bootstrap"])
guard(
    "contain it in more than .99 of them",
    (second_and_third["this book"] > 0.99).all(),
)
quotes("in only .86", coverage["this book"].iloc[-1])
judged = recorded_coverage[recorded_coverage["judged"]]
clusters = judged["clusters"].str.split(" x ").str[0].astype(int)
many = judged[clusters >= 10].set_index("engine")
low = many[many["coverage"] < 0.93]
ours = "jackknife, Wilson, 10 trials"
of_ours = many.loc[ours]
said = "Of 99 kinds of studies with ten or more nouns, 98 have it inside .93"
quotes(said, len(of_ours), (of_ours["coverage"] >= 0.93).sum(), 0.93)
quotes("the other has .91", low.loc[[ours], "coverage"].item())
guard("it is in the other half", low.loc[[ours], "half"].item() != "choice")
crossed = many.loc[ours][many.loc[ours, "kind"].str.startswith("crossed")]
shares = crossed[crossed["design"].str.startswith("mean")]
means = shares["design"].str.removeprefix("mean").astype(float)
near_one = shares[means >= 0.9]
said = "in more than .98 of the studies wherever the mean is .90 or more"
guard(said, len(near_one) == 15 and (near_one["coverage"] > 0.98).all())
guard("an eighth of all samples of twenty nouns", 0.11 < 0.9**20 < 0.13)
