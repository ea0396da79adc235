"""What the pages need to draw charts and formulas with no network: one Vega bundle, MathJax with its fonts."""

import shutil
from importlib.metadata import distribution, version
from pathlib import Path

import altair
import vl_convert

from book.make import ASSETS

PACKAGES = ("altair", "vl-convert-python", "sphinx-mathjax-offline")
FONTS = "output/chtml/fonts/woff-v2"


def versions() -> dict[str, str]:
    """The assets change when these packages do."""
    return {name: version(name) for name in PACKAGES}


def write_assets() -> None:
    shutil.rmtree(ASSETS, ignore_errors=True)
    # The bundle behind every chart, and the versions Altair asks for: it finds them named and fetches nothing.
    lite = "v" + "_".join(altair.VEGALITE_VERSION.split(".")[:2])
    bundle = vl_convert.javascript_bundle(
        "window.tseVega = {vegaEmbed, vega, vegaLite};", vl_version=lite
    )
    # Of MathJax, out of a package that carries it whole, the pages use a tenth.
    mathjax = Path(
        distribution("sphinx-mathjax-offline").locate_file("sphinx-mathjax-offline/static/mathjax")
    )
    shutil.copytree(mathjax / FONTS, ASSETS / "mathjax" / FONTS)
    shutil.copy2(mathjax / "tex-chtml.js", ASSETS / "mathjax")
    (ASSETS / "vega-bundle.js").write_text(f"(function () {{{bundle}\n}})();\n")
    (ASSETS / "vega-versions.js").write_text(
        f'window.VEGA_DEBUG = {{vega_version: "{altair.VEGA_VERSION}", vegalite_version: "{altair.VEGALITE_VERSION}", '
        f'vegaembed_version: "{altair.VEGAEMBED_VERSION}"}};\n'
    )


if __name__ == "__main__":
    write_assets()
