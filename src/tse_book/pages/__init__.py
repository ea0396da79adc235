"""What notebooks need to become pages: glued numbers, tables, tables behind figures, the ledger, the gym's pages."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
