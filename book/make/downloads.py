"""All scores that this build knows as one tidy table, which the page *Related work, citing, files* offers and explains.

Equal inputs give equal files: when and where a number was made is left out of its signature.
"""

from pathlib import Path

from book.make import DOWNLOADS
from tse_book.recorded import known_results, without_provenance
from tse_core.paths import store_folder
from tse_core.results.signature import Signature
from tse_core.results.tidy import write_results

FIRST = ["source", "model", "data"]  # columns


def build(folder: Path = DOWNLOADS) -> None:
    """measured.parquet and measured.csv: results files, which `tse results add` takes."""
    known = known_results(store_folder())
    names = {text: Signature.parse(text).data_name for text in known["signature"].unique()}
    known = known.assign(
        data=known["signature"].map(names), signature=without_provenance(known["signature"])
    )
    known = known[[*FIRST, *known.columns.drop(FIRST)]]
    known = known.sort_values(["source", "signature", "construction", "metric", "side", "cutoff"])
    folder.mkdir(parents=True, exist_ok=True)
    for kind in ("parquet", "csv"):
        write_results(known, folder / f"measured.{kind}")


if __name__ == "__main__":
    build()
