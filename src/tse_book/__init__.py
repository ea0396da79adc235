"""What the book needs besides `tse_core`: published numbers, claims, charts, pages, studies, the laboratory, the gym.

The public names are in ``__init__.pyi``. They are loaded on first use.
"""

import lazy_loader

import tse_core  # noqa: F401  (first of all, as it silences what a library says in notebooks)

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
