"""The cases a claim stands for: `each: table2` in data/claims.yaml is 120 cells, `each: models` four models.

A case is a dict of ledger fields: model (the name results carry), construction, metric, published (what the paper
prints or its authors released; no count of ours), and what the claim's text or its check needs besides.
"""

from tse_book.published import (
    MODELS,
    blimp_slopes,
    blimp_table3,
    hu2020_circuits,
    lemmas_in_vocabulary,
    quoted_values,
    syntaxgym_figure5,
    table2,
    table3,
)
from tse_core.errors import unknown

# Table 3: the verbs the text says are conjugated correctly, as singular/plural.
VERBS = {
    "The senators that the skater [mask] are young.": ("meets/meet", "encounters/encounter", "sees/see", "faces/face"),
    "The pilots that the executive [mask] are tall.": (
        "pilots/pilot", "controls/control", "employs/employ", "trains/train", "uses/use", "includes/include",
        "has/have", "orders/order", "commands/command", "features/feature",
    ),
}  # fmt: skip
_BOUNDS = {"eq": "", "under": "under", "over": "over"}


def cases(name: str) -> list[dict]:
    """The cases by name."""
    if name not in _CASES:
        raise unknown("set of cases", name, _CASES, " (data/claims.yaml)")
    return _CASES[name]()


def _table2() -> list[dict]:
    table = table2().rename(columns={"row": "construction", "value": "published"})
    return table.assign(model=table["hf_name"])[["model", "construction", "metric", "published"]].to_dict("records")


def _models(masked: bool = False) -> list[dict]:
    return [{"model": model} for model in MODELS.values() if not (masked and model == "gpt2-xl")]


def _lemma_counts() -> list[dict]:
    return [{"model": model, "published": count} for model, count in lemmas_in_vocabulary().items()]


def _quoted() -> list[dict]:
    table = quoted_values()
    table = table[table["where"] == "s4/Fig1"]
    return [
        {
            "model": MODELS[row.model],
            "construction": row.construction,
            "metric": row.metric,
            "side": row.side,
            "percent": f"{row.p_percent:g}",
            "cutoff": row.p_percent / 100,
            "kind": _BOUNDS[row.kind],
            "published": row.value,
        }
        for row in table.itertuples()
    ]


def _table3() -> list[dict]:
    table = table3()
    return [
        {
            "model": row.hf_name,
            "construction": row.sentence,
            "metric": f"P({row.subword})",
            "published": row.probability,
        }
        for row in table.itertuples()
    ]


def _table3_sentences() -> list[dict]:
    return [
        {"model": "bert-large-cased", "construction": sentence, "metric": "top-10 overlap", "expected": 1.0}
        for sentence in VERBS
    ]


def _table3_verbs() -> list[dict]:
    return [{"model": "bert-large-cased", "construction": sentence} for sentence in VERBS]


def _surprisals() -> list[dict]:
    """What Figure 5b prints of its sentence: a word and its surprisal, the first word's being zero by convention."""
    shown = syntaxgym_figure5().set_index("step").loc["get the surprisal of every token", "printed"]
    words = [part.split() for part in shown.split(", ") if " " in part]
    return [
        {
            "model": "transfo-xl-wt103",
            "construction": "This is a sentence.",
            "metric": f"surprisal of {word}",
            "published": float(value),
        }
        for word, value in words
    ]


def _blimp_gpt2() -> list[dict]:
    table = blimp_table3()
    table = table[(table["source"] == "recomputed") & (table["model"] == "GPT-2")]
    return [
        {"model": "gpt2-large", "construction": row.phenomenon, "metric": "accuracy", "published": row.accuracy}
        for row in table.itertuples()
    ]


def _effects(printed: dict[tuple[str, ...], tuple[str, float, float, float]]) -> list[dict]:
    """One case per printed number: its models, how the text puts it, the number, and the range that agrees with it."""
    return [
        {
            "models": models,
            "model": models[0] if len(models) == 1 else None,
            "named": " and ".join(", ".join(map(_named, models)).rsplit(", ", 1)),
            "kind": kind,
            "published": value,
            "low": low,
            "high": high,
        }
        for models, (kind, value, low, high) in printed.items()
    ]


def _irregulars() -> list[dict]:
    """A bound that the paper prints, and a number, around which the half point is ours."""
    bound, number = _effects(
        {("GPT-2", "Transformer-XL"): ("under", 0.013, -1.0, 0.013), ("LSTM",): ("", 0.052, 0.047, 0.057)}
    )
    return [bound, number | {"otherwise": [{"wider": 0.005, "words": "within a point"}]}]


def _named(model: str) -> str:
    """BLiMP's GPT-2 is the large one; the n-gram model is one of five words."""
    return {"GPT-2": "GPT-2 (large)", "5-gram": "the 5-gram model"}.get(model, model)


def _slopes() -> list[dict]:
    return [
        {"model": row.model, "construction": row.phenomenon, "metric": "slope per doubling", "published": row.slope}
        for row in blimp_slopes().itertuples()
    ]


def _circuits() -> list[dict]:
    names = {"gpt-2-pretrained": "gpt2", "gpt-2-xl-pretrained": "gpt2-xl"}
    table = hu2020_circuits()
    return [
        {"model": names[row.model], "construction": row.circuit, "metric": "accuracy", "published": row.accuracy}
        for row in table[table["model"].isin(names)].itertuples()
    ]


_CASES = {
    "table2": _table2,
    "models": _models,
    "lemma-counts": _lemma_counts,
    "masked-models": lambda: _models(masked=True),
    "quoted": _quoted,
    "simple-gpt2": lambda: [
        {"model": "gpt2-xl", "construction": "Simple", "metric": metric} for metric in ("EW", "MW")
    ],
    "table3": _table3,
    "table3-sentences": _table3_sentences,
    "table3-verbs": _table3_verbs,
    "surprisals": _surprisals,
    "blimp-gpt2": _blimp_gpt2,
    "adjective": lambda: _effects(
        {
            ("5-gram",): ("", 0.35, 0.345, 0.355),
            ("LSTM", "Transformer-XL", "GPT-2"): ("between 0.03 and", 0.05, 0.025, 0.055),
        }
    ),
    "attractors": lambda: _effects(
        {
            ("LSTM",): ("", 0.20, 0.19, 0.21),
            ("GPT-2",): ("", 0.22, 0.21, 0.23),
            ("Transformer-XL",): ("", 0.05, 0.04, 0.06),
        }
    ),
    "irregulars": _irregulars,
    "slopes": _slopes,
    "gpt2-sizes": lambda: [{"model": model} for model in ("gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl")],
    "circuits": _circuits,
}
