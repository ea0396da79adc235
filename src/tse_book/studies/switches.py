"""The effect of each policy on Table 2's scores: each changed alone, everything else at its default."""

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from tse_core.agreement.evaluate import evaluate
from tse_core.datasets.lemmas import Lemmas, load_lemmas
from tse_core.datasets.loading import load_pairs
from tse_core.datasets.pairs import Protocol
from tse_core.models.loading import load_model


def policy_switches(
    name: str, constructions: Iterable[str], lemmas: str = "newman-clean"
) -> pd.DataFrame:
    """MW, EW and TSE of a model on some constructions ("marvin-linzen/simple"), with one policy after another changed.

    Returns a table: model, switch (what was changed), setting ("default" or "changed"), construction, metric, score.
    Scores that are undefined under a switch are left out.
    """
    constructions, model = list(constructions), load_model(name)

    def scores(
        changed=model, verbs: str | Lemmas = lemmas, protocol: Protocol = "exact", **wording
    ) -> pd.DataFrame:
        pairs = pd.concat([load_pairs(one, **wording) for one in constructions], ignore_index=True)
        pairs.attrs["name"] = "+".join(one.rpartition("/")[2] for one in constructions)
        table = evaluate(changed, pairs, verbs, protocol=protocol).table()
        return table.melt(
            "construction", ["MW", "EW", "TSE"], var_name="metric", value_name="score"
        )

    # Several switches leave what is read as it is.
    model.network.tree_states = _once(model.network.tree_states)  # type: ignore[method-assign]
    base = load_lemmas(lemmas).table
    only_verbs = Lemmas(
        f"{lemmas}-plain", base[(base["homograph"] == "") & ~base["noun"]].reset_index(drop=True)
    )
    changes: dict[str, dict[str, Any]] = {
        "no capital on the first word": {"first": "as-is"},
        "no final period": {"period": "as-is"},
        "a space before the first word": {"changed": model.with_policies(space=True)},
        "verbs: the appendix, junk and all": {"verbs": "newman-appendix"},
        "verbs: the released file": {"verbs": "newman-released"},
        "verbs: none that is also a noun or a past form": {"verbs": only_verbs},
        "weights in half precision (bfloat16)": {"changed": load_model(name, dtype="bfloat16")},
        "the released protocol: no BOS token, sums in single precision": {"protocol": "released"},
    }
    if model.kind == "causal" and model.bos_read != "none":
        changes["BOS token: none"] = {"changed": model.with_policies(bos="none")}
    own = model.tokenizer.bos_token
    if model.kind == "causal" and own and model.bos_read != own:
        changes[f"BOS token: {own}"] = {"changed": model.with_policies(bos="add")}
    parts, default = [], scores()
    for switch, change in changes.items():
        for setting, table in (("default", default), ("changed", scores(**change))):
            parts.append(table.assign(model=model.label, switch=switch, setting=setting))
    return pd.concat(parts, ignore_index=True).dropna()


def _once(compute: Callable) -> Callable:
    """A function of tensors that is computed once for equal ones."""
    known: dict[tuple, Any] = {}

    def found(*given):
        key = tuple((tensor.shape, tensor.cpu().numpy().tobytes()) for tensor in given)
        if key not in known:
            known[key] = compute(*given)
        return known[key]

    return found
