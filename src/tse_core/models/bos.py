"""The BOS token: what a causal model reads before the first word of a sentence.

Many tokenizers add none. The first token then has no context that predicts it, and the model starts in the middle of a
text. In pretraining, documents were joined with one token between them, so that a model has seen this token before a
first word. It is written in a few ways only, and never is it the token that ends a turn of a chat.
"""

from itertools import chain

from tse_core.errors import InputError

WORDS = ("default", "tokenizer", "add", "none")  # values of the policy `bos` that are not a token's text
DOCUMENT_BOS = ("<|endoftext|>", "<|end_of_text|>", "<s>")  # of GPT-2, GPT-NeoX, Qwen, SmolLM; of Granite; of BLOOM


def document_bos(config, tokenizer) -> str | None:
    """The first of `DOCUMENT_BOS` that the vocabulary has, None where it has none.

    None, too, for a model whose configuration says ``bos: none`` (this project's laboratory models, which learned
    sentences with and without their [BOS]).
    """
    known = {} if getattr(config, "bos", None) == "none" else tokenizer.get_vocab()
    return next((token for token in DOCUMENT_BOS if token in known), None)


def bos_ids(name: str, tokenizer, bos: str, document_bos: str | None) -> tuple[int, ...]:
    """The ids that a causal model reads before the text under a policy (see `LanguageModel`). Raises InputError."""
    if bos == "none":
        return ()
    if bos == "add":
        if tokenizer.bos_token_id is None:
            raise InputError(f"{name} has no beginning-of-sequence token; use bos='none' or a token's text")
        return (tokenizer.bos_token_id,)
    text = document_bos if bos == "default" else None if bos == "tokenizer" else bos
    if bos in WORDS and ((own := added_by(tokenizer)) or text is None):
        return own
    if text not in tokenizer.get_vocab():
        raise InputError(
            f"bos is {text!r}, which is not a token of {name}; it must be 'default', 'tokenizer', 'add', 'none' or the "
            "text of a token"
        )
    return (tokenizer.get_vocab()[text],)


def added_by(tokenizer) -> tuple[int, ...]:
    """What the tokenizer adds before a text by itself: before "a", or else the first of its entries that it knows."""
    texts = chain(["a"], (tokenizer.decode([i], skip_special_tokens=True) for i in range(len(tokenizer))))
    encoded = ((text, tokenizer(text, add_special_tokens=False)["input_ids"]) for text in texts)
    text, plain = next((each for each in encoded if each[1]), ("", []))
    whole = tokenizer(text)["input_ids"]
    for length in range(len(whole) - len(plain) + 1):
        if whole[length : length + len(plain)] == plain:
            return tuple(whole[:length])
    return ()
