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
language: a small known English in which every probability can be computed. It is used to compare metrics of
syntactic evaluation with the truth; it knows no other words and says nothing about English.

- **Data**: the first {count:,} sentences of `tse book lab corpus --regime {regime} --seed {seed}`; {regime_text}.
  Some noun-verb combinations never occur in it, so that generalising can be measured.
- **Training**: {steps:,} steps of {batch} sentences, AdamW, one-cycle learning rate up to {rate:g}, no dropout.
{masking}  `tse book lab train lab-{regime}-{kind}{option} --seed {seed} --steps {steps} --out FOLDER` makes it again.
- **Held-out perplexity**: {perplexity:.2f} per {predicted}, on 2,048 sentences drawn anew.
- **Weights**: half precision, safetensors. Input is uncased; {words}.
- **Licence**: weights CC BY 4.0; the code that makes them MIT.

| step | loss (nats) |
|---:|---:|
{curve}
"""
_MASKING = "  Verbs were masked in {:.0%} of their places, other words in {:.0%}.\n"
_PIECES = """\
words are cut into byte pairs learned from the corpus' first 20,000
  sentences, frequent words whole and rare ones in pieces. Of the {verbs} verbs {whole} have both forms whole"""
_REGIMES = {
    "systematic": "every verb agrees with its subject, apart from attraction at known rates",
    "lexical": "frequent verbs agree, those of the middle band in 75 % of their uses, each rare verb "
    "takes a form of its own in 90 % of its uses whatever its subject; attraction at known rates",
}


def model_card(
    plan, network, curve: list[tuple[int, float]], perplexity: float, whole: tuple[int, int] | None
) -> str:
    """README.md of a model folder, with ten lines of its loss curve; `whole`, of byte pairs: verbs kept whole, all."""
    masked, every = plan.kind == "masked", max(1, len(curve) // 10)
    rows = [f"| {step:,} | {loss:.3f} |" for step, loss in [*curve[::every], curve[-1]]]
    return _CARD.format(
        **asdict(plan),
        name=f"lab-{plan.regime}-{plan.kind}" + ("-bpe" if whole else ""),
        entries=f"{network.config.vocab_size:,} {'byte-pair entries' if whole else 'words'}",
        option=f" --byte-pair {plan.byte_pair}" if whole else "",
        words=_PIECES.format(whole=whole[0], verbs=whole[1]) if whole else "one word is one token",
        pipeline="fill-mask" if masked else "text-generation",
        shape="BERT" if masked else "GPT-2",
        parameters=network.num_parameters(),
        count=plan.sentences or plan.steps * plan.batch,
        regime_text=_REGIMES[plan.regime],
        masking=_MASKING.format(plan.mask_verbs, plan.mask_others) if masked else "",
        perplexity=perplexity,
        predicted="masked word"
        if masked
        else "word (a first word only behind the beginning-of-sentence token)",
        curve="\n".join(dict.fromkeys(rows)),
    )
