"""The cases that a claim stands for where published tables give them: `each: table2` in data/claims.yaml is 120 cells.

A case is a dict of ledger fields: model (the name in results), construction, metric, published (what the paper
prints or its authors released; not our own counts), and what else the claim's text or its check needs.
"""

import pandas as pd

from tse_book import published
from tse_core.errors import InputError


def cases(claim: dict) -> list[dict]:
    """The cases of a claim: its own list, the set of cases that it names, or the claim alone."""
    variants = claim.get("each", [{}])
    if isinstance(variants, str):
        return _named(variants)
    return variants


def _named(name: str) -> list[dict]:
    """The cases that go by a name in data/claims.yaml."""
    match name:
        case "models":
            return [{"model": model} for model in published.MODELS.values()]
        case "lemma-counts":
            return [
                {"model": model, "published": n}
                for model, n in published.lemmas_in_vocabulary().items()
            ]
        case "table2":
            table = published.table2()
            return _rows(
                table, "score", model="hf_name", construction="construction", metric="metric"
            )
        case "table3":
            table = published.table3().assign(metric=lambda table: "P(" + table["subword"] + ")")
            return _rows(
                table, "probability", model="hf_name", construction="sentence", metric="metric"
            )
        case "quoted":
            table = (
                published.quoted_values().query("where == 's4/Fig1'").replace({"kind": {"eq": ""}})
            )
            table = table.assign(
                model=table["model"].map(published.MODELS),
                percent=table["p_percent"].map("{:g}".format),
                cutoff=table["p_percent"] / 100,
            )
            names = ("model", "construction", "metric", "side", "percent", "cutoff", "kind")
            quoted = _rows(table, "value", **{name: name for name in names})
            bounds = {"under": "below", "over": "above"}  # as the settings of a claim say it
            for case in quoted:
                if case["kind"]:
                    case[bounds[case["kind"]]] = case["published"]
            return quoted
        case "surprisals":  # of Figure 5b; the first word's is zero by convention
            steps = published.syntaxgym_figure5().set_index("step")
            text = steps.loc["get the surprisal of every token", "printed"]
            sentence = {"model": "transfo-xl-wt103", "construction": "This is a sentence."}
            surprisals = []
            for part in text.split(", "):
                if " " in part:
                    word, bits = part.split()
                    numbers = {"metric": f"surprisal of {word}", "published": float(bits)}
                    surprisals.append(sentence | numbers)
            return surprisals
        case "blimp-gpt2":
            table = published.blimp_table3().query("source == 'recomputed' and model == 'GPT-2'")
            table = table.assign(model="gpt2-large", metric="accuracy")
            return _rows(
                table, "accuracy", model="model", construction="phenomenon", metric="metric"
            )
        case "slopes":
            table = published.blimp_slopes().assign(metric="slope per doubling")
            return _rows(table, "slope", model="model", construction="phenomenon", metric="metric")
        case "circuits":
            models = {"gpt-2-pretrained": "gpt2", "gpt-2-xl-pretrained": "gpt2-xl"}
            table = published.hu2020_circuits().query("model in @models").replace({"model": models})
            table = table.assign(metric="accuracy")
            return _rows(table, "accuracy", model="model", construction="circuit", metric="metric")
    raise InputError(f"data/claims.yaml: {name!r} names no set of cases")


def _rows(table: pd.DataFrame, value: str, **columns: str) -> list[dict]:
    """A case for each row: its fields from these columns, the published value from another."""
    fields = table[[*columns.values(), value]].set_axis([*columns, "published"], axis=1)
    return fields.to_dict("records")
