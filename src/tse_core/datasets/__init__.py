"""Sentences and words: agreement pairs, sentence pairs, grammars that make them, verb lemmas, pinned downloads.

Everything here is a plain table. Nothing here knows what a language model is.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
