"""The model card of a laboratory model: what it is, what it learned from, how well."""

from dataclasses import asdict

_CARD = """\
---
license: cc-by-4.0
language: en
library_name: transformers
pipeline_tag: {pipeline}
---
# {name}

A {shape}-shaped language model (3 layers, width 128, {entries}, {parameters:,} parameters) of the laboratory
language: a small known English in which every probability can be computed. It serves to hold metrics of
syntactic evaluation against the truth; it knows no other words and says nothing about English.

- **Data**: {data} of `tse lab corpus --regime {regime} --seed {seed}`; {regime_text}.
  Some noun-verb combinations never occur in it, so that generalising can be measured.
- **Training**: {steps:,} steps of {batch} sentences, AdamW, one-cycle learning rate up to {rate:g}, no dropout.
{masking}  `tse lab train lab-{regime}-{kind}{option} --seed {seed} --steps {steps} --out FOLDER` makes it again.
- **Held-out perplexity**: {perplexity:.2f} per {predicted}, on 2,048 sentences drawn anew.
- **Weights**: half precision, safetensors. Input is uncased; {words}.
- **Licence**: weights CC BY 4.0; the code that makes them MIT.

| step | loss (nats) |
|---:|---:|
{curve}
"""
_MASKING = "  Verbs were masked in {:.0%} of their places, other words in {:.0%}.\n"
_PIECES = """\
words are cut into byte pairs learned from the corpus' first {sentences:,}
  sentences, frequent words whole and rare ones in pieces. Of the {verbs} verbs {whole} have both forms whole"""
_REGIMES = {
    "systematic": "every verb agrees with its subject, apart from attraction at known rates",
    "lexical": "frequent verbs agree, those of the middle band in 75 % of their uses, each rare verb "
    "takes a form of its own in 90 % of its uses whatever its subject; attraction at known rates",
}


def pieces(sentences: int, verbs: int, whole: int) -> str:
    """A card's text on a byte-pair vocabulary: what it was learned from, and how many verbs it keeps whole."""
    return _PIECES.format(sentences=sentences, verbs=verbs, whole=whole)


def model_card(
    plan,
    curve: list[tuple[int, float]],
    perplexity: float,
    parameters: int,
    vocabulary: int,
    words: str = "one word is one token",
) -> str:
    """README.md of a model folder, with ten lines of its loss curve; ``words`` says how words become tokens."""
    masked = plan.kind == "masked"
    every = max(1, len(curve) // 10)
    rows = [f"| {step:,} | {loss:.3f} |" for step, loss in [*curve[::every], curve[-1]]]
    return _CARD.format(
        **asdict(plan) | {"rate": plan.rate},
        name=f"lab-{plan.regime}-{plan.kind}" + ("-bpe" if plan.byte_pair else ""),
        entries=f"{vocabulary:,} {'byte-pair entries' if plan.byte_pair else 'words'}",
        option=f" --byte-pair {plan.byte_pair}" if plan.byte_pair else "",
        words=words,
        pipeline="fill-mask" if masked else "text-generation",
        shape="BERT" if masked else "GPT-2",
        parameters=parameters,
        data=f"the first {plan.sentences or plan.steps * plan.batch:,} sentences",
        regime_text=_REGIMES[plan.regime],
        masking=_MASKING.format(plan.mask_verbs, plan.mask_others) if masked else "",
        perplexity=perplexity,
        predicted="masked word" if masked else "word (a first word only behind the beginning-of-sentence token)",
        curve="\n".join(dict.fromkeys(rows)),
    )
