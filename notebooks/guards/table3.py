# %% [markdown]
# ## The paper's two sentences

# %%
from tse_book.pages import glue, guard, quotes, table

words = first["token"].str.removesuffix("s")
guard("None of the template's verbs is among", not words.isin(verbs).any())
said = published.quoted_values().query("metric == 'TSE'")["value"]
quotes("a TSE of .67", said.iloc[0])
wrong = kinds["wrong"] / (kinds["correct"] + kinds["wrong"])
quotes("22 % is on wrong forms", 100 * wrong)
ten = table(first[["token", "probability"]], first["sentence"].iloc[0], digits=3)
glue("handout_ten", ten)

# %% [markdown]
# ## One word before the verb

# %%
if models[:1] == ["smollm2-135m-instruct"] and adverb == "often":
    said = "from .88 to .97 and from .29 to .86; in the second, TSE goes from 0 to 1"
    quotes(said, *after["ew"], *after["tse"][2:4])
    second = slots[(slots["model"] == models[0]) & (slots["sentence"] == sentences[1])]
    wrong = second.head(10).query("form == 'wrong'")["token"].str.strip()
    guard("Two of them, *team* and *order*", list(wrong) == ["team", "order"])

# %%
if masked == ["lab-lexical-masked"]:
    ten = slots[slots["model"] == masked[0]].groupby("sentence").head(10)
    guard("gives ten verbs", (ten["form"] != "other").all())
