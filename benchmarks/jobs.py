"""The jobs: for each, the sides that do the same work, and what the work costs at least."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import torch

from benchmarks import machine, samples
from benchmarks.costs import work
from benchmarks.sides import (
    drained,
    equal_lengths,
    forms_alone,
    other_tool,
    padded_loop,
    padded_sentences,
    with_double_sums,
)
from tse_core import evaluate, evaluate_blimp, load_lemmas, load_pairs, load_sentence_pairs
from tse_core.forward.passes import blocks
from tse_core.forward.trees import distinct_prefixes
from tse_core.forward.word_forms import form_log_probabilities
from tse_core.metrics.scores import cutoff_scores
from tse_core.models.slots import all_read, read
from tse_core.sentences.preferences import score_pairs
from tse_core.sentences.tokens import token_surprisals
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.outcomes import evaluate_suite

SUITES = ("lab_number_orc", "lab_npi_orc_ever", "lab_subordination")
PLAIN = "the plain loop"
TITLES = {"gpt2": "GPT-2 small's shape", "bert": "BERT base's shape"}


@dataclass
class Job:
    """Sides that do the same work (name -> function that gives its seconds), what it costs, and what is aimed at."""

    title: str
    sides: dict[str, Callable[[], float]]
    targets: dict[str, float] = field(default_factory=dict)
    tokens: int = 0
    fewest: int = 0
    flops: tuple[float, float, float] | None = (
        None  # layers, vocabulary; of the layers' what need not be, see `work`
    )
    rates: Callable[[], tuple[float, float]] | None = (
        None  # FLOP/s at the shapes of the products, now
    )
    share_of_bound: float = 0.8  # the least that is aimed at
    earlier: str | None = None  # the side that computes as the package once did
    # The largest differences of log-probabilities, by what they are to
    differences: dict[str, Callable[[], float]] = field(default_factory=dict)
    loop: Callable[[], object] | None = None  # the padded loop, to count its products
    inverted: bool = False


def timed(work, device="cpu") -> float:
    start = machine.now(device)
    work()
    return machine.now(device) - start


def largest_difference(ours, theirs) -> float:
    """Between the log-probabilities of our blocks and those of a plain loop, blocks of rows in order."""
    rows = torch.cat(list(theirs))
    return max(
        (block[torch.as_tensor(at)] - rows[torch.as_tensor(asked)]).abs().max().item()
        for asked, block, at in ours
    )


@torch.inference_mode()
def our_slots(model, contexts):
    """Blocks of log-probabilities at every slot: (requests, log-probabilities, which row answers each)."""
    slots = slots_of(model, contexts)
    for block in blocks(model, [s.ids for s in slots], [[s.position] for s in slots]):
        yield block.requests, block.logits.log_softmax(-1), block.rows


def slots_of(model, contexts) -> list:
    return all_read(read(model, list(zip(contexts["left"], contexts["right"], strict=True))))


def in_front(model, texts) -> list[str]:
    """The texts as another tool has to be given them, with the BOS token as text."""
    bos = "" if model.bos == "none" else model.bos
    return [bos + text for text in texts]


def causal(name: str, device: str) -> Job:
    model = samples.loaded(name, device)
    contexts = samples.contexts("causal")
    texts = contexts["left"].tolist()
    ids = [slot.ids for slot in slots_of(model, contexts)]
    fewest = len({i[: end + 1] for i in ids for end in range(len(i))})
    sides = {
        "tse_core": lambda: timed(lambda: drained(our_slots(model, contexts)), device),
        "equal lengths, last position only": lambda: timed(
            lambda: drained(equal_lengths(model, slots_of(model, contexts))), device
        ),
        "padded loop": lambda: timed(
            lambda: drained(padded_loop(model, slots_of(model, contexts))), device
        ),
        "minicons next_word_distribution": lambda: other_tool(
            "minicons", "next", name, in_front(model, texts)
        ),
    }
    shape = name in samples.SHAPES
    return Job(
        f"Verb slots, causal: {len(texts):,} contexts of Table 2, {TITLES.get(name, name)}",
        sides,
        {"padded loop": 4.5, "minicons next_word_distribution": 4.5}
        if shape
        else {"equal lengths, last position only": 2.5},
        _computed(model, sides["tse_core"]), fewest, *work(model, device, fewest, len(texts)),
        differences={
            PLAIN: lambda: largest_difference(
                our_slots(model, contexts), padded_loop(model, slots_of(model, contexts))
            )
        },
        loop=sides["padded loop"],
    )  # fmt: skip


def treebank(name: str, device: str) -> Job:
    """Contexts that share no beginnings, as the sentences of a treebank do not."""
    model = samples.loaded(name, device)
    contexts = samples.sites(256)
    ids = [slot.ids for slot in slots_of(model, contexts)]
    fewest = distinct_prefixes(ids)
    sides = {
        "tse_core": lambda: timed(lambda: drained(our_slots(model, contexts)), device),
        "equal lengths, last position only": lambda: timed(
            lambda: drained(equal_lengths(model, slots_of(model, contexts))), device
        ),
        "padded loop": lambda: timed(
            lambda: drained(padded_loop(model, slots_of(model, contexts))), device
        ),
    }
    return Job(
        f"Verb slots in a treebank: {len(ids):,} contexts of ud/English-EWT, {name}",
        sides,
        {"padded loop": 1.5},
        _computed(model, sides["tse_core"]), fewest, *work(model, device, fewest, len(ids)),
        differences={
            PLAIN: lambda: largest_difference(
                our_slots(model, contexts), padded_loop(model, slots_of(model, contexts))
            )
        },
        loop=sides["padded loop"],
    )  # fmt: skip


def masked(device: str) -> Job:
    model = samples.loaded("bert", device)
    contexts = samples.contexts("masked")
    slots = slots_of(model, contexts)
    repeated = [slot for slot, n in zip(slots, contexts["pairs"], strict=True) for _ in range(n)]
    fewest = sum(len(slot.ids) for slot in slots)
    sides = {
        "tse_core": lambda: timed(lambda: drained(our_slots(model, contexts)), device),
        "padded loop": lambda: timed(lambda: drained(padded_loop(model, slots)), device),
        "padded loop with duplicates": lambda: timed(
            lambda: drained(padded_loop(model, repeated)), device
        ),
    }
    return Job(
        f"Verb slots, masked: {len(slots):,} contexts of Table 2 ({len(repeated):,} pairs), BERT base's shape",
        sides,
        {"padded loop": 1.4, "padded loop with duplicates": 2.0},
        fewest, fewest, *work(model, device, fewest, len(slots)),
        differences={
            PLAIN: lambda: largest_difference(
                our_slots(model, contexts), padded_loop(model, slots)
            )
        },
        loop=sides["padded loop"],
    )  # fmt: skip


def blimp(name: str, pairs: int, targets: dict, device: str) -> Job:
    model = samples.loaded(name, device)
    table = samples.sentence_pairs(pairs)
    sentences = [s for row in zip(table["good"], table["bad"], strict=True) for s in row]
    encodings = model.encode_batch(sentences)
    places = {e.ids[: end + 1] for e in encodings for end in range(len(e.ids) - 1)}

    def difference():
        plain = torch.cat(list(padded_sentences(model, encodings))).double().cpu().numpy()
        return np.abs(
            score_pairs(model, table, "full-sentence")["logp_good"].to_numpy() - plain[::2]
        ).max()

    sides = {
        "tse_core": lambda: timed(lambda: score_pairs(model, table, "full-sentence"), device),
        "padded loop of whole sentences": lambda: timed(
            lambda: drained(padded_sentences(model, model.encode_batch(sentences))), device
        ),
        "minicons sequence_score": lambda: other_tool(
            "minicons", "sequence", name, in_front(model, sentences)
        ),
        "lm-evaluation-harness loglikelihood": lambda: other_tool(
            "harness", "sequence", name, sentences
        ),
    }
    return Job(
        f"Full sentences: {len(table)} pairs of {table['paradigm'].nunique()} paradigms, {TITLES.get(name, name)}",
        sides, targets,
        _computed(model, sides["tse_core"]), len(places), *work(model, device, len(places), len(places)),
        differences={PLAIN: difference}, loop=sides["padded loop of whole sentences"],
    )  # fmt: skip


def regions(device: str) -> Job:
    model = samples.loaded("smollm2-135m-instruct", device)
    suites = [load_suite(name) for name in SUITES]
    texts = [sentence for suite in suites for sentence in suite.sentences()["sentence"]]
    sides = {
        "tse_core": lambda: timed(
            lambda: [*(evaluate_suite(model, suite, store=None) for suite in suites)], device
        ),
        "padded loop of whole sentences": lambda: timed(
            lambda: drained(padded_sentences(model, model.encode_batch(texts))), device
        ),
    }
    return Job(
        f"Region surprisals: {len(texts)} sentences of {len(suites)} suites, smollm2-135m-instruct",
        sides,
    )


def words(device: str) -> Job:
    model = samples.loaded("smollm2-135m-instruct", device)
    slots = sorted(
        slots_of(model, samples.contexts("causal", None)), key=lambda slot: len(slot.ids)
    )
    slots = [slots[len(slots) // 4], slots[-len(slots) // 4]]  # a short context and a long one
    forms = [*load_lemmas().table["singular"], *load_lemmas().table["plural"]]
    spellings = sorted(dict.fromkeys(model.spellings(forms)), key=len)

    beginnings = set()
    for slot in slots:
        for form in spellings:
            beginnings |= {slot.ids + form[:length] for length in range(len(form) + 1)}
    fewest = distinct_prefixes(beginnings)

    def scores(slots):
        return form_log_probabilities(model, slots, spellings, ends=model.word_ends)

    def ended(slots):
        found = scores(slots)
        return found.log_probability + found.log_end

    def difference_to_loop():
        rows = list(forms_alone(model, slots[:1], spellings, model.word_ends))
        theirs = torch.cat(rows).double().cpu().numpy()
        return np.abs(ended(slots[:1])[0] - theirs).max()

    def difference_to_double():
        return np.abs(ended(slots) - with_double_sums(lambda: ended(slots))).max()

    double = "sums in double precision"
    sides = {
        "tse_core": lambda: timed(lambda: scores(slots), device),
        double: lambda: timed(lambda: with_double_sums(lambda: scores(slots)), device),
        "each form alone": lambda: timed(
            lambda: drained(forms_alone(model, slots, spellings, model.word_ends)), device
        ),
    }
    flops, rates = work(model, device, fewest, len(beginnings))
    return Job(
        f"Whole words: {len(spellings):,} forms with the word's end, contexts of "
        f"{' and '.join(str(len(slot.ids)) for slot in slots)} tokens, smollm2-135m-instruct",
        sides,
        {"each form alone": 8},
        _computed(model, lambda: scores(slots)),
        fewest,
        flops,
        rates,
        share_of_bound=0.55,
        earlier=double,
        differences={PLAIN: difference_to_loop, double: difference_to_double},
    )


def pll(device: str) -> Job:
    model = samples.loaded("bert", device)
    sentences = samples.sentence_pairs(50)["good"].tolist()
    lengths = [len(e.ids) for e in model.encode_batch(sentences)]
    fewest = sum(n * (n - 2) for n in lengths)
    rows = sum(n - 2 for n in lengths)
    return Job(
        f"Pseudo-log-likelihood: {len(sentences)} sentences, BERT base's shape",
        {
            "tse_core": lambda: timed(lambda: token_surprisals(model, sentences), device),
            "minicons sequence_score (PLL)": lambda: other_tool("minicons", "pll", "bert", sentences),
        },
        {"minicons sequence_score (PLL)": 1.7},
        fewest, fewest, *work(model, device, fewest, rows),
    )  # fmt: skip


def metrics(threads: int | None, device: str) -> Job:
    generator = torch.Generator().manual_seed(0)
    logits = (torch.randn(512, 49152, generator=generator) * 3).to(device)
    forms = torch.randperm(49152, generator=generator)[: 2 * 962].view(962, 2).numpy()
    numbers = torch.randint(0, 2, (512,), generator=generator).numpy()
    if threads:
        torch.set_num_threads(threads)

    def five_times(work):  # one call takes too little time to be measured well
        return timed(lambda: [work() and None for _ in range(5)], device)

    return Job(
        f"cutoff_scores, five times: 512 contexts, 49,152 entries, 962 lemmas, 19 cut-offs, "
        f"{torch.get_num_threads()} thread(s); at most 6x log_softmax",
        {
            "tse_core": lambda: five_times(lambda: cutoff_scores(logits, forms, numbers)),
            "log_softmax of the same logits": lambda: five_times(lambda: logits.log_softmax(-1).shape),
        },
        {"log_softmax of the same logits": 6}, inverted=True,
    )  # fmt: skip


JOBS = {
    "causal": partial(causal, "gpt2"),
    "causal-smollm2": partial(causal, "smollm2-135m-instruct"),
    "treebank": partial(treebank, "smollm2-135m-instruct"),
    "masked": masked,
    "blimp": partial(blimp, "gpt2", 200, {"minicons sequence_score": 2.5}),
    "blimp-smollm2": partial(
        blimp,
        "smollm2-135m-instruct",
        402,
        {"minicons sequence_score": 3, "padded loop of whole sentences": 2},
    ),
    "regions": regions,
    "words": words,
    "pll": pll,
    "metrics": partial(metrics, None),
    "metrics-one-thread": partial(metrics, 1),
}


def whole_table(name: str, device: str) -> str:
    """Every unique context of Table 2 through `evaluate`, once: a line."""
    pairs = load_pairs("marvin-linzen")
    model = samples.loaded(name, device)
    evaluate(
        model, pairs.head(1), store=None
    )  # weights that lie in a mapped file come into memory with the first pass
    with machine.peak_memory() as peak:
        seconds = timed(lambda: evaluate(model, pairs, store=None), device)
    n = len(samples.contexts(model.kind, None))
    speed = f"{n:,} contexts in {seconds:.0f} s, {n / seconds:,.0f} a second"
    return f"Table 2, {name}: {speed}; {peak[0] / 2**20:,.0f} MiB over the model"


def whole_blimp(name: str, device: str) -> str:
    """All 67,000 pairs through `evaluate_blimp`, once: a line with the time as a multiple of its bound."""
    pairs = load_sentence_pairs("blimp")
    model = samples.loaded(name, device)
    evaluate_blimp(model, pairs.head(1), store=None)
    with machine.peak_memory() as peak:
        seconds = timed(lambda: evaluate_blimp(model, pairs, store=None), device)
    fewest = 0
    for _, group in pairs.groupby("paradigm"):
        sentences = model.encode_batch([*group["good"], *group["bad"]])
        fewest += len({e.ids[: end + 1] for e in sentences for end in range(len(e.ids) - 1)})
    flops, rates = work(model, device, fewest, fewest)
    bound = sum(f / rate for f, rate in zip(flops, rates(), strict=False))
    said = f"{len(pairs):,} pairs in {seconds:,.0f} s, {seconds / bound:.2f} times the bound of {bound:,.0f} s"
    return f"BLiMP, {name}: {said} ({fewest:,} tokens); {peak[0] / 2**20:,.0f} MiB over the model"


WHOLE = {name: partial(whole_table, name) for name in ("gpt2", "bert", "smollm2-135m-instruct")}
WHOLE |= {"blimp": partial(whole_blimp, "smollm2-135m-instruct")}


def _computed(model, work) -> int:
    """Tokens that go through the network in a piece of work."""
    counted = [0]

    def count(_, positional, keywords):
        ids = keywords.get("input_ids", positional[0] if positional else None)
        counted[0] += ids.numel()

    hook = model.network.module.register_forward_pre_hook(count, with_kwargs=True)
    try:
        work()
    finally:
        hook.remove()
    return counted[0]
