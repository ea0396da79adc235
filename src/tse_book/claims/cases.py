"""The cases that a claim stands for where published tables give them: `each: table2` in data/claims.yaml is 120 cells.

A case is a dict of ledger fields: model (the name in results), construction, metric, published (what the paper
prints or its authors released; not our own counts), and what else the claim's text or its check needs.
"""

import pandas as pd

from tse_book import published
from tse_core.errors import check_known

_BOUNDS = {"eq": "", "under": "under", "over": "over"}


def cases(claim: dict) -> list[dict]:
    """The cases of a claim: those that stand with it, those of the name that stands there, or the claim alone."""
    each = claim.get("each", [{}])
    if not isinstance(each, str):
        return each
    check_known("set of cases", each, _CASES, " (data/claims.yaml)")
    return _CASES[each]()


def _cases_of(model, construction, metric, value, **further) -> list[dict]:
    """A case for each row; a field is a column, or alike in all of them."""
    fields = {"model": model, "construction": construction, "metric": metric, "published": value}
    return pd.DataFrame(fields | further).to_dict("records")


def _table2() -> list[dict]:
    table = published.table2()
    return _cases_of(table["hf_name"], table["construction"], table["metric"], table["score"])


def _models() -> list[dict]:
    return [{"model": model} for model in published.MODELS.values()]


def _lemma_counts() -> list[dict]:
    return [{"model": model, "published": count} for model, count in published.lemmas_in_vocabulary().items()]


def _quoted() -> list[dict]:
    table = published.quoted_values().query("where == 's4/Fig1'")
    return _cases_of(
        table["model"].map(published.MODELS), table["construction"], table["metric"], table["value"],
        side=table["side"], percent=table["p_percent"].map("{:g}".format), cutoff=table["p_percent"] / 100,
        kind=table["kind"].map(_BOUNDS),
    )  # fmt: skip


def _table3() -> list[dict]:
    table = published.table3()
    return _cases_of(table["hf_name"], table["sentence"], "P(" + table["subword"] + ")", table["probability"])


def _surprisals() -> list[dict]:
    """The words and surprisals that Figure 5b prints of its sentence; the first word's is zero by convention."""
    shown = published.syntaxgym_figure5().set_index("step").loc["get the surprisal of every token", "printed"]
    words = [part.split() for part in shown.split(", ") if " " in part]
    metrics, values = [f"surprisal of {word}" for word, _ in words], [float(value) for _, value in words]
    return _cases_of("transfo-xl-wt103", "This is a sentence.", metrics, values)


def _blimp_gpt2() -> list[dict]:
    table = published.blimp_table3().query("source == 'recomputed' and model == 'GPT-2'")
    return _cases_of("gpt2-large", table["phenomenon"], "accuracy", table["accuracy"])


def _slopes() -> list[dict]:
    table = published.blimp_slopes()
    return _cases_of(table["model"], table["phenomenon"], "slope per doubling", table["slope"])


def _circuits() -> list[dict]:
    names = {"gpt-2-pretrained": "gpt2", "gpt-2-xl-pretrained": "gpt2-xl"}
    table = published.hu2020_circuits().query("model in @names")
    return _cases_of(table["model"].map(names), table["circuit"], "accuracy", table["accuracy"])


_CASES = {
    "table2": _table2,
    "models": _models,
    "lemma-counts": _lemma_counts,
    "quoted": _quoted,
    "table3": _table3,
    "surprisals": _surprisals,
    "blimp-gpt2": _blimp_gpt2,
    "slopes": _slopes,
    "circuits": _circuits,
}
