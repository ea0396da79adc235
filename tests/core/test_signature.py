"""Signatures: written and read back, keys, what differs, what may stand side by side."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tse_book.recorded import without_provenance
from tse_core import (
    InputError,
    evaluate,
    load_pairs,
)
from tse_core.results.comparing import EFFECTS, READING, comparable, differences, require_comparable
from tse_core.results.signature import Signature

GPT2 = (
    "gpt2-xl@a1b2c3d4 marvin-linzen@9f3e22ab | newman-appendix@77aa01c2(948) bos:none caps:first protocol:exact/1 "
    "dtype:float32 | 0.1.0 cpu 2026-11-21"
)
texts = st.text(min_size=1, max_size=12)
hashed = st.tuples(st.text(max_size=12), st.text("0123456789abcdef", min_size=8, max_size=8)).map(
    "@".join
)
names = st.from_regex(r"[a-z]{1,8}", fullmatch=True).filter(lambda name: name != "lemmas")


@st.composite
def signatures(draw):
    identity = {"model": draw(hashed), "data": draw(hashed)}
    policy = (
        {"lemmas": f"{draw(hashed)}({draw(st.integers(0, 3562))})"} if draw(st.booleans()) else {}
    )
    policy |= draw(st.dictionaries(names, texts, min_size=1, max_size=5))
    made = {"version": draw(texts), "hardware": draw(texts), "date": draw(st.dates()).isoformat()}
    return Signature(identity, policy, made)


@given(signatures())
def test_a_signature_reads_back_as_it_was_whatever_its_names_hold(signature):
    read = Signature.parse(str(signature))
    assert (read, read.key, read.provenance) == (signature, signature.key, signature.provenance)
    assert "\n" not in str(signature)
    assert str(signature).startswith(f"{signature.without_provenance} | ")
    assert [signature.model, signature.data_name] == [
        v.rpartition("@")[0] for v in signature.identity.values()
    ]


def test_a_page_shows_identity_and_policy_but_not_the_day():
    shown = GPT2.rpartition(" | ")[0]
    texts = pd.Series([GPT2, shown, "", "newman-full@77aa01c2"])
    assert without_provenance(texts).tolist() == [shown, shown, "", "newman-full@77aa01c2"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "exact/1",
            "released/1",
            "protocol: exact/1 against released/1 ('released' sums probability in float32",
        ),
        (
            "(948)",
            "(734)",
            "the same list in two vocabularies: EW and MW compare over the lemmas that both hold",
        ),
        (
            "newman-appendix@77aa01c2",
            "newman-clean@00000000",
            "other lemmas are other questions; TSE stays",
        ),
        ("float32", "bfloat16", "dtype: float32 against bfloat16 (weights in half precision"),
        (" caps:first", "", "caps: first against none"),
    ],
)
def test_each_difference_says_what_it_does_to_the_scores(old, new, said):
    (difference,) = differences(GPT2, GPT2.replace(old, new))
    assert said in str(difference)


def test_what_differs_is_never_averaged_silently():
    with pytest.raises(
        InputError, match="cannot be compared, their policies differ: protocol: exact/1 against"
    ):
        require_comparable([GPT2, GPT2.replace("exact", "released")])
    require_comparable(
        [GPT2, GPT2.replace("2026-11-21", "2027-01-01"), GPT2.replace("gpt2-xl", "gpt2")]
    )
    masked = GPT2.replace("gpt2-xl", "bert").replace("bos:none", "bos:cls")
    assert not comparable(GPT2, masked)
    require_comparable(
        [GPT2, masked.replace("caps:first", "quantised:Q4_1 caps:first")], allow=READING
    )


@pytest.mark.slow
def test_every_policy_of_an_evaluation_has_its_effect_explained(tiny_causal):
    for first, period, said in (
        ("capital", "add", ("first", "add")),
        ("as-is", "as-is", ("as-is", "as-is")),
    ):
        pairs = load_pairs("marvin-linzen/simple", first=first, period=period)
        signature = evaluate(tiny_causal, pairs).signature
        assert (signature.policy["caps"], signature.policy["period"]) == said
        assert (
            set(signature.policy) <= set(EFFECTS) and Signature.parse(str(signature)) == signature
        )
