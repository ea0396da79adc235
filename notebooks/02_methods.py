# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     notebook_metadata_filter: -jupytext.text_representation
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Methods
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : compute TSE, EW and MW by hand, and see what a cut-off does
#
# You need
# : the [front page](../book/index.md); no Python beyond reading it
#
# Time
# : 15 minutes to read, seconds to run; no GPU
# :::
#
# ## Section
#
# Text with $P(\ell)$ and {cite}`newman2021refining`.
#
# ```{margin} EW
# A margin note.
# ```

# %% tags=["remove-cell", "setup"]
# On Colab: install the package (its other needs are there already). Where it is installed, this cell does nothing.
import importlib.util
import pathlib
import subprocess
import sys

if importlib.util.find_spec("tse_core") is None:
    uploaded = sorted(map(str, pathlib.Path().glob("tse_core-*.whl")))
    package = uploaded[-1] if uploaded else ""
    if not package:
        raise SystemExit("Upload the tse_core wheel from the book's downloads here, then run this cell again.")
    install = [sys.executable, "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, "--no-deps", package], check=True)
    subprocess.run([*install, "pooch", "lark"], check=True)

# %% tags=["parameters"]
models = ["x"]  # names

# %%
import altair as alt
import pandas as pd

from tse_core.notebook import glue, table

frame = pd.DataFrame({"a": [1, 2, 3], "b": [0.5, 0.25, None], "c": ["x", "<b>", "z"]})
glue("half", 0.5)
table(frame, "A table")

# %%
alt.Chart(frame, title="Something to see", description="Three points").mark_point().encode(x="a", y="b")

# %% [markdown]
# Value {glue:text}`half:.2f`.
