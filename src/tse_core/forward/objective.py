"""Whether a masked model predicts a mask at its own position, or at the position before it.

Masked next token prediction (MNTP: LLM2Vec, GPT-BERT) trains the latter, and nothing in a folder
need say so. Read as an ordinary masked model, such a model looks much worse than it is.
"""

import math
from weakref import WeakSet

import torch

from tse_core.errors import InputError, warn
from tse_core.models.language_model import LanguageModel

SENTENCES = ("The keys to the old cabinet are on the table.", "The author of the books has a dog.")
# How many times as probable the masked tokens must be, on average (geometric mean).
FACTOR = 10.0
_checked: WeakSet = WeakSet()


def warn_of_shift(model: LanguageModel) -> None:
    """Warn, once for each network, where this masked model seems to predict masks a place earlier.

    There the tokens of `SENTENCES` are `FACTOR` times as probable as at their masks, and than by
    chance.
    """
    is_plain = not model.shifted and model.tokenizer is not None
    if not is_plain or model.network in _checked:
        return
    _checked.add(model.network)
    at_mask, before = _log_probabilities(model)
    if not at_mask:
        return
    mean_before = sum(before) / len(before)
    chance = -math.log(model.vocabulary_size)
    least = max(chance, sum(at_mask) / len(at_mask)) + math.log(FACTOR)
    if mean_before > least:
        warn(
            f"{model.label} predicts a masked word at the position before its mask, as models "
            "trained by masked next token prediction do; kind='mntp' (--kind mntp) reads it so"
        )


def _log_probabilities(model: LanguageModel) -> tuple[list[float], list[float]]:
    """Nats of each known token of `SENTENCES`, masked in turn: at the mask, and before it."""
    at_mask: list[float] = []
    before: list[float] = []
    for sentence in SENTENCES:
        try:
            encoding = model.encode(sentence)
        except InputError:  # which the model's own sentences would meet, too
            continue
        positions = []
        for position, token in enumerate(encoding.ids):
            if position and not encoding.special[position] and token != model.unknown_id:
                positions.append(position)
        if not positions:
            continue
        ids = torch.tensor([encoding.ids] * len(positions), device=model.device)
        rows = torch.arange(len(positions), device=model.device)
        columns = torch.tensor(positions, device=model.device)
        targets = ids[rows, columns]
        ids[rows, columns] = model.tokenizer.mask_token_id
        for values, places in ((at_mask, columns), (before, columns - 1)):
            logs = model.network.logits(ids, rows, places).float().log_softmax(-1)
            values += logs[rows, targets.to(logs.device)].tolist()
    return at_mask, before
