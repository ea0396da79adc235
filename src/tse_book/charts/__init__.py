"""Charts of the book: one look, one colour per construction, metrics by shape, a title and a description each.

Each function takes a table and returns an Altair chart that needs no server: selections, hover and legends run in the
page. ``chart_data(chart)`` gives back what a chart draws, ``download_table(table, name)`` a link that saves it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
