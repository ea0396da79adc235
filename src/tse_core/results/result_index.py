"""The finished numbers that a store holds: computed here, by the code as it stands, or imported from elsewhere.

Every stored number says its origin in a column that results files do not have: the digest of the code that computed it
(`tse_core.results.code`), or "imported". A computed number takes precedence over an imported one; a number computed by
other code is never used.
"""

import warnings
from collections.abc import Sequence

import pandas as pd

from tse_core.errors import InputError, StoreWarning
from tse_core.results.code import code_digest
from tse_core.results.signature import Signature
from tse_core.results.store import IMPORTED, Store
from tse_core.results.tidy import NAME, TIDY_COLUMNS, rows_digest

Number = tuple[str, str, str, float]  # construction, metric, side ("" for none), cut-off (NaN where there is no side)


def keep_results(table: pd.DataFrame, store: Store, *, imported: bool) -> int:
    """Put a tidy table's runs into the store; returns how many of its numbers were new.

    A number that is already there is skipped, but a computed one replaces an imported one.

    Parameters
    ----------
    imported : whether the table comes from elsewhere; else this code has computed it

    Raises
    ------
    InputError
        A stored number has the same signature but another value, beyond rounding: one of the two was not
        made the way its signature says. Only a warning if that one was imported and this one is computed.
    """
    origin, new = IMPORTED if imported else code_digest(), 0
    for text, rows in table.groupby("signature", sort=False):
        signature = Signature.parse(text)
        there = stored_numbers(signature.key, store)
        if there is not None:
            _compare(rows, there, signature, origin)
            passed = there if origin == IMPORTED else there[there["origin"] != IMPORTED]
            rows = rows[~_names(rows).isin(_names(passed))]
        if len(rows):
            name = f"{IMPORTED if imported else 'computed'}-{rows_digest(rows)[:16]}"
            store.put_result(signature, rows.reset_index(drop=True).assign(origin=origin), name)
            new += len(rows)
    return new


def find(key: str, store: Store) -> pd.DataFrame | None:
    """The finished numbers of a key, or of the only key that starts so; None where there are none."""
    numbers = stored_numbers(full_key(key, store), store)
    return None if numbers is None else numbers[TIDY_COLUMNS]


def full_key(key: str, store: Store) -> str:
    """The only key of finished numbers that starts so, the key itself where there is none. Raises InputError."""
    matching = [k for k in store.keys("results") if k.startswith(key)] if key else []
    if len(matching) > 1 and key not in matching:
        raise InputError(f"{len(matching)} results have keys that start with {key!r}; give more of it")
    return matching[0] if len(matching) == 1 else key


def stored_numbers(key: str, store: Store) -> pd.DataFrame | None:
    """The finished numbers of a key with the column origin; computed ones before imported ones, each number once."""
    return _in_use(_all_numbers(key, store))


def origins(key: str, store: Store) -> str:
    """Where a key's numbers come from: "computed", "imported", or both.

    "other code" where no number counts any more, "damaged" where none can be read.
    """
    stored = _all_numbers(key, store)
    numbers = _in_use(stored)
    if numbers is None:
        return "damaged" if stored.empty else "other code"
    return ", ".join("imported" if o == IMPORTED else "computed" for o in sorted(numbers["origin"].unique()))


def _all_numbers(key: str, store: Store) -> pd.DataFrame:
    """All finished numbers of a key that can be read, by whatever code they were computed."""
    tables = [table for _, table in store.results(key) if "origin" in table]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame({"origin": []})


def _in_use(numbers: pd.DataFrame) -> pd.DataFrame | None:
    """Those imported or computed by this code; computed ones before imported ones, each number once."""
    numbers = numbers[numbers["origin"].isin([IMPORTED, code_digest()])]
    if numbers.empty:
        return None
    imported = numbers["origin"] == IMPORTED
    numbers = pd.concat([numbers[~imported], numbers[imported]]).drop_duplicates(NAME)
    return numbers.reset_index(drop=True)


def finished(signature: Signature, wanted: Sequence[Number], store: Store) -> pd.DataFrame | None:
    """These numbers of a run, in this order, if the store has all of them, computed here; else None."""
    numbers = stored_numbers(signature.key, store)
    if numbers is None:
        return None
    numbers = numbers[numbers["origin"] != IMPORTED]
    numbers, names = numbers.set_index(_names(numbers)), _names(pd.DataFrame(wanted, columns=NAME))
    return numbers.loc[names, TIDY_COLUMNS].reset_index(drop=True) if names.isin(numbers.index).all() else None


def _compare(rows: pd.DataFrame, there: pd.DataFrame, signature: Signature, origin: str) -> None:
    both = rows.merge(there, on=NAME, suffixes=("", "_there"))
    off = both[(both["score"] - both["score_there"]).abs() > 1e-3]
    if off.empty:
        return
    row = off.iloc[0]
    number = f"{signature.identity['model']}, {row['construction']}, {row['metric']}: {row['score']:.4f}"
    if origin != IMPORTED and (off["origin"] == IMPORTED).all():
        warnings.warn(
            f"{number}, but {row['score_there']:.4f} was imported under the same signature; the computed number counts "
            f"(`tse results remove {signature.key[:10]}` forgets the imported one)",
            StoreWarning,
            stacklevel=3,
        )
        return
    raise InputError(
        f"{number}, but the store has {row['score_there']:.4f} under the same signature; one of them was not made as "
        f"it says (key {signature.key}; `tse results remove` forgets those of the store)"
    )


def _names(table: pd.DataFrame) -> pd.Series:
    """The key of each number of a run: construction, metric, side, cut-off."""
    return pd.Series(["\x1f".join(map(str, row)) for row in table[NAME].itertuples(index=False)], index=table.index)
