# %% [markdown]
# ## Every claim

# %%
from tse_book.claims import verdicts
from tse_book.pages import quotes

of_data = claims[claims["basis"] == "published data"]
counts = of_data["verdict"].value_counts()
known = [verdicts.HOLDS, verdicts.FAILS, verdicts.AS_PRINTED]
known += [verdicts.BY_TABLE, verdicts.AT_THRESHOLD]
said = "Of 63 claims checked on published numbers, 38 hold and 6 do not; 5, 2, 12"
quotes(said, len(of_data), *counts[known])
waiting = claims["verdict"] == verdicts.NOT_RUN
if len(of_data) + waiting.sum() == len(claims):
    quotes("Another 229 wait for the papers' models", waiting.sum())
none = (of_data["choices"] == 0).sum()
same = (of_data["robustness"] == 1).sum()
said = "Of the 63 rows from published data, 29 are the same and 29 depend; for 5 none"
quotes(said, len(of_data), same, len(of_data) - same - none, none)

# %% [markdown]
# ## The statements of this book

# %%
from tse_book.claims.real_sentences import family_size
from tse_book.pages import guard

quotes("Their 28 tests", family_size())
quotes("at 1 − .05/28", 1, 0.05, family_size())
judged = stated[(stated["part"] == "judged") & (stated["role"] == "judged")]
judged = judged[judged["choice"] == "as stated"]
of_english = judged[judged["data"] == "ud/English-ParTUT"].groupby("model").size()
quotes("13 of them on English", of_english.iloc[0])
guard("for each of two models", len(of_english) == 2 and of_english.nunique() == 1)
holds = judged["verdict"] == "holds"
quotes("Of the 28, 27 hold", len(judged), holds.sum())
open_ones = judged.loc[~holds, ["id", "model", "verdict"]].to_numpy().tolist()
expected = [["N6", "smollm2-135m-instruct", "undecided"]]
guard("N6 is undecided on SmolLM2", open_ones == expected)
counts = statements["other choices"].str.split(" of ", expand=True)
same = (counts[0] == counts[1]).sum()
quotes("17 of the 28 verdicts never change", same, len(statements))
quotes("11 change under at least one", len(statements) - same)

# %% [markdown]
# ## The laboratory's own ledger

# %%
said = "Of 360 values, 327 lie near the truth; the mean distance is 0.012"
quotes(said, len(laboratory), (distance <= 0.02).sum(), distance.mean())
