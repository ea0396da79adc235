"""The other sides of the comparison: plain loops in torch; other tools in environments of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import torch
from torch.nn.utils.rnn import pad_sequence

from benchmarks import samples
from tse_core.forward import passes

BATCH = 64
TOOLS = {
    "minicons": "minicons==0.3.39",
    "harness": "lm-eval[hf]==0.4.13",
}  # folder and requirement of each


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
        logits = model.network.module(input_ids=ids, attention_mask=mask).logits
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
            yield (
                model.network.module(input_ids=ids, logits_to_keep=1)
                .logits[:, -1]
                .float()
                .log_softmax(-1)
            )


@torch.inference_mode()
def padded_sentences(model, encodings):
    """Log-probabilities (nats) of whole sentences: padded batches, all logits, log-softmax at every place."""
    for _, ids, mask in _padded(model, [e.ids for e in encodings]):
        logits = model.network.module(input_ids=ids, attention_mask=mask).logits[:, :-1]
        found = logits.float().log_softmax(-1).gather(2, ids[:, 1:, None])[..., 0]
        yield (found * mask[:, 1:]).sum(1)


@torch.inference_mode()
def forms_alone(model, slots, forms, ends):
    """log P (nats) of each whole form at each slot, with the word's end, each form a sequence of its own.

    Batches of equally long sequences, logits from the slot on only: nothing is computed in vain but what forms share.
    """
    closing = torch.as_tensor(ends, device=model.device)
    by_length: dict[int, list] = {}
    for form in forms:
        by_length.setdefault(len(form), []).append(form)
    for slot in slots:
        for length, alike in by_length.items():
            for start in range(0, len(alike), BATCH):
                tokens = torch.tensor(alike[start : start + BATCH], device=model.device)
                ids = torch.cat(
                    [torch.tensor(slot.ids, device=model.device).expand(len(tokens), -1), tokens], 1
                )
                logits = model.network.module(input_ids=ids, logits_to_keep=length + 1).logits
                shares = logits.float().log_softmax(-1)
                spelled = shares[:, :-1].gather(2, tokens[..., None])[..., 0].sum(1)
                yield spelled + shares[:, -1, closing].logsumexp(-1)


def with_double_sums(work):
    """A piece of work that sums over the vocabulary as the package once did, in double precision."""
    with mock.patch.object(passes, "_log_sums", _double_sums):
        return work()


def _double_sums(logits, ends):
    """Logs of the sums of exp over all entries and over those that end a word, each (rows,)."""
    weights = torch.as_tensor(ends, device=logits.device).double()
    totals, totals_of_ends = [], []
    for part in logits.split(max(1, 500_000 // logits.shape[1])):
        top = part.amax(1, keepdim=True).double()
        shares = (part.double() - top).exp_()
        totals.append(shares.sum(1).log_() + top[:, 0])
        totals_of_ends.append((shares @ weights).log_() + top[:, 0])
    return torch.cat(totals).cpu(), torch.cat(totals_of_ends).cpu()


def other_tool(tool: str, task: str, model: str, payload: list[str]) -> float:
    """Seconds that another tool takes for a task, in its own environment."""
    python = _python_of(tool)
    request = {
        "task": task,
        "model": str(samples.folder_for_others(model)),
        "payload": payload,
        "batch": BATCH,
    }
    environment = os.environ | {
        "OMP_NUM_THREADS": str(torch.get_num_threads()),
        "HF_HUB_OFFLINE": "1",
    }
    environment.pop("PYTHONPATH", None)
    script = Path(__file__).with_name(f"{tool}_side.py")
    done = subprocess.run(
        [python, script], input=json.dumps(request), text=True, capture_output=True, env=environment
    )
    if done.returncode:
        raise UnavailableError((done.stderr.strip().splitlines() or ["it failed"])[-1])
    return json.loads(done.stdout.splitlines()[-1])["seconds"]


def _python_of(tool: str) -> Path:
    folder = samples.FOLDER / tool
    python = Path(os.environ.get(f"{tool.upper()}_PYTHON") or folder / "bin" / "python")
    if not python.exists():
        print(f"making an environment for {TOOLS[tool]} (once)", file=sys.stderr)
        torch_build = os.environ.get("TORCH", "torch==2.13.0")
        try:
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            for package in (torch_build, TOOLS[tool]):
                subprocess.run([python, "-m", "pip", "install", "--quiet", package], check=True)
        except (subprocess.CalledProcessError, OSError) as error:
            raise UnavailableError("its environment could not be made") from error
    return python
