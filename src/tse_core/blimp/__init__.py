"""BLiMP: 67 paradigms of 1,000 minimal pairs in 12 phenomena (Warstadt et al. 2020), or any other paradigms."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
