"""The jobs: for each, the sides that do the same work, and what the work costs at least."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import torch

from benchmarks import machine, samples
from tse_core.datasets import join
from tse_core.forward import blocks
from tse_core.metrics import cutoff_scores
from tse_core.models import load_model
from tse_core.sentences import score_pairs, token_surprisals

BATCH = 64
MINICONS = samples.FOLDER / "minicons"


class UnavailableError(RuntimeError):
    """A side that cannot run here."""


@dataclass
class Job:
    title: str
    sides: dict[str, Callable[[], float]]
    targets: dict[str, float] = field(default_factory=dict)
    tokens: int = 0
    fewest: int = 0
    flops: tuple[float, float, float] | None = None  # layers, vocabulary; of the layers' what need not be, see `work`
    rates: Callable[[], tuple[float, float]] | None = None  # FLOP/s at the shapes of the products, now
    difference: Callable[[], float] | None = None
    loop: Callable[[], object] | None = None  # the padded loop, to count its products
    inverted: bool = False


def timed(work, device="cpu") -> float:
    start = machine.now(device)
    work()
    return machine.now(device) - start


def layer_flops(network) -> int:
    """FLOP of the layers' matrix products for one token: two for each weight outside the embeddings."""
    skipped = {id(p) for e in (network.get_input_embeddings(), network.get_output_embeddings()) for p in e.parameters()}
    embeddings = ("embed", "wpe", "wte")
    weights = [p for n, p in network.named_parameters() if p.ndim == 2 and not any(e in n for e in embeddings)]
    return 2 * sum(p.numel() for p in weights if id(p) not in skipped)


def last_flops(network) -> int:
    """FLOP for one token behind the last attention, up to the product with the vocabulary."""
    last = f".{network.config.num_hidden_layers - 1}."
    after = (last + "mlp.", last + "intermediate.", last + "output.", "predictions.transform.")
    return 2 * sum(p.numel() for n, p in network.named_parameters() if p.ndim == 2 and any(a in n for a in after))


def head_flops(network) -> int:
    return 2 * network.get_output_embeddings().weight.numel()


def drained(blocks) -> None:
    """Blocks computed and let go, one after another, as the metrics use them."""
    for _ in blocks:
        pass


def largest_difference(ours, theirs) -> float:
    """Between the log-probabilities of our blocks and those of a plain loop, blocks of rows in order."""
    rows = torch.cat(list(theirs))
    return max(
        (block[torch.as_tensor(at)] - rows[torch.as_tensor(asked)]).abs().max().item() for asked, block, at in ours
    )


@torch.inference_mode()
def padded_loop(model, texts, *, slot_of):
    """A plain loop: batches in file order, padded, all logits, log-softmax at the slot."""
    tokenizer = model.tokenizer
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    for start in range(0, len(texts), BATCH):
        batch = tokenizer(texts[start : start + BATCH], padding=True, return_tensors="pt").to(model.device)
        logits = model.network.module(**batch).logits
        places = slot_of(batch)
        yield logits[torch.arange(len(logits)), places].float().log_softmax(-1)


@torch.inference_mode()
def our_slots(model, contexts):
    """Blocks of log-probabilities at every slot: (requests, log-probabilities, which row answers each)."""
    slots = model.slots(list(zip(contexts["left"], contexts["right"], strict=True)))
    for block in blocks(model, [s.ids for s in slots], [[s.position] for s in slots]):
        yield block.requests, block.logits.log_softmax(-1), block.rows


def minicons(task: str, shape: str, payload: list) -> float:
    """Seconds that minicons takes for a task, in its own environment."""
    python = _minicons_python()
    request = {"task": task, "model": str(samples.model_folder(shape)), "payload": payload, "batch": BATCH}
    environment = os.environ | {"OMP_NUM_THREADS": str(torch.get_num_threads()), "HF_HUB_OFFLINE": "1"}
    script = Path(__file__).with_name("minicons_side.py")
    done = subprocess.run([python, script], input=json.dumps(request), text=True, capture_output=True, env=environment)
    if done.returncode:
        raise UnavailableError((done.stderr.strip().splitlines() or ["it failed"])[-1])
    return json.loads(done.stdout.splitlines()[-1])["seconds"]


def _minicons_python() -> Path:
    python = Path(os.environ.get("MINICONS_PYTHON") or MINICONS / "bin" / "python")
    if not python.exists():
        print("making an environment for minicons (once)", file=sys.stderr)
        torch_build = os.environ.get("TORCH", "torch==2.13.0")
        try:
            subprocess.run([sys.executable, "-m", "venv", MINICONS], check=True)
            for package in (torch_build, "minicons==0.3.39"):
                subprocess.run([python, "-m", "pip", "install", "--quiet", package], check=True)
        except subprocess.CalledProcessError as error:
            raise UnavailableError("its environment could not be made") from error
    return python


def work(model, device, tokens: int, rows: int):
    """FLOP of so many tokens and distributions, and the rates of such products.

    Of the layers' FLOP, what lies behind the last attention is needed only where a distribution is asked for.
    """
    network = model.network.module
    width, vocabulary = network.config.hidden_size, network.config.vocab_size
    layers = [(width, 3 * width), (width, width), (width, 4 * width), (4 * width, width)]

    def rates():
        return tuple(machine.matrix_rate(shapes, 512, device) for shapes in (layers, [(width, vocabulary)]))

    spared = (tokens - rows) * last_flops(network)
    return (tokens * layer_flops(network), rows * head_flops(network), spared), rates


