"""Sphinx extension: the directive ``{tse-status} times`` (stages, scores, versions) shows a table of that page."""

from docutils import nodes
from docutils.parsers.rst import Directive

from book.make.status import tables


class Status(Directive):
    required_arguments = 1

    def run(self):
        shown = f'<div class="cell_output"><div class="output text_html">{tables()[self.arguments[0]]}</div></div>'
        return [nodes.raw("", shown, format="html")]


def setup(app):
    app.add_directive("tse-status", Status)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
