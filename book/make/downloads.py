"""The results of the built book as tidy tables: Parquet and CSV, their columns explained, their checksums.

Equal inputs give equal files. What the tables hold is said in downloads.yaml; the page *Downloads* includes what
`write_pages` makes of it.
"""

import hashlib
from pathlib import Path

import pandas as pd
import yaml

from book.make import DOWNLOADS
from tse_book import published
from tse_book.claims import laboratory_ledger, ledger
from tse_book.recorded import known_results
from tse_core.files import write_output
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


def tables() -> dict[str, pd.DataFrame]:
    """The tables of the page by name, their columns as the schema says."""
    known = known_results(store_folder())
    made = {"measured": measured(known), "ledger": claims(known), "laboratory": laboratory(), "published": papers()}
    return {name: made[name][list(told["columns"])] for name, told in schema().items()}


def schema() -> dict:
    return yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))


def write_tables(made: dict[str, pd.DataFrame], folder: Path) -> None:
    """Each table as .parquet and .csv, the schema as .csv, and the checksums of all."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in made.items():
        if "score" in table:
            for kind in ("parquet", "csv"):  # results files: `tse results add` takes them
                write_results(table, folder / f"{name}.{kind}")
        else:
            table.to_parquet(folder / f"{name}.parquet", index=False, compression="zstd")
            write_output(folder / f"{name}.csv", table.to_csv(index=False))
    columns = [(name, column, *said) for name, told in schema().items() for column, said in told["columns"].items()]
    explained = pd.DataFrame(columns, columns=["table", "column", "unit", "meaning"])
    write_output(folder / "schema.csv", explained.to_csv(index=False))
    sums = [f"{checksum(path)}  {path.name}\n" for path in files(folder)]
    (folder / "SHA256SUMS").write_text("".join(sums))


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in (".parquet", ".csv"))


def checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_pages(made: dict[str, pd.DataFrame], folder: Path) -> None:
    """What the page includes: the list of tables, the schema, the checksums."""
    lines = ["| table | rows | | |", "|---|---:|---|---|"]
    for name, told in schema().items():
        links = " | ".join(_link(folder / f"{name}.{kind}") for kind in ("parquet", "csv"))
        lines.append(f"| **{name}**: {told['holds']} | {len(made[name]):,} | {links} |")
    (folder / "tables.md").write_text("\n".join([*lines, ""]))

    lines = []
    for name, told in schema().items():
        lines += [f"### {name}", "", "| column | unit | meaning |", "|---|---|---|"]
        lines += [f"| `{column}` | {unit} | {meaning} |" for column, (unit, meaning) in told["columns"].items()] + [""]
    (folder / "schema.md").write_text("\n".join(lines))

    lines = ["| file | bytes | SHA-256 |", "|---|---:|---|"]
    lines += [f"| {path.name} | {path.stat().st_size:,} | `{checksum(path)}` |" for path in files(folder)]
    (folder / "checksums.md").write_text("\n".join([*lines, ""]))


def _link(path: Path) -> str:
    kind = {".parquet": "Parquet", ".csv": "CSV"}[path.suffix]
    return f"{{download}}`{kind} <../_build/downloads/{path.name}>` ({path.stat().st_size / 1000:,.0f} kB)"


def build(folder: Path = DOWNLOADS) -> None:
    made = tables()
    write_tables(made, folder)
    write_pages(made, folder)


if __name__ == "__main__":
    build()
