"""Recorded runs: results of models that ran elsewhere or earlier, kept in data/recorded/MODEL.

The public names are in ``__init__.pyi``. They are loaded on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
