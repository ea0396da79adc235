"""Names for plug-ins: packages that add kinds of models, or commands of ``tse``.

They are listed in ``plugins.pyi``, and loaded on first use, so that a plug-in that only says which
names it takes imports no torch. With those of `tse_core` itself they are all that a plug-in needs.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub("tse_core", __file__)
