"""Forward passes: every distinct context is computed once, and logits only where somebody asks for them.

Causal models get trees of shared prefixes, other models get batches of equally long sequences.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
