"""Small random models with tokenizers of the four usual kinds, which need nothing beside the repository.

Nothing is trained here, and the weights come from a generator whose numbers never change: `tests/golden` holds scores
of these models by other programs. They change with the laboratory's tokenizers, of which the entries are taken.
"""

import atexit
import json
import shutil
import string
import tempfile
import zlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, decoders, normalizers
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.processors import TemplateProcessing

from hub import write_tokenizer
from tiny import SPECIAL
from tse_core.paths import data_folder

SIZE = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
}
TOKENIZERS = {"gpt2": "gpt2", "bert-cased": "bert-base-cased", "roberta": "roberta-base"}
ACCENTED = "éèï"
TEXT = {"encoding": "utf-8", "newline": "\n"}  # the same files on every system
CHARACTERS = sorted(string.ascii_letters + string.digits + string.punctuation + ACCENTED)


@cache
def stand_ins() -> Path:
    """The folder of the stand-ins, written once a process and removed at its end."""
    folder = Path(tempfile.mkdtemp(prefix="stand-ins-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return write_stand_ins(folder)


def write_stand_ins(root: Path) -> Path:
    """Byte-level BPE (causal, masked), WordPiece and SentencePiece's BPE, in folders named as the reference models.

    The mask of `random-roberta` leaves the space before it in the text; that of `random-roberta-lstrip` takes the
    space, as the public RoBERTa's does. They are the same network.
    """
    entries = _write_entries(root / "entries")
    for kind, name in TOKENIZERS.items():
        folder = root / f"random-{kind}"
        folder.mkdir()
        _network(kind, write_tokenizer(folder, name, entries)).save_pretrained(folder)
    _write_mask_with_its_space(root / "random-roberta", root / "random-roberta-lstrip")
    folder = root / "stories260K"
    _network("llama", _write_sentence_piece(folder)).save_pretrained(folder)
    return root


def draw_weights(module: torch.nn.Module, spread: float = 0.3) -> torch.nn.Module:
    """Random matrices that depend on their names and shapes alone; vectors stay as they are."""
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if parameter.dim() > 1:
                numbers = np.random.RandomState(zlib.crc32(name.encode())).normal(
                    0, spread, tuple(parameter.shape)
                )
                parameter.copy_(torch.from_numpy(numbers))
    return module


def _network(kind: str, vocabulary: int) -> torch.nn.Module:
    size: dict = {"vocab_size": vocabulary}
    if kind == "gpt2":
        ends = {"bos_token_id": 0, "eos_token_id": 0}
        config = transformers.GPT2Config(
            n_embd=32, n_layer=2, n_head=2, n_positions=256, **ends, **size
        )
        return draw_weights(transformers.GPT2LMHeadModel(config))
    if kind == "roberta":
        config = transformers.RobertaConfig(
            max_position_embeddings=258, type_vocab_size=1, **SIZE, **size
        )
        return draw_weights(transformers.RobertaForMaskedLM(config))
    if kind == "llama":
        config = transformers.LlamaConfig(max_position_embeddings=256, **SIZE, **size)
        return draw_weights(transformers.LlamaForCausalLM(config))
    return draw_weights(
        transformers.BertForMaskedLM(
            transformers.BertConfig(max_position_embeddings=256, **SIZE, **size)
        )
    )


def _write_entries(root: Path) -> Path:
    """The files that `write_tokenizer` reads: words and letters for WordPiece, the laboratory's merges for BPE."""
    known = [
        word
        for word in _laboratory("lab-lexical-masked")["vocab"]
        if len(word) > 1 and word.isalpha()
    ]
    letters = [*CHARACTERS, *(f"##{letter}" for letter in CHARACTERS), "##ed", "##ing"]
    (root / "bert-cased").mkdir(parents=True)
    capitals = [word.capitalize() for word in known]
    entries = [*SPECIAL, *letters, *known, *capitals]
    (root / "bert-cased" / "vocab.txt").write_text("\n".join(entries) + "\n", **TEXT)
    for kind, special in (
        ("gpt2", ["<|endoftext|>"]),
        ("roberta", ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]),
    ):
        (root / kind).mkdir()
        accented = [
            ByteLevel(add_prefix_space=False).pre_tokenize_str(letter)[0][0] for letter in ACCENTED
        ]
        vocabulary, merges = _pieces([*special, *sorted(ByteLevel.alphabet())], "Ġ", accented)
        (root / kind / "vocab.json").write_text(json.dumps(vocabulary), **TEXT)
        (root / kind / "merges.txt").write_text(
            "".join(f"{left} {right}\n" for left, right in merges), **TEXT
        )
    return root


def _write_mask_with_its_space(source: Path, folder: Path) -> None:
    """A copy of a masked model whose mask takes the space before it."""
    shutil.copytree(source, folder)
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    for token in tokenizer["added_tokens"]:
        token["lstrip"] = token["content"] == "<mask>"
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), **TEXT)


def _write_sentence_piece(folder: Path) -> int:
    """A tokenizer that marks words as SentencePiece does and puts <s> before each sentence; how many entries it has."""
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    vocabulary, merges = _pieces([*special, "▁", *CHARACTERS], "▁")
    tokenizer = Tokenizer(
        BPE(vocabulary, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True)
    )
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    tokenizer.post_processor = TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    names = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(
        folder
    )
    return len(vocabulary)


def _pieces(
    first: list[str], space: str, pairs: Iterable[str] = ()
) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Entries and merges: some of its own, the laboratory's, then a space with whatever comes after it."""
    merges = dict.fromkeys((left, right) for left, right in pairs)
    for pair in _laboratory("lab-lexical-causal-bpe")["merges"]:
        left, right = (part.replace("Ġ", space) for part in pair)
        merges[left, right] = None
    begun = [*CHARACTERS, *(left + right for left, right in merges if not left.startswith(space))]
    merges |= dict.fromkeys((space, part) for part in begun if len(part) > 1 or part in first)
    entries = dict.fromkeys([*first, *(left + right for left, right in merges)])
    return {entry: i for i, entry in enumerate(entries)}, [*merges]


def _laboratory(model: str) -> dict:
    """What the tokenizer of a model of the laboratory knows."""
    return json.loads(
        (data_folder() / "models" / model / "tokenizer.json").read_text(encoding="utf-8")
    )["model"]
