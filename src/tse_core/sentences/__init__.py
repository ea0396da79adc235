"""How probable a sentence is: surprisals of tokens and words, pseudo-log-likelihoods, minimal pairs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
