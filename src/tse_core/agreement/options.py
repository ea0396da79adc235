"""How an evaluation is made: which verbs count, over which contexts, at which cut-offs, and how much is kept."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from tse_core.datasets.pairs import PROTOCOLS, Protocol
from tse_core.errors import InputError, check_known
from tse_core.metrics.table import PAPER_CUTOFFS, Cutoffs, check_cutoffs

Verbs = Literal["single-token", "all"]
Detail = Literal["contexts", "lemmas", "forms"]
# What signatures call each choice of verbs and of the word's end; "single", the paper's choice, is not written there.
CHOICES: dict[str, tuple[Verbs, bool]] = {
    "single": ("single-token", False),
    "single-end": ("single-token", True),
    "words": ("all", True),
    "words-no-end": ("all", False),
}
TABLES = {
    "contexts": ("contexts", "pairs"),
    "lemmas": ("contexts", "pairs", "lemmas"),
    "forms": ("contexts", "pairs", "lemmas", "forms"),
}  # what each detail keeps
SAMPLE_SIZE = 24  # contexts of a construction where every context takes seconds: 212 of Table 2's nine rows


@dataclass(frozen=True)
class Options:
    """The choices of `evaluate`, which explains them. Raises InputError for one that does not exist."""

    cutoffs: Cutoffs = PAPER_CUTOFFS
    protocol: Protocol = "exact"
    detail: Detail = "contexts"
    verbs: Verbs = "single-token"
    word_end: bool | None = None
    sample: int | Literal["all"] | None = None
    seed: int = 0

    def __post_init__(self):
        check_known("protocol", self.protocol, PROTOCOLS)
        check_known("detail", self.detail, TABLES)
        check_known("choice of verbs", self.verbs, get_args(Verbs))
        check_cutoffs(self.cutoffs)
        if self.protocol == "released" and self.forms != "single":
            raise InputError("the released code counts single tokens only; whole words go with protocol 'exact'")
        size = self.contexts
        if size != "all" and (not isinstance(size, int | np.integer) or size is True or size < 1):
            raise InputError(f"sample is {size!r}; it must be a number of contexts of each construction, or 'all'")

    @property
    def forms(self) -> str:
        """What signatures call the verbs and their ends. By default the end counts where verbs of all lengths do."""
        chosen = self.verbs, self.verbs == "all" if self.word_end is None else bool(self.word_end)
        return next(name for name, choice in CHOICES.items() if choice == chosen)

    @property
    def contexts(self) -> int | Literal["all"]:
        """How many contexts of each construction are scored."""
        if self.sample is not None:
            return self.sample
        return "all" if self.forms == "single" else SAMPLE_SIZE
