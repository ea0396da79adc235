"""The cases that a claim stands for where published tables give them: `each: table2` in data/claims.yaml is 120 cells.

A case is a dict of ledger fields: model (the name in results), construction, metric, published (what the paper
prints or its authors released; not our own counts), and what else the claim's text or its check needs.
"""

import pandas as pd

from tse_book import published
from tse_core.errors import check_known

_BOUNDS = {"under": "below", "over": "above"}  # in the table of quoted values -> settings of a claim


def cases(claim: dict) -> list[dict]:
    """The cases of a claim: those that stand with it, those of the name that stands there, or the claim alone."""
    each = claim.get("each", [{}])
    if not isinstance(each, str):
        return each
    check_known("set of cases", each, _CASES, " (data/claims.yaml)")
    return _CASES[each]()


def _cases_of(table: pd.DataFrame, value: str, **fields) -> list[dict]:
    """A case for each row, with the published value; every other field is a column, or alike in all of them."""
    return table.assign(published=table[value], **fields)[[*fields, "published"]].to_dict("records")


def _table2() -> list[dict]:
    table = published.table2()
    return _cases_of(table, "score", model=table["hf_name"], construction=table["construction"], metric=table["metric"])


def _quoted() -> list[dict]:
    table = published.quoted_values().query("where == 's4/Fig1'")
    found = _cases_of(
        table, "value", model=table["model"].map(published.MODELS), construction=table["construction"],
        metric=table["metric"], side=table["side"], percent=table["p_percent"].map("{:g}".format),
        cutoff=table["p_percent"] / 100, kind=table["kind"].replace("eq", ""),
    )  # fmt: skip
    return [case | ({_BOUNDS[case["kind"]]: case["published"]} if case["kind"] else {}) for case in found]


def _table3() -> list[dict]:
    table = published.table3()
    metric = "P(" + table["subword"] + ")"
    return _cases_of(table, "probability", model=table["hf_name"], construction=table["sentence"], metric=metric)


def _surprisals() -> list[dict]:
    """The words and surprisals that Figure 5b prints of its sentence; the first word's is zero by convention."""
    shown = published.syntaxgym_figure5().set_index("step").loc["get the surprisal of every token", "printed"]
    table = pd.DataFrame([part.split() for part in shown.split(", ") if " " in part], columns=["word", "bits"])
    metric = "surprisal of " + table["word"]
    table["bits"] = table["bits"].astype(float)
    return _cases_of(table, "bits", model="transfo-xl-wt103", construction="This is a sentence.", metric=metric)


def _blimp_gpt2() -> list[dict]:
    table = published.blimp_table3().query("source == 'recomputed' and model == 'GPT-2'")
    return _cases_of(table, "accuracy", model="gpt2-large", construction=table["phenomenon"], metric="accuracy")


def _slopes() -> list[dict]:
    table = published.blimp_slopes()
    return _cases_of(
        table, "slope", model=table["model"], construction=table["phenomenon"], metric="slope per doubling"
    )


def _circuits() -> list[dict]:
    names = {"gpt-2-pretrained": "gpt2", "gpt-2-xl-pretrained": "gpt2-xl"}
    table = published.hu2020_circuits().query("model in @names")
    model = table["model"].map(names)
    return _cases_of(table, "accuracy", model=model, construction=table["circuit"], metric="accuracy")


_CASES = {
    "table2": _table2,
    "models": lambda: [{"model": model} for model in published.MODELS.values()],
    "lemma-counts": lambda: [{"model": m, "published": n} for m, n in published.lemmas_in_vocabulary().items()],
    "quoted": _quoted,
    "table3": _table3,
    "surprisals": _surprisals,
    "blimp-gpt2": _blimp_gpt2,
    "slopes": _slopes,
    "circuits": _circuits,
}
