"""Targeted syntactic evaluation of language models.

Scores language models on minimal pairs and computes the metrics of Newman et al. (2021),
BLiMP (Warstadt et al. 2020) and SyntaxGym (Gauthier et al. 2020).

Names are loaded on first use, so that ``import tse_core`` is instant and does not import torch.
"""

import warnings
from importlib import import_module

__version__ = "0.1.0"
warnings.filterwarnings("ignore", message="IProgress not found")  # said in notebooks by a library of torch's

_HOME = {
    "InputError": "errors",
    "cutoff_scores": "metrics",
    "load_model": "models",
    "load_pairs": "datasets",
    "load_sentence_pairs": "datasets",
    "load_lemmas": "lemmas",
    "slot_distribution": "evaluation",
    "evaluate": "evaluation",
    "PAPER_CUTOFFS": "metrics",
    "score_pairs": "preferences",
    "surprisals": "sentences",
}
_ROOMS = {
    "lemmas", "pairs", "grammar", "datasets", "models", "baselines", "forward", "metrics", "results", "uncertainty",
    "sentences", "evaluation", "blimp", "formula", "syntaxgym", "published", "claims", "charts", "laboratory", "gym",
    "sweep",
}  # fmt: skip
__all__ = sorted([*_HOME, "__version__"])


def __getattr__(name):
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*__all__, *_ROOMS])
