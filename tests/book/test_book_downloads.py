"""The tables that the book offers: whole, explained column by column, the same from run to run."""

import hashlib

import pandas as pd
import pytest

from book.make import downloads
from tse_book.claims.judging import ledger
from tse_core.results.tidy import TIDY_COLUMNS, read_results


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Two runs of the step, with a store that is empty and a ledger that is made once."""
    folders = [tmp_path_factory.mktemp("downloads") for _ in range(2)]
    claims = ledger()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(downloads, "ledger", lambda known: claims)
        patch.setattr(downloads, "store_folder", lambda: folders[0] / "store")
        for folder in folders:
            downloads.build(folder)
    return folders


@pytest.mark.slow
def test_two_runs_write_the_same_bytes(written):
    first, second = (
        {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} for folder in written
    )
    assert first == second and len(first) == 2 * len(downloads.schema()) + 5


@pytest.mark.parametrize("name", downloads.schema())
def test_parquet_and_csv_hold_the_same_rows_in_the_columns_of_the_schema(written, name):
    folder = written[0]
    parquet, csv = pd.read_parquet(folder / f"{name}.parquet"), pd.read_csv(folder / f"{name}.csv")
    assert list(parquet) == list(csv) == list(downloads.schema()[name]["columns"])
    assert len(parquet) == len(csv) > 0
    for column in parquet.select_dtypes("number"):
        pd.testing.assert_series_equal(parquet[column], csv[column], check_dtype=False)


def test_measured_scores_are_a_results_file_without_time_or_place(written):
    table = read_results(written[0] / "measured.parquet")
    assert list(table) == TIDY_COLUMNS
    assert (table["signature"].str.count(r"\|") == 1).all()
    shares = pd.read_parquet(written[0] / "measured.parquet", columns=["score", "low", "high"])
    assert ((shares["low"].isna()) | (shares["low"] <= shares["score"] + 1e-9)).all()


def test_the_page_names_the_checksum_of_each_file_as_it_lies_there(written):
    page = (written[0] / "checksums.md").read_text()
    sums = dict(reversed(line.split()) for line in (written[0] / "SHA256SUMS").read_text().splitlines())
    assert set(sums) == {path.name for path in written[0].iterdir() if path.suffix in (".csv", ".parquet")}
    for name, said in sums.items():
        assert said == hashlib.sha256((written[0] / name).read_bytes()).hexdigest()
        assert f"| {name} |" in page and said in page


def test_the_papers_numbers_say_where_they_stand():
    table = downloads.papers()
    assert not table[["paper", "place", "source", "model", "metric", "value"]].isna().any().any()
    assert table["value"].between(0, 1).all()
    cell = table.query("place == 'Table 2' and model == 'gpt2-xl' and construction == 'BLiMP' and metric == 'EW'")
    assert cell[["value", "side", "cutoff"]].values.tolist() == [[0.75, "top", 1.0]]
