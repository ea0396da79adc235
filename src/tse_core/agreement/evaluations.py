"""Several models on the same agreement pairs: the tables of one evaluation, with a column that names the model."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from tse_core.agreement.comparison import compare_evaluations, compare_metrics, shared_lemmas
from tse_core.agreement.divisions import divisions
from tse_core.agreement.evaluate import Prepared, prepare
from tse_core.agreement.evaluation import Evaluation
from tse_core.agreement.options import Options
from tse_core.agreement.recorded import must_be_fetched, recorded_evaluation
from tse_core.datasets.lemmas import Lemmas, load_lemmas
from tse_core.datasets.names import load_pairs, usual_list
from tse_core.errors import InputError
from tse_core.models.coerce import as_language_model
from tse_core.results.store import Store


@dataclass(frozen=True)
class Evaluations:
    """The evaluations of several models, each on one data set or more.

    Its tables are those of each `Evaluation`, which take the same arguments, one under the other.

    Attributes
    ----------
    runs : list of (name of the model, Evaluation)
        Model by model, each on the data in the order given.
    recorded : tuple of str
        Models that were not run here: their evaluations are recorded ones.
    """

    runs: list[tuple[str, Evaluation]]
    recorded: tuple[str, ...] = ()

    @property
    def models(self) -> list[str]:
        """The models' names, in order."""
        return list(dict.fromkeys(model for model, _ in self.runs))

    def __getitem__(self, model: str) -> Evaluation:
        """The evaluation of a model, the first where there is more than one data set."""
        return self._of(model)[0]

    def table(self, *by, **how) -> pd.DataFrame:
        """`Evaluation.table` of every model."""
        return self._joined(lambda found: found.table(*by, **how))

    def intervals(self, *over, **how) -> pd.DataFrame:
        """`Evaluation.intervals` of every model."""
        return self._joined(lambda found: found.intervals(*over, **how))

    def curves(self, **how) -> pd.DataFrame:
        """`Evaluation.curves` of every model."""
        return self._joined(lambda found: found.curves(**how))

    def compare(self, first: str, second: str, *, over: Sequence[str] = ("subjects",)) -> pd.DataFrame:
        """`tse_core.agreement.comparison.compare_metrics` of every model; its p-values are corrected model by model."""
        return self._joined(lambda found: compare_metrics(found, first, second, over=over))

    def compare_models(self, first: str, second: str) -> pd.DataFrame:
        """Two models as paired differences of every metric; see `tse_core.agreement.comparison.compare_evaluations`.

        Models of different vocabularies can be compared if they were evaluated with ``shared=True``.
        """
        both = zip(self._of(first), self._of(second), strict=True)
        return pd.concat([compare_evaluations(one, other) for one, other in both], ignore_index=True)

    def tidy(self) -> pd.DataFrame:
        """Every number with its signature, as in result files."""
        return pd.concat([found.tidy() for _, found in self.runs], ignore_index=True)

    def _of(self, model: str) -> list[Evaluation]:
        if model not in self.models:
            raise InputError(f"no model {model!r} was evaluated; there is: {', '.join(self.models)}")
        return [found for name, found in self.runs if name == model]

    def _joined(self, table_of: Callable[[Evaluation], pd.DataFrame]) -> pd.DataFrame:
        tables = [table_of(found).assign(model=model) for model, found in self.runs]
        joined = pd.concat(tables, ignore_index=True)
        return joined[["model", *joined.columns.drop("model")]]


def evaluate_models(
    models: Iterable | Mapping[str, Any],
    pairs: pd.DataFrame | str | Path | Sequence,
    lemmas: Lemmas | pd.DataFrame | str | Path | None = None,
    *,
    shared: bool = False,
    by: str | Sequence[str] = "construction",
    store: Store | str | Path | None = "default",
    batch_tokens: int | None = None,
    **how: Any,
) -> Evaluations:
    """Evaluate several models on the same pairs, with one network in memory at a time.

    A model of the package index that would have to be fetched first is not run where its evaluation in exactly this way
    is recorded in the project: that one is read, and `Evaluations.recorded` says so. ``load_model`` fetches it.

    Parameters
    ----------
    models : names, folders or LanguageModels, or a mapping from the name in tables to one of these
        A LanguageModel that the caller opened stays in memory as long as the caller keeps it, and is always run.
    pairs : agreement pairs, or what `load_pairs` takes; or a list of these, each evaluated by itself
    lemmas : as in `evaluate`
    shared : whether only lemmas count that count for every model, so that EW and MW answer the same questions
    by : the cells that `Evaluations.table` will be asked for, checked here, before the first model is run
    store, batch_tokens, further arguments : as in `evaluate`

    Raises
    ------
    InputError : what `evaluate` raises, for all models before the first is run; two models of one name; no model.
    """
    prepared = _prepared(models, pairs, lemmas, shared, Options(**how))
    recorded = tuple(dict.fromkeys(name for name, asked in prepared if isinstance(asked, Evaluation)))
    for _, asked in prepared:
        divisions(by, asked.contexts, asked.lemmas)
    del asked  # from here on only the list holds a network, and each is forgotten once it was asked
    runs = []
    while prepared:
        name, asked = prepared.pop(0)
        runs.append((name, asked if isinstance(asked, Evaluation) else asked.evaluation(store, batch_tokens)))
        del asked
    return Evaluations(runs, recorded)


def _prepared(models, pairs, lemmas, shared: bool, options: Options) -> list[tuple[str, Prepared | Evaluation]]:
    """Each model's name with what it is asked, or what is recorded of it, model by model."""
    if isinstance(models, str | Path) or not models:
        raise InputError(f"models is {models!r}; give a list of at least one model")
    tables = [load_pairs(each) for each in ([pairs] if isinstance(pairs, str | Path | pd.DataFrame) else pairs)]
    usual = [usual_list(options.protocol, table.attrs.get("name", "")) for table in tables]
    lists = [load_lemmas(name if lemmas is None else lemmas) for name in usual]
    opened: dict[str, Any] = {}  # models, or lists of recorded evaluations
    for name, model in models.items() if isinstance(models, Mapping) else ((None, model) for model in models):
        found: Any = [None]
        if not shared and must_be_fetched(model):
            found = [recorded_evaluation(model, *each, options) for each in zip(tables, lists, strict=True)]
        if None in found:
            found = as_language_model(model)
        name = str(name or getattr(found, "label", model))
        if name in opened:
            raise InputError(f"two models are called {name!r}; give a mapping from a name of your own to each")
        opened[name] = found
    if shared:
        lists = [shared_lemmas(opened.values(), each, verbs=options.verbs, word_end=options.word_end) for each in lists]
    asked: list[tuple[str, Prepared | Evaluation]] = []
    for name, found in opened.items():
        if not isinstance(found, list):
            found = [prepare(found, *each, options) for each in zip(tables, lists, strict=True)]
        asked += [(name, each) for each in found]
    return asked
