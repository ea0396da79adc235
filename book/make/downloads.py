"""The results of the built book as tidy tables: Parquet and CSV, their columns explained.

Equal inputs give equal files. What the tables hold is said in downloads.yaml.
"""

from pathlib import Path

import pandas as pd
import yaml

from book.make import DOWNLOADS
from tse_book.claims.judging import laboratory_ledger, ledger
from tse_book.recorded import known_results
from tse_core.paths import data_folder, store_folder
from tse_core.results.signature import Signature, without_provenance
from tse_core.results.tidy import write_results

SCHEMA = Path(__file__).with_suffix(".yaml")


def tables() -> dict[str, pd.DataFrame]:
    """The tables of the page by name; when and where a number was made is left out of its signature."""
    known = known_results(store_folder())
    claims = ledger(known)
    names = {text: Signature.parse(text).data_name for text in known["signature"].unique()}
    known = known.assign(data=known["signature"].map(names), signature=without_provenance(known["signature"]))
    return {
        "measured": known.sort_values(["source", "signature", "construction", "metric", "side", "cutoff"]),
        "ledger": claims.assign(signature=without_provenance(claims["signature"].fillna(""))),
        "laboratory": laboratory_ledger(pd.read_csv(data_folder() / "recorded" / "laboratory" / "scores.csv")),
    }


def schema() -> dict:
    return yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))


def build(folder: Path = DOWNLOADS) -> None:
    """Each table as .parquet and .csv, and what the page includes: the list of tables, the columns explained."""
    made = tables()
    folder.mkdir(parents=True, exist_ok=True)
    listed = ["| table | rows | | |", "|---|---:|---|---|"]
    explained = []
    for name, told in schema().items():
        table, files = made[name][list(told["columns"])], [folder / f"{name}.{kind}" for kind in ("parquet", "csv")]
        if "score" in table:
            for file in files:  # results files: `tse results add` takes them
                write_results(table, file)
        else:
            table.to_parquet(files[0], index=False, compression="zstd")
            table.to_csv(files[1], index=False)
        links = " | ".join(f"{{download}}`{file.name} <../_build/downloads/{file.name}>`" for file in files)
        listed.append(f"| **{name}**: {told['holds']} | {len(table):,} | {links} |")
        explained += [f"### {name}", "", "| column | unit | meaning |", "|---|---|---|"]
        explained += [f"| `{column}` | {unit} | {meaning} |" for column, (unit, meaning) in told["columns"].items()]
        explained += [""]
    (folder / "tables.md").write_text("\n".join([*listed, ""]))
    (folder / "schema.md").write_text("\n".join(explained))


if __name__ == "__main__":
    build()
