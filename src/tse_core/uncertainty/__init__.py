"""Intervals and paired comparisons that respect how the sentences were made, and how well the intervals cover."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
