"""TSE, EW and MW with their cut-offs (Newman et al. 2021): pure functions on arrays of logits.

The public names are in ``__init__.pyi``, and are loaded on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
