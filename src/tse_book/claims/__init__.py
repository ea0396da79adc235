"""The claims of the papers and the verdicts on them, judged from numbers that were measured elsewhere."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
