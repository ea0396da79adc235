"""Targeted syntactic evaluation of language models.

Scores language models on minimal pairs and computes the metrics of Newman et al. (2021),
BLiMP (Warstadt et al. 2020) and SyntaxGym (Gauthier et al. 2020).

The public names are in ``__init__.pyi``. They are loaded on first use, so that ``import tse_core``
is instant and does not import torch. Everything else is imported from the module that defines it.
"""

import warnings

import lazy_loader

__version__ = "0.1.0"
# A dependency of torch warns of missing widgets in notebooks, where the bars of tqdm work as text.
warnings.filterwarnings("ignore", message="IProgress not found")
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
