"""Suites in a few words, as the files of SyntaxGym hold them."""


def suite_data(
    items: list[dict[str, list[str]]],
    *formulas: str,
    name: str = "tiny",
    metric: str = "sum",
    regions: list[str] | None = None,
    **meta: str,
) -> dict:
    """A suite of items, each of which gives its conditions by name: what stands in each region."""
    count = len(next(iter(items[0].values())))

    def condition(name, texts):
        regions = [{"region_number": i, "content": text} for i, text in enumerate(texts, 1)]
        return {"condition_name": name, "regions": regions}

    return {
        "meta": {"name": name, "metric": metric, **meta},
        "region_meta": {
            str(i): text
            for i, text in enumerate(regions or [f"r{i}" for i in range(1, count + 1)], 1)
        },
        "predictions": [{"type": "formula", "formula": formula} for formula in formulas],
        "items": [
            {"item_number": number, "conditions": [condition(*one) for one in item.items()]}
            for number, item in enumerate(items, 1)
        ],
    }
