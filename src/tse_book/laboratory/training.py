"""Training the laboratory models: small GPT-2- and BERT-shaped networks on sentences of the known language.

Every step depends only on the seed and its number: which sentences, which masks, which learning rate.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch.nn.functional import cross_entropy

from tse_book.laboratory.byte_pair import Pieces, byte_pair_tokenizer
from tse_book.laboratory.card import model_card
from tse_book.laboratory.corpus import draw, stream
from tse_book.laboratory.language import Language, load_language
from tse_book.laboratory.networks import BOS, CLS, EOS, MASK, PAD, SEP, new_network, save
from tse_core.errors import InputError, check_known
from tse_core.models.network import usable_device

STEPS = {"causal": 1500, "masked": 2500}


@dataclass(frozen=True)
class TrainingPlan:
    """The settings that determine a training run.

    With ``sentences`` 0 every sentence is new, else the first ``sentences`` are repeated. With ``byte_pair`` 0 every
    word is an entry of the vocabulary, else words are split into a byte-pair vocabulary of ``byte_pair`` entries.
    """

    regime: str
    kind: str
    seed: int = 0
    steps: int = 1500
    batch: int = 512
    sentences: int = 0
    rate: float = 2e-3
    mask_verbs: float = 0.5
    mask_others: float = 0.15
    byte_pair: int = 0


def plan_for(name: str, **changes) -> TrainingPlan:
    """The plan of ``lab-systematic-causal`` and the like; ``changes`` that are not None override it."""
    check_known("laboratory model", name, load_language().models())
    _, regime, kind = name.split("-")
    changes = {key: value for key, value in changes.items() if value is not None}
    if changes.get("byte_pair") and kind != "causal":
        raise InputError(
            f"a byte-pair vocabulary is for causal models; every word of {name} is one entry"
        )
    return TrainingPlan(**{"regime": regime, "kind": kind, "steps": STEPS[kind], **changes})


def train(
    plan: TrainingPlan,
    out: str | Path,
    *,
    device: str = "cpu",
    checkpoints: str = "",
    report: Callable[[int, float], None] | None = None,
) -> Path:
    """Train a model and write it as a Hugging Face folder with a model card; it appears when it is complete.

    With `checkpoints` "log" it is also saved after 1, 2, 4, 8, ... steps, as ``<out>/checkpoints/step-N``. `report` is
    called with the step and its loss in nats per predicted token.

    Raises InputError: ``out`` exists; a device that cannot be used here.
    """
    language, out = load_language(), Path(out)
    check_known("kind of checkpoints", checkpoints, ["", "log"])
    if out.exists():
        raise InputError(f"{out} exists already: name another folder or remove it")
    tokens = (
        byte_pair_tokenizer(language, plan.regime, plan.byte_pair, plan.seed)
        if plan.byte_pair
        else None
    )
    pieces = Pieces(language, tokens) if tokens else None
    torch.manual_seed(plan.seed)
    network: Any = new_network(plan.kind, plan.byte_pair or len(language.vocabulary))
    network.to(usable_device(device)).train()
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=plan.rate, betas=(0.9, 0.98), weight_decay=0.01
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    losses: list[float] = []
    with TemporaryDirectory(prefix=f"{out.name}-", dir=out.parent) as temporary:
        place = Path(temporary) / out.name
        for step, rows in enumerate(_batches(plan, language)):
            cut = [pieces(row) for row in rows] if pieces else rows
            losses.append(_step(network, optimizer, plan, language, cut, step))
            done = step + 1
            if report:
                report(done, losses[-1])
            if checkpoints and done & (done - 1) == 0:
                save(
                    network, language, plan.kind, place / "checkpoints" / f"step-{done:05}", tokens
                )
        save(network, language, plan.kind, place, tokens)
        stretch = max(1, len(losses) // 50)
        ends = [(i, min(i + stretch, len(losses))) for i in range(0, len(losses), stretch)]
        curve = [(end, float(np.mean(losses[start:end]))) for start, end in ends]
        table = pd.DataFrame(curve, columns=["step", "loss"])
        table.to_csv(place / "loss.csv", index=False, float_format="%.4f", lineterminator="\r\n")
        whole = (pieces.whole_verbs(language), len(language.lemmas)) if pieces else None
        card = model_card(
            plan, network, curve, held_out_perplexity(network, plan, language, pieces), whole
        )
        (place / "README.md").write_text(card, encoding="utf-8")
        return place.rename(out)


def held_out_perplexity(
    network: torch.nn.Module,
    plan: TrainingPlan,
    language: Language,
    pieces: Pieces | None = None,
    count: int = 2048,
) -> float:
    """exp of the mean loss (nats) over the predicted words of ``count`` sentences that training did not draw.

    The loss of a word is the sum over its tokens, so models of different vocabularies can be compared.
    """
    random = np.random.default_rng([plan.seed, 2])
    sentences = draw(language, plan.regime, count, random)
    total, words = 0.0, 0
    with torch.inference_mode():
        for start in range(0, count, 512):
            rows = sentences[start : start + 512]
            tokens = [pieces(row) for row in rows] if pieces else rows
            words -= sum(map(len, tokens)) - sum(map(len, rows))  # a word in pieces counts once
            for inputs, targets in _tensors(tokens, plan, language, random):
                total += float(_loss(network, inputs, targets, plan.kind))
                words += int((targets >= 0).sum())
    return math.exp(total / words)


def _rows(plan: TrainingPlan, language: Language) -> Iterator[np.ndarray]:
    """The sentences that are read: the continued corpus, or its beginning again and again, shuffled in every epoch."""
    endless = stream(language, plan.regime, plan.seed)
    if not plan.sentences:
        yield from endless
    corpus = list(islice(endless, plan.sentences))
    for epoch in count():
        yield from (
            corpus[place]
            for place in np.random.default_rng([plan.seed, 1, epoch]).permutation(len(corpus))
        )


def _batches(plan: TrainingPlan, language: Language) -> Iterator[list[np.ndarray]]:
    """The sentences of every step."""
    rows = _rows(plan, language)
    return (list(islice(rows, plan.batch)) for _ in range(plan.steps))


def _step(
    network, optimizer, plan: TrainingPlan, language: Language, rows: list[np.ndarray], step: int
) -> float:
    parts = list(_tensors(rows, plan, language, np.random.default_rng([plan.seed, 3, step])))
    tokens = sum(int((targets >= 0).sum()) for _, targets in parts)
    done = (
        step + 1
    ) / plan.steps  # the rate goes up in the first tenth, then down to 0 like a cosine
    for group in optimizer.param_groups:
        group["lr"] = plan.rate * (
            done / 0.1 if done < 0.1 else 0.5 * (1 + math.cos(math.pi * (done - 0.1) / 0.9))
        )
    optimizer.zero_grad(set_to_none=True)
    total = 0.0
    for inputs, targets in parts:
        loss = _loss(network, inputs, targets, plan.kind) / tokens
        loss.backward()
        total += float(loss.detach())
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
    return total


def _tensors(
    rows: list[np.ndarray],
    plan: TrainingPlan,
    language: Language,
    random: np.random.Generator,
    parts: int = 4,
):
    """Inputs and targets (-1: none) of sentences sorted by length in a few parts, so that little is padding."""
    marked = [_mark(row, plan, language, random) for row in rows]
    marked.sort(key=lambda pair: len(pair[0]))
    size = math.ceil(len(marked) / parts)
    for start in range(0, len(marked), size):
        part = marked[start : start + size]
        width = len(part[-1][0])
        inputs = np.full((len(part), width), PAD)
        targets = np.full((len(part), width), -1)
        for place, (ids, wanted) in enumerate(part):
            inputs[place, : len(ids)], targets[place, : len(wanted)] = ids, wanted
        yield torch.from_numpy(inputs), torch.from_numpy(targets)


def _mark(row: np.ndarray, plan: TrainingPlan, language: Language, random: np.random.Generator):
    """Inputs and targets. Causal: the next word, [BOS] before half of the sentences. Masked: verbs more often."""
    if plan.kind == "causal":
        ids = np.concatenate([[BOS] if random.random() < 0.5 else [], row, [EOS]]).astype(np.int64)
        return ids[:-1], ids[1:]
    ids = np.concatenate([[CLS], row, [SEP]]).astype(np.int64)
    share = np.where(_is_verb(language)[ids], plan.mask_verbs, plan.mask_others)
    share[[0, -1]] = 0
    hidden = random.random(len(ids)) < share
    return np.where(hidden, MASK, ids), np.where(hidden, ids, -1)


@cache
def _is_verb(language: Language) -> np.ndarray:
    flags = np.zeros(len(language.vocabulary), dtype=bool)
    flags[language.verb_ids] = True
    flags[PAD] = False
    return flags


def _loss(network, inputs: torch.Tensor, targets: torch.Tensor, kind: str) -> torch.Tensor:
    """Summed over the places with a target; only there are logits computed."""
    device = next(network.parameters()).device
    inputs, targets = inputs.to(device), targets.to(device)
    there = targets >= 0
    if kind == "causal":
        logits = network.lm_head(network.transformer(inputs).last_hidden_state[there])
    else:
        logits = network.cls(
            network.bert(inputs, attention_mask=(inputs != PAD).long()).last_hidden_state[there]
        )
    return cross_entropy(logits, targets[there], reduction="sum")
