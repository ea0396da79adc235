"""The BOS token: what a causal model reads before the first word of a sentence.

Many tokenizers add none. The first token then has no context that predicts it, and the model starts in the middle of a
text. In pretraining, documents were joined with one token between them, so that a model has seen this token before a
first word. `DOCUMENT_BOS` says which token it was, family by family, and where that is documented.
"""

from tse_core.errors import InputError

WORDS = ("default", "tokenizer", "add", "none")  # values of the policy `bos` that are not a token's text
PAPERS_OWN = ("gpt2-xl", "openai-community/gpt2-xl")  # Newman et al. gave it no BOS token


DOCUMENT_BOS = {  # model_type of the configuration -> the token before each document in pretraining, and its source
    "gpt2": "<|endoftext|>",  # github.com/openai/gpt-2: src/generate_unconditional_samples.py
    "gpt_neo": "<|endoftext|>",  # github.com/EleutherAI/gpt-neo: data/create_tfrecords.py
    "gptj": "<|endoftext|>",  # github.com/kingoflolz/mesh-transformer-jax: create_finetune_tfrecords.py
    "gpt_neox": "<|endoftext|>",  # Black et al. 2022; github.com/EleutherAI/gpt-neox: --append-eod (Pythia too)
    "mpt": "<|endoftext|>",  # github.com/mosaicml/llm-foundry: convert_dataset_hf.py --eos_text
    "qwen2": "<|endoftext|>",  # github.com/QwenLM/Qwen: tokenization_note.md
    "qwen3": "<|endoftext|>",  # as Qwen2
    "llama": "<|endoftext|>",  # SmolLM: github.com/huggingface/smollm: pre-training/smollm1 (bos_token_id: 0)
}  # a Llama whose tokenizer adds <s> keeps that


def document_bos(name: str, config, tokenizer) -> str | None:
    """The BOS token that the policy "default" gives a causal model whose tokenizer adds none.

    The family's documented token where the vocabulary has it, else the tokenizer's end-of-text token. None for a model
    whose configuration says ``bos: none`` (this project's laboratory models, which learned sentences with and without
    their [BOS]) and for the paper's own GPT-2 XL.
    """
    if name in PAPERS_OWN or getattr(config, "bos", None) == "none":
        return None
    vocabulary = tokenizer.get_vocab()
    known = DOCUMENT_BOS.get(config.model_type)
    return known if known in vocabulary else tokenizer.eos_token


def bos_ids(name: str, tokenizer, bos: str, document_bos: str | None) -> tuple[int, ...]:
    """The ids that a causal model reads before the text under a policy (see `load_model`). Raises InputError."""
    if bos == "none":
        return ()
    if bos == "add":
        if tokenizer.bos_token_id is None:
            raise InputError(f"{name} has no beginning-of-sequence token; use bos='none' or a token's text")
        return (tokenizer.bos_token_id,)
    if bos not in WORDS:
        return (token_id(name, tokenizer, bos),)
    own = _added(tokenizer)
    if own or bos == "tokenizer" or document_bos is None:
        return own
    return (token_id(name, tokenizer, document_bos),)


def token_id(name: str, tokenizer, text: str) -> int:
    """The id of a vocabulary entry by its text. Raises InputError."""
    found = tokenizer.get_vocab().get(text)
    if found is None:
        end = tokenizer.eos_token or tokenizer.bos_token
        example = f", e.g. {end!r}" if end else ""
        raise InputError(
            f"bos is {text!r}, which is not a token of {name}; it must be 'default', 'tokenizer', 'add', 'none' or the "
            f"text of a token{example}"
        )
    return found


def _added(tokenizer) -> tuple[int, ...]:
    """What the tokenizer adds before a text by itself."""
    whole, plain = tokenizer("a")["input_ids"], tokenizer("a", add_special_tokens=False)["input_ids"]
    for length in range(len(whole) - len(plain) + 1):
        if whole[length : length + len(plain)] == plain:
            return tuple(whole[:length])
    return ()
