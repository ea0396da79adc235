"""What the pages need to draw charts and formulas with no network: one Vega bundle, MathJax with its fonts."""

import shutil
from importlib.metadata import distribution, version
from pathlib import Path

import altair
import vl_convert

from book.make import ASSETS

PACKAGES = ("altair", "vl-convert-python", "sphinx-mathjax-offline")
MATHJAX = ("tex-chtml-full.js", "output/chtml/fonts/woff-v2")


def versions() -> dict[str, str]:
    """The assets change when these packages do."""
    return {name: version(name) for name in PACKAGES}


def write_assets() -> None:
    shutil.rmtree(ASSETS, ignore_errors=True)
    ASSETS.mkdir(parents=True)
    vega()
    mathjax()


def vega() -> None:
    """The bundle behind every chart, and the versions Altair asks for: it finds them named and fetches nothing."""
    lite = "v" + "_".join(altair.VEGALITE_VERSION.split(".")[:2])
    bundle = vl_convert.javascript_bundle("window.tseVega = {vegaEmbed, vega, vegaLite};", vl_version=lite)
    (ASSETS / "vega-bundle.js").write_text(f"(function () {{{bundle}\n}})();\n")
    (ASSETS / "vega-versions.js").write_text(
        f'window.VEGA_DEBUG = {{vega_version: "{altair.VEGA_VERSION}", vegalite_version: "{altair.VEGALITE_VERSION}", '
        f'vegaembed_version: "{altair.VEGAEMBED_VERSION}"}};\n'
    )


def mathjax() -> None:
    """MathJax out of an installed package that carries it whole; the pages use a tenth of it."""
    package = Path(distribution("sphinx-mathjax-offline").locate_file("sphinx-mathjax-offline/static/mathjax"))
    for part in MATHJAX:
        source, target = package / part, ASSETS / "mathjax" / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy2(source, target)


if __name__ == "__main__":
    write_assets()
