"""Signatures of an evaluation and of its pieces: which policies made their numbers.

`evaluation_signature` stands beside the numbers. `piece_signature` is a piece's key in the store,
and says only what the piece's own numbers depend on, so that other data with the same piece is
served by it.
"""

from collections.abc import Sequence

import pandas as pd

from tse_core.agreement.questions import Question, Work
from tse_core.agreement.settings import Settings
from tse_core.datasets.formats.conllu.sentences import DOCUMENTS
from tse_core.datasets.lemmas import Lemmas
from tse_core.datasets.treebank_pairs import is_of_treebank
from tse_core.metrics.definitions import PROJECT_METRICS, metrics_of_sums
from tse_core.models.language_model import LanguageModel
from tse_core.models.slots import Prompt, slot_policy
from tse_core.results.signature import Signature, signature_of


def evaluation_signature(model: LanguageModel, question: Question, work: Work) -> Signature:
    """How the numbers of an evaluation are made; it reads the model's weights."""
    lemmas, verbs, settings = question.lemmas, work.verbs, question.settings
    # Policies that most runs lack are written only where they hold, so that other signatures stay.
    of_run = slot_policy(work.slots)
    # In place, the lemmas that count depend on all slots of the data.
    if work.slots[0].gap is not None:
        of_run["spelling"] = f"in-place@{Lemmas('', verbs.lemmas).hash}"
    if not verbs.policy.in_vocabulary:
        of_run |= {"forms": str(verbs.policy), "cut": "list"}
    if settings.sample_size != "all":
        of_run["sample"] = f"{settings.sample_size}@{settings.seed}"
    if is_of_treebank(work.pairs.columns):
        of_run["cluster"] = question.origin.facts.get("clusters", DOCUMENTS)
    # In their order: the list, the model's policies, those of the run, the protocol, the rest.
    return signature_of(
        model,
        question.data,
        settings.protocol,
        before={"lemmas": f"{lemmas.name}@{lemmas.hash}({len(verbs.lemmas)})"},
        behind=of_run | _text_policies(work.pairs["left"], work.pairs["right"]),
        after={"dtype": model.policies()["dtype"], "ties": "wrong"},
    )


def piece_signature(
    signature: Signature, pairs: pd.DataFrame, slots: Sequence[Prompt], settings: Settings
) -> Signature:
    """The signature of a piece with these pairs and slots, from that of the whole evaluation.

    It has the model, the policies and the cut-offs. How sentences begin and end, and how slots are
    read, is what holds for the piece, whatever other pieces there are. A run that kept more detail
    has more tables of a piece, and serves one that asks for less.
    """
    # A piece knows of no sample and no interval, and its own slots may be read otherwise.
    of_the_whole = ("sample", "cluster", "slot")
    policy = {name: text for name, text in signature.policy.items() if name not in of_the_whole}
    policy |= slot_policy(slots) | _text_policies(pairs["left"], pairs["right"])
    policy["cutoffs"] = str(tuple(settings.cutoffs))
    # A piece has a row for each metric: one that a program adds makes pieces of their own.
    added_metrics = [name for name in metrics_of_sums() if name not in PROJECT_METRICS]
    if added_metrics:
        policy["metrics"] = ",".join(added_metrics)
    # The name of a piece has the hash of its texts.
    identity = {"model": signature.identity["model"], "data": "any"}
    return Signature(identity, policy, signature.provenance)


def _text_policies(lefts: pd.Series, rights: pd.Series) -> dict[str, str]:
    """How the sentences of pairs begin and end: all with a capital, all with a period, or not."""
    has_capitals = lefts.str[:1].str.isupper().all()
    has_periods = rights.str.endswith(".").all()
    return {
        "caps": "first" if has_capitals else "as-is",
        "period": "add" if has_periods else "as-is",
    }
