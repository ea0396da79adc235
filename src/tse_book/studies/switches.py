"""The effect of each policy on Table 2's scores: each changed alone, everything else at its default."""

from collections.abc import Callable, Iterable

import pandas as pd

from tse_core.agreement.evaluate import evaluate
from tse_core.datasets.lemmas import Lemmas, load_lemmas
from tse_core.datasets.names import load_pairs
from tse_core.models.coerce import load_model
from tse_core.models.language_model import LanguageModel


def policy_switches(name: str, constructions: Iterable[str], lemmas: str = "newman-clean") -> pd.DataFrame:
    """MW, EW and TSE of a model on some constructions ("marvin-linzen/simple"), with one policy after another changed.

    Returns a table: model, switch (what was changed), setting ("default" or "flipped"), construction, metric, score.
    Scores that are undefined under a switch are left out.
    """
    constructions, model = list(constructions), load_model(name)
    default = _scores(model, _pairs(constructions), lemmas)
    found = []
    for switch, change in _changes(name, model, constructions, lemmas).items():
        for setting, part in (("default", default), ("flipped", change())):
            found.append(part.assign(model=model.label, switch=switch, setting=setting))
    return pd.concat(found, ignore_index=True).dropna()


def _changes(name, model: LanguageModel, constructions, lemmas) -> dict[str, Callable[[], pd.DataFrame]]:
    pairs, base = _pairs(constructions), load_lemmas(lemmas).table
    only_verbs = Lemmas(f"{lemmas}-plain", base[(base["homograph"] == "") & ~base["noun"]].reset_index(drop=True))

    def scores(changed=model, of=pairs, verbs=lemmas, **options) -> Callable[[], pd.DataFrame]:
        return lambda: _scores(changed, of, verbs, **options)

    changes = {
        "no capital on the first word": scores(of=_pairs(constructions, capital=False)),
        "no final period": scores(of=_pairs(constructions, period=False)),
        "a space before the first word": scores(model.with_policies(space=True)),
        "verbs: the appendix, junk and all": scores(verbs="newman-appendix"),
        "verbs: the released file": scores(verbs="newman-released"),
        "verbs: none that is also a noun or a past form": scores(verbs=only_verbs),
        "weights in half precision (bfloat16)": scores(load_model(name, dtype="bfloat16")),
        "the released protocol: no BOS token, sums in single precision": scores(protocol="released"),
    }
    if model.kind == "masked":
        return changes
    if model.bos_read != "none":
        changes["BOS token: none"] = scores(model.with_policies(bos="none"))
    own = model.tokenizer.bos_token
    if own and model.bos_read != own:
        changes[f"BOS token: {own}"] = scores(model.with_policies(bos="add"))
    return changes


def _pairs(constructions: list[str], **policy) -> pd.DataFrame:
    pairs = pd.concat([load_pairs(name, **policy) for name in constructions], ignore_index=True)
    pairs.attrs["name"] = "+".join(name.rpartition("/")[2] for name in constructions)
    return pairs


def _scores(model, pairs, lemmas, **options) -> pd.DataFrame:
    table = evaluate(model, pairs, lemmas, **options).table()
    return table.melt("construction", ["MW", "EW", "TSE"], var_name="metric", value_name="score")
