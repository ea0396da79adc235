"""Charts of the book: one look, one colour per construction, metrics by shape, a title and a description each.

Each function takes a table and returns an Altair chart that needs no server: selections, hover and legends run in the
page. ``chart_data(chart)`` gives back what a chart draws, ``download_table(table, name)`` a link that saves it.
"""

from typing import Any

import lazy_loader

from tse_core.errors import InputError

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """What a name stands for, loaded on first use. Raises InputError where it needs altair."""
    try:
        return _load(name)
    except ModuleNotFoundError as error:
        if error.name != "altair":
            raise
        raise InputError(
            "figures need one package more: pip install 'tse-core[figures]' (or altair)"
        ) from None
