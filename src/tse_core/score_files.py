"""Scores in files: what `save` wrote, whatever was scored."""

from pathlib import Path
from typing import TypeAlias

from tse_core.agreement.evaluation import Evaluation
from tse_core.errors import check_known, parsing
from tse_core.results.saved import read_saved
from tse_core.sentences.evaluate import PairScores
from tse_core.syntaxgym.outcomes import Outcome

Scores: TypeAlias = Evaluation | PairScores | Outcome
CLASSES: dict[str, type[Scores]] = {
    "agreement": Evaluation,
    "pairs": PairScores,
    "suites": Outcome,
}


def load_scores(path: str | Path) -> Scores:
    """The scores in a file that their method `save` wrote: an `Evaluation` again, or its like.

    Raises InputError: the file is missing or damaged; of another kind, with what reads it.
    """
    saved = read_saved(path)
    check_known(f"kind of scores in {path}", saved.kind, CLASSES)
    with parsing(f"{path}: its tables are not those of scores"):
        return CLASSES[saved.kind].of_saved(saved)
