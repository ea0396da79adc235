"""Networks in memory, and surprisals that are alike."""

import numpy as np
import transformers


def opened(folder):
    transformers.set_seed(0)
    auto = transformers.AutoModelForCausalLM
    return auto.from_pretrained(folder), transformers.AutoTokenizer.from_pretrained(folder)


def alike(first, second) -> bool:
    """Whether surprisals are equal but for rounding: GPT-2's activation is computed in one step in opened files."""
    return np.allclose(first["surprisal"], second["surprisal"], atol=1e-4, equal_nan=True)
