"""Work done piece by piece: what the store holds is taken from there, the rest is scored."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tqdm import tqdm

from tse_core.progress import progress
from tse_core.results.signature import Signature, joined_provenance
from tse_core.results.store import Store, Tables


def tables_of_pieces(
    signature: Signature,
    pieces: Mapping[str, tuple[Any, int]],
    score: Callable[[Any, Callable[[float], None]], Tables],
    tables: Sequence[str],
    *,
    store: Store | None,
    title: str,
    unit: str,
    probe: Callable[[], Sequence[float]] = tuple,
    key: Callable[[Any], Signature] | None = None,
) -> tuple[dict[str, Tables], dict[str, str]]:
    """Do all work that is not in the store yet, piece by piece, with a progress bar.

    Returns the tables of each piece, by its name, and the joined provenance of all, whether they
    are from the store or scored now. Raises what scoring raises; earlier pieces are in the store
    by then.

    Parameters
    ----------
    signature : what all pieces share: the model and every policy that changes their scores
    pieces : the contents of each piece (what is scored at once) and its size in `unit`, by its name
        The name stands for the contents, so that a piece serves every run that contains it.
    score : a function from the contents of a piece to its `tables`
        It also takes a function, to be called with the share of the piece that was just scored.
    tables : the names of the tables of a piece
    store : where finished pieces are; None to score all of them
    title, unit : of the progress bar
    probe : `SurprisalModel.probe`, whose scores are kept with each piece
    key : a function from the contents of a piece to the signature under which the store has it
        By default that of all pieces.
    """
    # A probe may cost seconds: only where something is kept.
    probe_scores = list(probe()) if store else []
    results: dict[str, Tables] = {}
    provenances = []
    total = sum(size for _, size in pieces.values())
    finished_size = 0
    with progress(total, title, unit=unit) as bar:
        for name, (contents, size) in pieces.items():
            stored = None
            if store:
                # Worked out only where it is needed: it may read the piece's texts.
                own_signature = key(contents) if key else signature
                stored = store.get(own_signature, name, tables, probe_scores)
            if stored is not None:
                results[name], provenance = stored
            else:
                results[name] = score(contents, _advance_by(size, bar))
                provenance = signature.provenance
                if store:
                    store.put(own_signature, name, results[name], probe_scores)
            provenances.append(provenance)
            finished_size += size
            # To the end of the piece, however much of it was reported.
            bar.update(finished_size - bar.n)
    return results, joined_provenance(provenances or [signature.provenance])


def _advance_by(size: int, bar: tqdm) -> Callable[[float], None]:
    """A function that moves a bar on by a share of a piece of this size."""
    return lambda share: bar.update(share * size)
