"""The tables that the book offers: whole, explained column by column."""

import hashlib

import pandas as pd
import pytest

from book.make import downloads
from tse_core.results.tidy import TIDY_COLUMNS, read_results


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The folder that the step writes, with a store that is empty."""
    folder = tmp_path_factory.mktemp("downloads")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(downloads, "store_folder", lambda: folder / "store")
        downloads.build(folder)
    return folder


@pytest.mark.parametrize("name", downloads.schema())
def test_parquet_and_csv_hold_the_same_rows_in_the_columns_of_the_schema(written, name):
    parquet, csv = pd.read_parquet(written / f"{name}.parquet"), pd.read_csv(written / f"{name}.csv")
    assert list(parquet) == list(csv) == list(downloads.schema()[name]["columns"])
    assert len(parquet) == len(csv) > 0
    for column in parquet.select_dtypes("number"):
        pd.testing.assert_series_equal(parquet[column], csv[column], check_dtype=False)


def test_measured_scores_are_a_results_file_without_time_or_place(written):
    table = read_results(written / "measured.parquet")
    assert list(table) == TIDY_COLUMNS
    assert (table["signature"].str.count(r"\|") == 1).all()
    shares = pd.read_parquet(written / "measured.parquet", columns=["score", "low", "high"])
    assert ((shares["low"].isna()) | (shares["low"] <= shares["score"] + 1e-9)).all()


def test_the_page_names_the_checksum_of_each_file_as_it_lies_there(written):
    page = (written / "checksums.md").read_text()
    sums = dict(reversed(line.split()) for line in (written / "SHA256SUMS").read_text().splitlines())
    assert set(sums) == {path.name for path in written.iterdir() if path.suffix in (".csv", ".parquet")}
    for name, said in sums.items():
        assert said == hashlib.sha256((written / name).read_bytes()).hexdigest()
        assert f"| {name} |" in page and said in page


def test_the_papers_numbers_say_where_they_stand():
    table = downloads.papers()
    assert not table[["paper", "place", "source", "model", "metric", "value"]].isna().any().any()
    assert table["value"].between(0, 1).all()
    cell = table.query("place == 'Table 2' and model == 'gpt2-xl' and construction == 'BLiMP' and metric == 'EW'")
    assert cell[["value", "side", "cutoff"]].values.tolist() == [[0.75, "top", 1.0]]
