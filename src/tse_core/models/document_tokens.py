"""The token that stood between the documents of a model's training data.

Many tokenizers add no BOS token. The first token then has no context that predicts it, and the
model starts in the middle of a text. In pretraining, documents were joined with one token between
them, so that a model has seen this token before a first word. data/document_tokens.csv lists these
tokens with the families of models that have them, and where each was read.
"""

import csv
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from tse_core.errors import InputError
from tse_core.files import read_text
from tse_core.models.tokenizing import special_tokens
from tse_core.paths import data_folder

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedTokenizerFast

# Names of tokens that begin or end the turn of a chat, or name a speaker.
OF_CHAT = re.compile(
    r"im_(start|end|sep)|turn|user|assistant|system|human|role|header|message|INST|eot|eom",
    re.IGNORECASE,
)


class DocumentToken(NamedTuple):
    """A row of data/document_tokens.csv."""

    token: str
    model_type: str  # of transformers, if the row is for this type alone; else empty
    families: str
    source: str


@cache
def document_tokens() -> tuple[DocumentToken, ...]:
    """The rows of data/document_tokens.csv, in order."""
    text = read_text(data_folder() / "document_tokens.csv")
    return tuple(DocumentToken(**row) for row in csv.DictReader(text.splitlines()))


def document_bos(config: "PreTrainedConfig", tokenizer: "PreTrainedTokenizerFast") -> str | None:
    """The token between documents, by its role; None where the tokenizer shows none.

    It is the first row of `document_tokens` for the model's type, or else for any type, that is a
    special token of the vocabulary: an ordinary entry may have the same text (in Gemma's
    vocabulary, `<s>` is a tag of HTML). Without one, it is the tokenizer's own BOS token, unless
    that belongs to chat. None, too, for a model whose configuration says ``bos: none`` (this
    project's laboratory models, which learned sentences with and without their [BOS]).
    """
    if reads_none(config):
        return None
    special = set(special_tokens(tokenizer).values())
    for model_type in (config.model_type, ""):
        for row in document_tokens():
            if row.model_type == model_type and row.token in special:
                return row.token
    return own_bos(tokenizer)


def reads_none(config: "PreTrainedConfig") -> bool:
    """Whether a configuration says ``bos: none``. Raises InputError for any other word there."""
    bos = getattr(config, "bos", None)
    if bos not in (None, "none"):
        raise InputError(f"config.json says bos: {bos!r}; there it can be 'none' alone")
    return bos == "none"


def own_bos(tokenizer: "PreTrainedTokenizerFast") -> str | None:
    """The tokenizer's BOS token; None without one, and for one that marks a turn of a chat.

    It does by its name, or where the chat template writes it into its loop over messages.
    """
    token = tokenizer.bos_token
    _, _, turns = str(tokenizer.chat_template or "").partition("for ")
    if not token or OF_CHAT.search(token) or token in turns:
        return None
    return str(token)
