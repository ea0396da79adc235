"""SyntaxGym: suites of controlled sentences, predictions about surprisal, how often they hold.

suite -> sentences -> token surprisals -> region surprisals -> does each prediction hold for each
item -> accuracy (Gauthier et al. 2020)
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
