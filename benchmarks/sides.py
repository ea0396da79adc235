"""The other sides of the comparison: plain loops in torch, and minicons in an environment of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import torch
from torch.nn.utils.rnn import pad_sequence

from benchmarks import samples

BATCH = 64
MINICONS = samples.FOLDER / "minicons"


class UnavailableError(RuntimeError):
    """A side that cannot run here."""


def drained(blocks) -> None:
    """Blocks computed and let go, one after another, as the metrics use them."""
    for _ in blocks:
        pass


def _padded(model, sequences):
    """Batches in the order of the sequences: (ids, attention mask), padded on the right."""
    for start in range(0, len(sequences), BATCH):
        rows = [torch.tensor(ids) for ids in sequences[start : start + BATCH]]
        ids = pad_sequence(rows, batch_first=True)
        lengths = torch.tensor([len(row) for row in rows])
        mask = (torch.arange(ids.shape[1]) < lengths[:, None]).long()
        yield start, ids.to(model.device), mask.to(model.device)


@torch.inference_mode()
def padded_loop(model, slots):
    """Log-probabilities at one slot of each sequence: padded batches, all logits, log-softmax at the slot."""
    for start, ids, mask in _padded(model, [slot.ids for slot in slots]):
        logits = model.network.opened.module(input_ids=ids, attention_mask=mask).logits
        places = torch.tensor([slot.position for slot in slots[start : start + len(ids)]])
        yield logits[torch.arange(len(logits)), places].float().log_softmax(-1)


@torch.inference_mode()
def equal_lengths(model, slots):
    """The same without padding: batches of equally long sequences, logits of the last position only."""
    by_length: dict[int, list] = {}
    for slot in slots:
        by_length.setdefault(len(slot.ids), []).append(slot.ids)
    for sequences in by_length.values():
        for start in range(0, len(sequences), BATCH):
            ids = torch.tensor(sequences[start : start + BATCH], device=model.device)
            yield model.network.opened.module(input_ids=ids, logits_to_keep=1).logits[:, -1].float().log_softmax(-1)


@torch.inference_mode()
def padded_sentences(model, encodings):
    """Log-probabilities (nats) of whole sentences: padded batches, all logits, log-softmax at every place."""
    for _, ids, mask in _padded(model, [e.ids for e in encodings]):
        logits = model.network.opened.module(input_ids=ids, attention_mask=mask).logits[:, :-1]
        found = logits.float().log_softmax(-1).gather(2, ids[:, 1:, None])[..., 0]
        yield (found * mask[:, 1:]).sum(1)


def minicons(task: str, model: str, payload: list[str]) -> float:
    """Seconds that minicons takes for a task, in its own environment."""
    python = _minicons_python()
    request = {"task": task, "model": str(samples.folder_for_others(model)), "payload": payload, "batch": BATCH}
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
        except (subprocess.CalledProcessError, OSError) as error:
            raise UnavailableError("its environment could not be made") from error
    return python