def causal(device) -> Job:
    model = load_model(samples.model_folder("gpt2"), device=device)
    contexts = samples.contexts("causal")
    texts = contexts["left"].tolist()

    def loop():
        return padded_loop(model, texts, slot_of=lambda b: b["attention_mask"].sum(1) - 1)

    ids = [e.ids for e in model.encode_batch(texts)]
    fewest = len({i[: end + 1] for i in ids for end in range(len(i))})
    tokens = _computed(model, lambda: drained(our_slots(model, contexts)))
    return Job(
        f"Verb slots, causal: {len(texts):,} contexts of Table 2, GPT-2 small",
        {
            "tse_core": lambda: timed(lambda: drained(our_slots(model, contexts)), device),
            "padded loop": lambda: timed(lambda: drained(loop()), device),
            "minicons next_word_distribution": lambda: minicons("next", "gpt2", texts),
        },
        {"padded loop": 4.5, "minicons next_word_distribution": 4.5},
        tokens, fewest, *work(model, device, fewest, len(texts)),
        lambda: largest_difference(our_slots(model, contexts), loop()), lambda: drained(loop()),
    )  # fmt: skip


def masked(device) -> Job:
    model = load_model(samples.model_folder("bert"), device=device)
    contexts = samples.contexts("masked")
    mask = model.tokenizer.mask_token
    texts = [join(a, mask, b) for a, b in zip(contexts["left"], contexts["right"], strict=True)]
    repeated = [t for t, n in zip(texts, contexts["pairs"], strict=True) for _ in range(n)]

    def loop(chosen):
        return padded_loop(
            model, chosen, slot_of=lambda b: (b["input_ids"] == model.tokenizer.mask_token_id).long().argmax(1)
        )

    fewest = sum(len(e.ids) for e in model.encode_batch(texts))
    return Job(
        f"Verb slots, masked: {len(texts):,} contexts of Table 2 ({len(repeated):,} pairs), BERT base",
        {
            "tse_core": lambda: timed(lambda: drained(our_slots(model, contexts)), device),
            "padded loop": lambda: timed(lambda: drained(loop(texts)), device),
            "padded loop with duplicates": lambda: timed(lambda: drained(loop(repeated)), device),
        },
        {"padded loop": 1.4, "padded loop with duplicates": 2.0},
        fewest, fewest, *work(model, device, fewest, len(texts)),
        lambda: largest_difference(our_slots(model, contexts), loop(texts)), lambda: drained(loop(texts)),
    )  # fmt: skip


def blimp(device) -> Job:
    model = load_model(samples.model_folder("gpt2"), device=device)
    pairs = samples.sentence_pairs(200)
    sentences = [s for row in zip(pairs["good"], pairs["bad"], strict=True) for s in row]
    ids = [e.ids for e in model.encode_batch(sentences)]
    fewest = len({i[: end + 1] for i in ids for end in range(len(i) - 1)})
    tokens = _computed(model, lambda: score_pairs(model, pairs, "full-sentence"))
    return Job(
        f"BLiMP, full sentence: {len(pairs)} pairs, GPT-2 small",
        {
            "tse_core": lambda: timed(lambda: score_pairs(model, pairs, "full-sentence"), device),
            "minicons sequence_score": lambda: minicons("sequence", "gpt2", sentences),
        },
        {"minicons sequence_score": 2.5},
        tokens, fewest, *work(model, device, fewest, fewest),
    )  # fmt: skip


def pll(device) -> Job:
    model = load_model(samples.model_folder("bert"), device=device)
    sentences = samples.sentence_pairs(50)["good"].tolist()
    lengths = [len(e.ids) for e in model.encode_batch(sentences)]
    fewest = sum(n * (n - 2) for n in lengths)
    rows = sum(n - 2 for n in lengths)
    return Job(
        f"Pseudo-log-likelihood: {len(sentences)} sentences, BERT base",
        {
            "tse_core": lambda: timed(lambda: token_surprisals(model, sentences), device),
            "minicons sequence_score (PLL)": lambda: minicons("pll", "bert", sentences),
        },
        {"minicons sequence_score (PLL)": 1.7},
        fewest, fewest, *work(model, device, fewest, rows),
    )  # fmt: skip


def metrics(device) -> Job:
    generator = torch.Generator().manual_seed(0)
    logits = (torch.randn(512, 50257, generator=generator) * 3).to(device)
    forms = torch.randperm(50257, generator=generator)[: 2 * 935].view(935, 2).numpy()
    numbers = torch.randint(0, 2, (512,), generator=generator).numpy()

    def five_times(work):  # one call takes too little time to be measured well
        return timed(lambda: [work() and None for _ in range(5)], device)

    return Job(
        "cutoff_scores, five times: 512 contexts, 50,257 entries, 935 lemmas, 19 cut-offs; at most 8x log_softmax",
        {
            "tse_core": lambda: five_times(lambda: cutoff_scores(logits, forms, numbers)),
            "log_softmax of the same logits": lambda: five_times(lambda: logits.log_softmax(-1).shape),
        },
        {"log_softmax of the same logits": 8}, inverted=True,
    )  # fmt: skip


SHAPES = ("gpt2", "bert")
JOBS = {"causal": causal, "masked": masked, "blimp": blimp, "pll": pll, "metrics": metrics}


def whole_table(shape: str, device) -> str:
    """Every unique context of Table 2 through `evaluate`, once: a line."""
    from tse_core import evaluate, load_pairs

    pairs = load_pairs("marvin-linzen")
    model = load_model(samples.model_folder(shape), device=device)
    evaluate(model, pairs.head(1))  # weights that lie in a mapped file come into memory with the first pass
    with machine.peak_memory() as peak:
        seconds = timed(lambda: evaluate(model, pairs), device)
    n = len(samples.contexts(model.kind, None))
    speed = f"{n:,} contexts in {seconds:.0f} s, {n / seconds:,.0f} a second"
    return f"{shape}: {speed}; {peak[0] / 2**20:,.0f} MiB over the model"


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
