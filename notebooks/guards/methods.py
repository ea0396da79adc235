# %% [markdown]
# ## Two verbs, three scores

# %%
from tse_book import published
from tse_book.pages import glue, guard, quotes

for metric, score in scores.items():
    glue(metric, score)  # for the handout
quotes("TSE is 1.0, EW 0.5 and MW 0.7", *scores)
printed = published.constants()
said = [float(printed[f"toy_table1_{metric}"]) for metric in scores.index]
guard("the numbers in the paper's Table 1", np.allclose(scores, said))

# %% [markdown]
# ## A real distribution

# %%
if asked == ["smollm2-135m-instruct"]:
    forms = context.forms.set_index("lemma")
    shares = 100 * context.ew, len(forms), 100 * context.mw
    quotes("95 % of the 962 verbs, and 97 % of the probability", *shares)
    quotes("*are* .37 and *is* .006", *forms.loc["be", ["p_correct", "p_wrong"]])
    worst = forms.index[~forms["agrees"]][:3].tolist()
    guard("*content*, *double* and *land*", worst == ["content", "double", "land"])
    top = context.curves.query("metric == 'EW' and side == 'top'").set_index("cutoff")
    ew = top["score"]
    quotes("the top 97 %, EW is .99; over all verbs it is .95", 97, ew[0.97], ew[1.0])
    verbs = tse_core.load_lemmas("newman-clean").table.set_index("lemma")
    guard("which are also nouns", verbs.loc[worst, "noun"].all())

# %% [markdown]
# ## Cut-offs: the head and the tail

# %%
guard(
    "Right about likely verbs, wrong about unlikely ones",
    curves.ew_top[0, cutoffs == 0.9] == 1 and curves.ew_bottom[0, cutoffs == 0.04] == 0,
)

# %% [markdown]
# ## How far a verb moves: sensitivity and bias

# %%
if asked == ["smollm2-135m-instruct"]:
    of_verb = moves.set_index("verb")
    said = "*be* by 5.7 nats, *know* by 3.9, *plan* by 1.6"
    quotes(said, *of_verb["sensitivity"])
    quotes("*plan* has a bias of 2.4", of_verb.loc["plan", "bias"])
    guard(
        "still prefers it after *The student*", of_verb.loc["plan", "m, singular"] < 0
    )

# %% [markdown]
# ## Masked and causal models

# %%
if asked == ["smollm2-135m-instruct"]:
    firsts = [words.iloc[0] for words in likeliest.values()]
    guard("Both put *is* first", firsts == ["is", "is"])

# %% [markdown]
# ## Takeaways

# %%
# For the handout.
four = {
    "entry": ["are", "exists", "exist", "is"],
    "probability": [0.55, 0.25, 0.15, 0.05],
}
glue("handout_toy", table(pd.DataFrame(four), "After The keys to the cabinet"))
other = small[["entry", "probability"]]
glue("handout_small", table(other, "Another model, the same words", digits=3))

# %%
ends = cutoff_scores(log_shares, lemmas, plural, top=[0.8], bottom=[0.04])
glue("head", 0.8)
glue("tail", 0.04)
glue("inside_head", ", ".join(entries[:4]))
glue("inside_tail", ", ".join(entries[:6:-1]))
glue("ew_head", ends.ew_top.item())
glue("mw_head", ends.mw_top.item())
glue("ew_tail", ends.ew_bottom.item())
glue("mw_tail", ends.mw_bottom.item())
