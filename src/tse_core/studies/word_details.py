"""What a recorded run says of whole words: Table 2 by single entries and by whole words, in the same contexts.

data/recorded/MODEL/words.parquet       results (`tse_core.results.TIDY_COLUMNS`) by each of the forms' policies
data/recorded/MODEL/verbs.parquet       forms, construction, lemma: in how many contexts it agrees, its tokens
"""

from collections.abc import Callable, Iterable
from functools import cache

import pandas as pd

from tse_core.agreement import FORMS_POLICIES, Evaluation, evaluate
from tse_core.models import LanguageModel
from tse_core.results import Store
from tse_core.studies.details import COLUMNS, Detail

WORDS = "words"  # what `tse record --part` calls them


def words_for(
    model: LanguageModel, lemmas: str, data: Iterable[str], store: Store | None = None, sample: int | None = None
) -> dict[str, Callable[[], Detail]]:
    """Both tables of a recorded run, as `record_details` takes them.

    Parameters
    ----------
    sample : contexts of each construction; by default what `evaluate` takes for whole words on the model's device
    """
    names = tuple(data)

    @cache
    def evaluations() -> dict[str, Evaluation]:
        found = {}
        for name in names:
            asked = {"sample": sample, "keep": "lemmas", "store": store}
            for forms in reversed(FORMS_POLICIES):  # whole words first: single entries are scored in their sample
                run = evaluate(model, name, lemmas, forms=forms, **asked)
                found[f"{run.signature.policy.get('forms', 'single')} {name}"] = run
                drawn = run.signature.policy.get("sample", "all")
                asked["sample"] = drawn if drawn == "all" else int(drawn.partition("@")[0])
        return found

    return {
        "words": lambda: words_detail(evaluations()),
        "verbs": lambda: verbs_detail(model, evaluations()),
    }


def words_detail(found: dict[str, Evaluation]) -> Detail:
    """Every number of the evaluations."""
    table = pd.concat([run.tidy() for run in found.values()], ignore_index=True)
    return Detail(table[COLUMNS["words"]], {name: run.signature for name, run in found.items()})


def verbs_detail(model: LanguageModel, found: dict[str, Evaluation]) -> Detail:
    """Of each lemma in each construction: in how many contexts the form that agrees is the likelier one, the mean
    probability of each form, and how many tokens it has."""
    tables = []
    for name, run in found.items():
        sums = run.by_lemma.assign(
            **{f"probability_{form}": run.by_lemma[f"probability_{form}"] * run.by_lemma["contexts"]
               for form in ("correct", "wrong")}
        )  # fmt: skip
        columns = ["contexts", "correct", "probability_correct", "probability_wrong"]
        table = sums.groupby(["construction", "lemma"], sort=False)[columns].sum().reset_index()
        for form in ("correct", "wrong"):
            table[f"probability_{form}"] = (table[f"probability_{form}"] / table["contexts"]).astype("float32")
        forms = run.lemmas[["lemma", "singular", "plural"]]
        for number in ("singular", "plural"):
            spelled = model.spellings(forms[number].tolist())
            forms = forms.assign(**{f"tokens_{number}": [len(ids) for ids in spelled]})
        tables.append(table.merge(forms, on="lemma").assign(forms=name.split()[0]))
    table = pd.concat(tables, ignore_index=True)[COLUMNS["verbs"]]
    small = dict.fromkeys(("tokens_singular", "tokens_plural", "contexts", "correct"), "int16")
    return Detail(table.astype(small), {name: run.signature for name, run in found.items()})
