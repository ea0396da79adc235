"""What the paper's models cost on a GPU, by arithmetic: nobody has lent this project one to measure it on.

Two operations a weight and token, at `REACHED` of what the maker says of a card in single precision. The tokens are
counted: contexts of Marvin and Linzen's templates, of the paper's BLiMP files and of chapter 18's factorial design, and
BLiMP's 134,000 sentences, which a masked model reads once for each of their tokens.
"""

import math

import pandas as pd

from tse_book.pages import profiles, table

CARDS = {"T4": (8.1e12, 15.6), "A100": (19.5e12, 40.0), "H200": (67e12, 141.0)}  # operations a second; GB
REACHED = 0.4
PASSES = 3  # over the agreement contexts: two protocols, and what the claims ask besides; the design is scored once
TOKENS = {  # of the agreement contexts, the design, BLiMP's sentences; counted with the tokenizers of GPT-2 and of BERT
    "causal": (74_414 + 13_501, 42_266, 2 * 1_286_669),  # BLiMP twice: whole sentences, and their beginnings
    "masked": (812_630 + 44_012, 134_334, 18_204_308),
}


def seconds(model: str, card: str) -> float:
    """How long a model takes for all that the paper's profile asks."""
    agreement, design, sentences = TOKENS["causal" if model.startswith("gpt2") else "masked"]
    weights = profiles.GIGABYTES[model] * 1e9 / 4
    return 2 * weights * (PASSES * agreement + design + sentences) / (REACHED * CARDS[card][0])


def estimates() -> pd.DataFrame:
    """One row a model: GB to download, GB of memory, minutes on each card."""
    rows = [
        (name, size, math.ceil(profiles.memory_needed(size)), *(seconds(name, card) / 60 for card in CARDS))
        for name, size in profiles.GIGABYTES.items()
    ]
    columns = ["Model", "GB to download", "GB of memory", *(f"Minutes, {card}" for card in CARDS)]
    return pd.DataFrame(rows, columns=columns)


def costs() -> str:
    """The table of the page."""
    caption = "The paper's models and their small siblings, each on all that they are asked."
    return table(estimates(), caption, digits=1).data
