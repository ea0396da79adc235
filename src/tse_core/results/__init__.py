"""Finished numbers: signatures that say how a number was made, the store, tidy tables, recorded runs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
