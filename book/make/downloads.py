"""The results of the built book as tidy tables: Parquet and CSV, their columns explained.

Equal inputs give equal files. What the tables hold is said in downloads.yaml.
"""

from pathlib import Path

import pandas as pd
import yaml

from book.make import DOWNLOADS
from tse_book import published
from tse_book.claims import laboratory_ledger, ledger
from tse_book.recorded import known_results
from tse_core.paths import data_folder, store_folder
from tse_core.results.signature import Signature, without_provenance
from tse_core.results.tidy import write_results

SCHEMA = Path(__file__).with_suffix(".yaml")


def measured(known: pd.DataFrame) -> pd.DataFrame:
    """Known results with the data they were made on; when and where they were made is left out."""
    data = known["signature"].map({s: Signature.parse(s).data_name for s in known["signature"].unique()})
    table = known.assign(data=data, signature=without_provenance(known["signature"]))
    return table.sort_values(["source", "signature", "construction", "metric", "side", "cutoff"])


def claims(known: pd.DataFrame) -> pd.DataFrame:
    """The ledger of claims, signatures without time and place."""
    table = ledger(known)
    return table.assign(signature=without_provenance(table["signature"].fillna("")))


def laboratory() -> pd.DataFrame:
    """The laboratory's ledger."""
    return laboratory_ledger(pd.read_csv(data_folder() / "recorded" / "laboratory" / "scores.csv"))


def papers() -> pd.DataFrame:
    """The papers' numbers in one long table."""
    table2, text, drawn = published.table2(), published.quoted_values(), published.figures234()
    table2.loc[table2["metric"] != "TSE", ["side", "cutoff"]] = "top", 1
    text["cutoff"] = text["p_percent"] / 100
    table3 = published.table3()
    table3["metric"] = "P(" + table3["subword"] + ")"
    figures = drawn["figure"].str.replace("figure", "Figure ")
    newman, blimp, hu = "newman-2021", "blimp-2020", "hu-2020"
    parts = [
        _part(newman, "Table 2", table2, "printed", score="value"),
        _part(newman, "Table 3", table3, "printed", sentence="construction", probability="value"),
        _part(newman, "Figure 1", published.figure1(), "digitised", estimate="value"),
        _part(newman, figures, drawn, "digitised", estimate="value", quality="note"),
        _part(newman, "text", text, "printed", kind="note"),
        _part(blimp, "Table 3", published.blimp_table3(), phenomenon="construction"),
        _part(blimp, "Table 4", published.blimp_table4(), UID="construction"),
        _part(blimp, "by method", published.blimp_prefix_methods(), "recomputed", UID="construction", method="note"),
        _part(hu, "runs by suite", _seeded(published.hu2020_suites()), "recomputed", suite="construction"),
        _part(
            hu, "runs by circuit", _seeded(published.hu2020_circuits().dropna()), "recomputed", circuit="construction"
        ),
    ]
    table = pd.concat(parts, ignore_index=True)
    return table.assign(metric=table["metric"].fillna("accuracy"), model=table["hf_name"].fillna(table["model"]))


def _part(paper: str, place: str | pd.Series, table: pd.DataFrame, source: str = "", **names: str) -> pd.DataFrame:
    """A published table under the long table's names; without a source the table's own column says it."""
    table = table.rename(columns={"accuracy": "value", **names}).assign(paper=paper, place=place)
    return table.assign(source=source) if source else table


def _seeded(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(note=table["corpus"] + ", seed " + table["seed"].astype(str))


def schema() -> dict:
    return yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))


def build(folder: Path = DOWNLOADS) -> None:
    """Each table as .parquet and .csv, the schema, and what the page includes: the list of tables, the schema."""
    known = known_results(store_folder())
    made = {"measured": measured(known), "ledger": claims(known), "laboratory": laboratory(), "published": papers()}
    folder.mkdir(parents=True, exist_ok=True)
    listed = ["| table | rows | | |", "|---|---:|---|---|"]
    explained, columns = [], []
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
        columns += [(name, column, *said) for column, said in told["columns"].items()]
    (folder / "tables.md").write_text("\n".join([*listed, ""]))
    (folder / "schema.md").write_text("\n".join(explained))
    pd.DataFrame(columns, columns=["table", "column", "unit", "meaning"]).to_csv(folder / "schema.csv", index=False)


if __name__ == "__main__":
    build()
