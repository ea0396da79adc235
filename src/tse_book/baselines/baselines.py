"""Baselines that anyone can train here: an n-gram and an LSTM language model, used like every other model.

BLiMP's paper compares four models; its n-gram and LSTM models are too large or lost, so these two can be trained on any
corpus, such as the laboratory's. Each word is one vocabulary entry, and each next-word distribution
covers the whole vocabulary, so that TSE, EW, MW, BLiMP and SyntaxGym run on them unchanged.
"""

import json
import shutil
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch

from tse_book.baselines.lstm import LSTM, train_lstm
from tse_book.baselines.ngram import NGram, train_ngram
from tse_core.errors import InputError, check_known
from tse_core.models.devices import usable_device
from tse_core.models.identity import safetensors_tensors, tensor_count, weights_digest
from tse_core.models.kinds.request import Request
from tse_core.models.language_model import LanguageModel
from tse_core.models.network import LazyNetwork, Network

FILE = "tse_baseline.json"  # marks a folder that holds a baseline
BASELINES = ("ngram", "lstm")


def train_baseline(
    kind: str,
    sentences: Iterable[str],
    tokenizer=None,
    *,
    name: str | None = None,
    **settings,
) -> LanguageModel:
    """Train a model on sentences.

    Parameters
    ----------
    kind : "ngram" or "lstm"
    sentences : iterable of str
    tokenizer : PreTrainedTokenizerFast, optional
        With a beginning and an end of sentence and an unknown token; by default :func:`word_tokenizer` of the
        sentences. Give models that are to be compared the same one.
    name : str, optional
    settings
        Of :func:`train_ngram` (order, discounts) or :func:`train_lstm` (hidden, layers, epochs, seed, ...).

    Returns
    -------
    LanguageModel

    Examples
    --------
    >>> model = train_baseline("ngram", ["The key is old.", "The keys are old."], order=3)
    >>> model.kind, model.tokenizer.tokenize("The keys are odd.")
    ('causal', ['the', 'keys', 'are', '[UNK]', '.'])
    """
    check_known("kind of baseline", kind, BASELINES)
    sentences = list(sentences)
    if not any(sentence.strip() for sentence in sentences):
        raise InputError("a baseline needs a corpus: no sentence with a word was given")
    tokenizer = tokenizer or word_tokenizer(sentences)
    ids = tokenizer(sentences, add_special_tokens=False, verbose=False)["input_ids"]
    common = {"vocabulary_size": len(tokenizer), "boundary": tokenizer.bos_token_id, "end": tokenizer.eos_token_id}
    network: Network
    if kind == "ngram":
        network = train_ngram(ids, **common, **settings)
    else:
        network, _ = train_lstm(ids, **common, **settings)
    return LanguageModel(name or kind, "causal", tokenizer, network)


def word_tokenizer(sentences: Iterable[str]):
    """One entry per word or mark, in lower case, most frequent first."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.normalizers import Lowercase
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import PreTrainedTokenizerFast

    normalizer, splitter = Lowercase(), Whitespace()
    counts = Counter(
        word for sentence in sentences for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(sentence))
    )
    special = ("[UNK]", "[BOS]", "[EOS]")
    words = [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    entries = {word: number for number, word in enumerate([*special, *words])}
    tokenizer = Tokenizer(WordLevel(entries, unk_token=special[0]))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, splitter
    names = dict(zip(("unk_token", "bos_token", "eos_token"), special, strict=True))
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)


def save_baseline(model: LanguageModel, folder: str | Path) -> None:
    """Write a baseline as a folder that :func:`load_model` opens: JSON, safetensors, tokenizer.

    Raises
    ------
    InputError
        The model is not a baseline, or the folder already holds something or cannot be written; nothing is left then.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    network, folder = model.network, Path(folder)
    if isinstance(network, LazyNetwork):
        network = network.opened
    if not isinstance(network, NGram | LSTM):
        raise InputError(f"{model.name} is not a baseline; only n-gram and LSTM models are saved here")
    arrays = {name: np.ascontiguousarray(array) for name, array in network.arrays().items()}
    with folder_aside(folder) as aside:
        try:
            save_file(arrays, aside / "model.safetensors")
        except SafetensorError as error:  # for lack of space, say
            raise InputError(f"{folder}: cannot be written ({error})") from error
        model.tokenizer.save_pretrained(aside)
        (aside / FILE).write_text(json.dumps(network.configuration(), indent=1) + "\n", encoding="utf-8")


@contextmanager
def folder_aside(path: str | Path) -> Iterator[Path]:
    """A folder to write into, which appears as `path` once it is complete; nothing is left of one that is not.

    Raises InputError where `path` holds something already, the disk is full or the place not to be written.
    """
    path = Path(path)
    aside = path.with_name(f"{path.name[:40]}.{uuid.uuid4().hex[:12]}.part")
    try:
        if path.is_file() or (path.is_dir() and any(path.iterdir())):
            raise InputError(f"{path} exists already: name another folder or remove it")
        aside.mkdir(parents=True)
        yield aside
        aside.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def load_baseline(request: Request) -> LanguageModel:
    """Open a folder that :func:`save_baseline` wrote; :func:`tse_core.load_model` calls it, for folders with `FILE`.

    A baseline is a causal model in float32 without revisions; an n-gram model runs on the CPU.
    """
    from transformers import PreTrainedTokenizerFast

    folder, name = Path(request.place), request.name
    try:
        settings = json.loads((folder / FILE).read_text(encoding="utf-8"))
        tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
        size = settings["vocabulary_size"]
        what = settings["kind"]
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise _unreadable(folder, error) from error
    check_known("kind of baseline", what, BASELINES)
    allowed = {"kind": (None, "causal"), "dtype": ("float32",), "revision": (None,)}
    if what == "ngram":
        allowed["device"] = ("auto", "cpu")
    for option, values in allowed.items():
        if (value := getattr(request, option)) not in values:
            raise InputError(f"{name} is a baseline ({what}); {option} can only be {values[-1]!r}, not {value!r}")
    file = folder / "model.safetensors"
    if not file.is_file():
        raise InputError(f"{folder} is no readable baseline (it has no model.safetensors)")
    safetensors_tensors([file])  # says at once what is wrong with it
    where = torch.device("cpu") if what == "ngram" else usable_device(request.device)
    network = LazyNetwork(
        lambda: _read(folder, settings, where),
        files=lambda: [file],
        digest=lambda files: weights_digest(safetensors_tensors(files), settings),
        settings=settings,
        size=lambda: tensor_count([file]),
        vocabulary_size=size,
        device=where,
    )
    return LanguageModel(name, "causal", tokenizer, network, bos=request.bos)


def _read(folder: Path, settings: dict, device: torch.device) -> NGram | LSTM:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    settings = dict(settings)
    try:
        arrays = load_file(folder / "model.safetensors")
        if settings.pop("kind") == "ngram":
            orders = range(1, settings.pop("order") + 1)
            keys, counts = ([arrays[f"{part}_{order}"] for order in orders] for part in ("keys", "counts"))
            return NGram(keys, counts, **settings)
        network = LSTM(**settings)
        missing, _ = network.load_state_dict({k: torch.from_numpy(a) for k, a in arrays.items()}, strict=False)
        if set(missing) - {"output.weight"}:
            raise KeyError(*missing)
        return network.eval().to(device)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise _unreadable(folder, error) from error


def _unreadable(folder: Path, error: Exception) -> InputError:
    return InputError(f"{folder} is no readable baseline ({' '.join(str(error).split())[:200]})")
