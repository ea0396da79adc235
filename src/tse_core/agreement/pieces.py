"""Pieces of an evaluation: contexts that are scored at once, and kept in the store together.

`scored_tables` takes the tables of each piece from the store, or scores it, and joins them.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from tse_core.agreement.distributions import Advance
from tse_core.agreement.policies import piece_signature
from tse_core.agreement.questions import Work
from tse_core.agreement.scoring import score_contexts
from tse_core.agreement.settings import TABLES, Settings
from tse_core.agreement.verbs import CountedVerbs
from tse_core.datasets.loading import data_hash
from tse_core.files import safe_name
from tse_core.models.language_model import LanguageModel
from tse_core.models.slots import Prompt
from tse_core.results.running import tables_of_pieces
from tse_core.results.signature import Signature
from tse_core.results.store import Store

AT_ONCE = 2048  # contexts that are scored at once
WORDS_AT_ONCE = 4  # where each is scored over thousands of whole words
# The columns of contexts and pairs whose hash is in the name of a piece; with the document, if any.
HASHED = ["construction", "subject", "noun", "left", "right", "number", "pairs"]
HASHED_OF_PAIRS = ["left", "right", "correct", "wrong", "number"]


class Piece(NamedTuple):
    """Contexts that are scored at once, and their pairs."""

    contexts: pd.DataFrame
    pairs: pd.DataFrame  # the column context counts from the first context of the piece
    slots: Sequence[Prompt]  # of the contexts
    verbs_at: Sequence[CountedVerbs]  # as they are spelled at these slots


def scored_tables(
    model: LanguageModel,
    work: Work,
    settings: Settings,
    signature: Signature,
    store: Store | None,
    batch_tokens: int | None,
) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
    """The tables of `score_contexts` over all pieces, and their provenance.

    `signature` is that of the whole evaluation. The index of the table of pairs is that of
    the work's pairs.
    """

    def score(some: Piece, advance: Advance) -> dict[str, pd.DataFrame]:
        return score_contexts(model, settings, *some, batch_tokens, advance)

    def key(some: Piece) -> Signature:
        return piece_signature(signature, some.pairs, some.slots, settings)

    # A run that is killed loses the piece at which it was, so slow ones are small.
    size = AT_ONCE if work.verbs.policy.in_vocabulary else WORDS_AT_ONCE
    pieces = dict(_pieces(work, size))
    scored, made_with = tables_of_pieces(
        signature,
        {name: (some, len(some.contexts)) for name, some in pieces.items()},
        score,
        TABLES[settings.detail],
        title=f"{model.label}: contexts",
        unit="contexts",
        store=store,
        key=key,
    )
    tables = {}
    for name in TABLES[settings.detail]:
        parts = [of_piece[name] for of_piece in scored.values()]
        tables[name] = pd.concat(parts, ignore_index=True)
    # Pieces go construction by construction, and pairs need not.
    tables["pairs"].index = np.concatenate([some.pairs.index for some in pieces.values()])
    return tables, made_with


def _pieces(work: Work, size: int) -> Iterator[tuple[str, Piece]]:
    """Pieces of the contexts of each construction, named after their contents alone."""
    pairs = work.pairs.sort_values("context", kind="stable")
    constructions = work.contexts.groupby("construction", sort=False)
    for construction, rows in constructions.indices.items():
        # The contexts of a construction stand together: its first and last row bound them.
        end_of_construction = rows[-1] + 1
        for number, start in enumerate(range(rows[0], end_of_construction, size)):
            piece = _piece(work, pairs, start, min(start + size, end_of_construction))
            yield f"{safe_name(construction)}-{number:03d}-{_hash_of_contents(piece)}", piece


def _piece(work: Work, pairs: pd.DataFrame, start: int, end: int) -> Piece:
    """The contexts [start, end) of the work, and their pairs among these, sorted by context."""
    first, behind = np.searchsorted(pairs["context"], [start, end])
    # Back in the order of the work, whose index they keep for `scored_tables`.
    some_pairs = pairs.iloc[first:behind].sort_index()
    return Piece(
        contexts=work.contexts.iloc[start:end],
        pairs=some_pairs.assign(context=some_pairs["context"] - start),
        slots=work.slots[start:end],
        verbs_at=work.verbs_at[start:end],
    )


def _hash_of_contents(piece: Piece) -> str:
    """A hash of the texts of a piece, the same whatever data set they are of."""
    columns = [*HASHED, "document"] if "document" in piece.contexts else HASHED
    return data_hash(piece.contexts[columns]) + data_hash(piece.pairs[HASHED_OF_PAIRS])
