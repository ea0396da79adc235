"""Sphinx extension: ``{tse-made} MODULE.FUNCTION`` shows the HTML that a function of book/make gives."""

from importlib import import_module

from docutils import nodes
from docutils.parsers.rst import Directive


class Made(Directive):
    required_arguments = 1

    def run(self):
        module, _, function = self.arguments[0].rpartition(".")
        html = getattr(import_module(f"book.make.{module}"), function)()
        if "tse-table" in html:  # scrolls as the tables of chapters do
            html = f'<div class="cell_output"><div class="output text_html">{html}</div></div>'
        return [nodes.raw("", html, format="html")]


def setup(app):
    app.add_directive("tse-made", Made)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
