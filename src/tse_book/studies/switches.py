"""The effect of each policy on Table 2's scores: each changed alone, everything else at its default."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from tse_core.agreement.evaluate import evaluate
from tse_core.datasets.lemmas import Lemmas, load_lemmas
from tse_core.datasets.loading import load_pairs
from tse_core.datasets.pairs import Protocol
from tse_core.models.language_model import LanguageModel
from tse_core.models.loading import load_model

NO_BOS = "BOS token: none"
OWN_BOS = "BOS token: the tokenizer's own"
SPACE = "a space before the first word"


def policy_switches(
    name: str, constructions: Iterable[str], lemmas: str = "newman-clean"
) -> pd.DataFrame:
    """MW, EW and TSE of a model on some constructions ("marvin-linzen/simple"), with one policy after another changed.

    Returns a table: model, switch (what was changed), setting ("default" or "changed"), construction, metric, score,
    note. Every model has the same switches. Where one is not for this model, there are only the scores of the default,
    and the note says why; else the note is empty. Scores that are undefined under a switch are left out.
    """
    constructions, model = list(constructions), load_model(name)

    def scores(
        opened=model,
        verbs: str | Lemmas = lemmas,
        protocol: Protocol = "exact",
        policies: Mapping[str, Any] | None = None,
        **wording,
    ) -> pd.DataFrame:
        pairs = pd.concat([load_pairs(one, **wording) for one in constructions], ignore_index=True)
        pairs.attrs["name"] = "+".join(one.rpartition("/")[2] for one in constructions)
        changed = opened.with_policies(**(policies or {}))
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
        SPACE: {"policies": {"space": True}},
        "verbs: the appendix, not cleaned": {"verbs": "newman-appendix"},
        "verbs: the released file": {"verbs": "newman-released"},
        "verbs: never nouns or past forms": {"verbs": only_verbs},
        "half precision (bfloat16)": {"opened": load_model(name, dtype="bfloat16")},
        "the released protocol": {"protocol": "released"},
        NO_BOS: {"policies": {"bos": "none"}},
        OWN_BOS: {"policies": {"bos": "add"}},
    }
    reasons = _reasons_against(model)
    default = scores()
    parts = []
    for switch, change in changes.items():
        note = reasons.get(switch, "")
        tables = {"default": default}
        if not note:
            tables["changed"] = scores(**change)
        for setting, table in tables.items():
            parts.append(table.assign(model=model.label, switch=switch, setting=setting, note=note))
    return pd.concat(parts, ignore_index=True).dropna()


def largest_changes(switches: pd.DataFrame) -> pd.DataFrame:
    """How far each switch moves each metric at most, over the constructions: what `policy_switches` gives, condensed.

    Returns a table: model, change, MW, EW, TSE (largest absolute change); NaN where a switch is not for the model.
    """
    keys = ["model", "switch", "metric"]
    wide = switches.pivot_table("score", [*keys, "construction"], "setting", sort=False)
    wide = wide.reindex(columns=["default", "changed"])
    distance = (wide["changed"] - wide["default"]).abs()
    largest = distance.groupby(keys, sort=False).max().unstack("metric")
    return largest.reset_index().rename(columns={"switch": "change"}).rename_axis(columns=None)


def _reasons_against(model: LanguageModel) -> dict[str, str]:
    """Why some switches are not for this model, a sentence for each of them."""
    reasons = {}
    if model.space:
        reasons[SPACE] = "This model reads that space anyway."
    if model.kind == "masked":
        reasons[NO_BOS] = "Masked models read no BOS token."
        reasons[OWN_BOS] = reasons[NO_BOS]
        return reasons
    if model.bos_read == "none":
        reasons[NO_BOS] = "This model reads no BOS token anyway."
    own = model.tokenizer.bos_token
    if not own:
        reasons[OWN_BOS] = "The tokenizer of this model has none."
    elif own == model.bos_read:
        reasons[OWN_BOS] = "This model reads that token anyway."
    return reasons


def _once(compute: Callable) -> Callable:
    """A function of tensors that is computed once for equal ones."""
    known: dict[tuple, Any] = {}

    def found(*given):
        key = tuple((tensor.shape, tensor.cpu().numpy().tobytes()) for tensor in given)
        if key not in known:
            known[key] = compute(*given)
        return known[key]

    return found
