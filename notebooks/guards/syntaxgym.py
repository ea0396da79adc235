# %% [markdown]
# ## The paper's own example

# %%
from tse_book.pages import quotes

if recorded == "smollm2-135m-instruct":
    lost = -failed.stack()[lambda margin: margin <= 0]
    second = -margins.loc[2, "singular subject"]
    quotes("finds *like* 4.4 bits less surprising than *likes*", second)
    quotes("holds for 15 of the 19 items", len(margins) - len(failed), len(margins))
    quotes("wins clearly, by 1.4 to 4.6 bits", lost.min(), lost.max())
    after = lost.index.get_level_values(1)
    assert list(after).count("singular subject") == 3  # three fail after the singular
