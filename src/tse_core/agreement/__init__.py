"""A model on agreement pairs: every unique context is scored over a whole list of verbs (Newman et al. 2021)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
