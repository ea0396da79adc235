"""Whether two numbers may be compared (if their policies match), and what each difference does to a score."""

from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

from tse_core.errors import InputError
from tse_core.results.signature import LEMMAS, MEMORY, Signature

READING = (
    "bos",
    "space",
    "slot",
    "words",
    "quantised",
)  # policies that come with a model, not by choice
EFFECTS = {
    "lemmas": "EW and MW are means over the lemmas that count, so other lemmas are other questions; TSE stays",
    "forms": "single tokens, whole words and whole words without their ends have other probabilities",
    "cut": "cut-offs are shares of the list's probability, or of that of all words; scores at 100 % do not change",
    "sample": "means are over other contexts; the intervals say how far they may differ by chance",
    "bos": "what stands before the first word changes every probability of a short left context most",
    "space": "another first token, so other probabilities after it",
    "slot": "the tokens beside a mask are the sentence's, not those beside the text of a mask",
    "words": "other pieces are masked where the tokenizer's words are not those of letters",
    "caps": "a cased model reads other tokens at the start",
    "period": "a masked model reads other tokens at the end",
    "protocol": "'released' sums probability in float32, so lemmas of the far tail drop out of EW and MW at 100 %, "
    "finds RoBERTa's mask by counting tokens and keeps the first label of an ambiguous context",
    "dtype": "weights in half precision move log-probabilities by hundredths of a nat; close pairs flip",
    "revision": "other weights, perhaps",
    "source": "the model's identity and its numbers are as reported by a server, in its own precision",
    "quantised": "weights of few bits change every probability a little",
    "ties": "two equal scores count as wrong or as half",
    "method": "whole sentences, prefixes and pseudo-log-likelihoods are different questions",
    "cluster": "intervals are over other samples; scores are the same",
    "first": "a cased model reads other tokens at the start",
    "unknown": "refused pairs leave the mean",
    "metric": "a region's surprisal is another summary of its tokens'",
    "score": "pseudo-log-likelihoods are not probabilities of sentences",
}


class Difference(NamedTuple):
    """A policy on which two results differ; None: it has no such policy."""

    policy: str
    first: str | None
    second: str | None

    def __str__(self):
        """What differs, and what that does to the scores."""
        effect = EFFECTS.get(self.policy, "the scores were made in another way")
        lists = [LEMMAS.fullmatch(text or "") for text in (self.first, self.second)]
        if (
            self.policy == "lemmas"
            and all(lists)
            and len({found and found["hash"] for found in lists}) == 1
        ):
            effect = "the same list in two vocabularies: EW and MW compare over the lemmas that both hold"
        return f"{self.policy}: {self.first or 'none'} against {self.second or 'none'} ({effect})"


def differences(first: Signature | str, second: Signature | str) -> list[Difference]:
    """The policies on which two results differ, and what each difference does to the scores."""
    first, second = (s if isinstance(s, Signature) else Signature.parse(s) for s in (first, second))
    names = dict.fromkeys([*first.policy, *second.policy])
    both = [(name, first.policy.get(name), second.policy.get(name)) for name in names]
    return [Difference(*values) for values in both if values[1] != values[2]]


def comparable(
    first: Signature | str, second: Signature | str, *, allow: Iterable[str] = ()
) -> bool:
    """Whether two results were made under the same policies, except those named in `allow`."""
    return all(difference.policy in allow for difference in differences(first, second))


def require_comparable(signatures: Iterable[Signature | str], *, allow: Iterable[str] = ()) -> None:
    """Raise InputError, naming the policies that differ, unless all results were made under the same ones.

    Call this before you average, rank or plot results from several runs; ``allow=READING`` lets models of
    different kinds be compared.
    """
    made = dict.fromkeys(s if isinstance(s, Signature) else Signature.parse(s) for s in signatures)
    for first, second in combinations(made, 2):
        if found := [d for d in differences(first, second) if d.policy not in allow]:
            names, said = (
                f"{first.identity['model']} and {second.identity['model']}",
                "; ".join(map(str, found)),
            )
            raise InputError(
                f"results of {names} cannot be compared, their policies differ: {said}"
            )


def require_identified(signatures: Iterable[Signature]) -> None:
    """Raise InputError for results of an unnamed network in memory: nothing says which network that was."""
    for signature in signatures:
        if signature.identity["model"].endswith(f"@{MEMORY}"):
            raise InputError(
                f"the results of {signature.model} are of a network in memory without a name, so nothing says what "
                "was scored; give it one: load_model(network, tokenizer, name='run-7')"
            )
