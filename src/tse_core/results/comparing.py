"""Comparability of numbers: two may be compared if their policies match, apart from any allowed.

`EFFECTS` explains what each difference of policies does to a score.
"""

from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

from tse_core.errors import InputError
from tse_core.results.signature import LEMMAS, MEMORY, Signature

# Policies that come with a model: its user does not choose them.
READING = ("bos", "space", "slot", "quantised")
EFFECTS = {
    "lemmas": "EW and MW are means over the lemmas that count, so other lemmas are other "
    "questions; TSE stays",
    "forms": "single tokens, whole words and whole words without their ends have other "
    "probabilities",
    "cut": "cut-offs are shares of the list's probability, or of that of all words; scores at "
    "100 % do not change",
    "sample": "means are over other contexts; the intervals say how far they may differ by chance",
    "bos": "what stands before the first word changes every probability of a short left context "
    "most",
    "space": "another first token, so other probabilities after it",
    "slot": "the tokens beside a mask are the sentence's, not those beside the text of a mask",
    "caps": "a cased model reads other tokens at the start",
    "period": "a masked model reads other tokens at the end",
    "protocol": "'released' sums probability in float32, so lemmas of the far tail drop out of EW "
    "and MW at 100 %, finds RoBERTa's mask by counting tokens and keeps the first label of an "
    "ambiguous context",
    "dtype": "weights in half precision move log-probabilities by hundredths of a nat; close pairs "
    "flip",
    "revision": "other weights, perhaps",
    "source": "the model's identity and its numbers are as another program reports them, in a "
    "precision of its own",
    "quantised": "weights of few bits change every probability a little",
    "ties": "two equal scores count as wrong or as half",
    "method": "whole sentences, prefixes and pseudo-log-likelihoods are different questions",
    "normalise": "sums of log-probabilities favour short sentences, means per token, character or "
    "byte do not",
    "cluster": "intervals are over other samples; scores are the same",
    "first": "a cased model reads other tokens at the start",
    "unknown": "refused pairs leave the mean",
    "metric": "a region's surprisal is another summary of its tokens'",
    "score": "pseudo-log-likelihoods are not probabilities of sentences",
}
_SAME_LIST = "the same list in two vocabularies: EW and MW compare over the lemmas that both hold"


class Difference(NamedTuple):
    """A policy on which two results differ, and its two values; None: it has no such policy."""

    policy: str
    first: str | None
    second: str | None

    def __str__(self):
        """The policy with both values, and the effect of the difference on scores."""
        effect = EFFECTS.get(self.policy, "the scores were made in another way")
        if self.policy == "lemmas" and self._is_of_one_list():
            effect = _SAME_LIST
        return f"{self.policy}: {self.first or 'none'} against {self.second or 'none'} ({effect})"

    def _is_of_one_list(self) -> bool:
        """Whether the values of "lemmas" are one list, of which other lemmas counted."""
        first = LEMMAS.fullmatch(self.first or "")
        second = LEMMAS.fullmatch(self.second or "")
        if first is None or second is None:
            return False
        return first["hash"] == second["hash"]


def differences(first: Signature | str, second: Signature | str) -> list[Difference]:
    """The policies on which two results differ, with the effect of each on scores.

    Raises InputError for a text that is no signature.
    """
    first_policy = _as_signature(first).policy
    second_policy = _as_signature(second).policy
    different = []
    for name in dict.fromkeys([*first_policy, *second_policy]):
        difference = Difference(name, first_policy.get(name), second_policy.get(name))
        if difference.first != difference.second:
            different.append(difference)
    return different


def comparable(
    first: Signature | str, second: Signature | str, *, allow: Iterable[str] = ()
) -> bool:
    """Whether two results have the same policies, except those named in `allow`."""
    return all(difference.policy in allow for difference in differences(first, second))


def require_comparable(signatures: Iterable[Signature | str], *, allow: Iterable[str] = ()) -> None:
    """Raise InputError, naming the policies that differ, unless all results have the same ones.

    Call this before you average, rank or plot results from several runs; ``allow=READING`` lets
    models of different kinds be compared.
    """
    distinct = dict.fromkeys(_as_signature(signature) for signature in signatures)
    for first, second in combinations(distinct, 2):
        all_differences = differences(first, second)
        refused = [difference for difference in all_differences if difference.policy not in allow]
        if refused:
            names = f"{first.identity['model']} and {second.identity['model']}"
            policies = "; ".join(map(str, refused))
            raise InputError(
                f"results of {names} cannot be compared, their policies differ: {policies}"
            )


def require_identified(signatures: Iterable[Signature]) -> None:
    """Raise InputError for results of a network in memory that nothing identifies."""
    for signature in signatures:
        if signature.identity["model"].endswith(f"@{MEMORY}"):
            raise InputError(
                f"the results of {signature.model} are of a network in memory, and nothing says "
                "which; give it a word: load_model(network, tokenizer, fingerprint='run-7')"
            )


def _as_signature(signature: Signature | str) -> Signature:
    """A signature as it is, or the one in a text."""
    return signature if isinstance(signature, Signature) else Signature.parse(signature)
