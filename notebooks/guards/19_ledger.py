# %% [markdown]
# ## The laboratory's own ledger

# %%
from tse_book.pages import quotes

said = "Of 360 values, 327 lie near the truth; the mean distance is 0.012"
quotes(said, len(laboratory), (distance <= 0.02).sum(), distance.mean())
