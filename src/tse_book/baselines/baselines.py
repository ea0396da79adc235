"""Baselines that anyone can train here: an n-gram and an LSTM language model, used like every other model.

BLiMP's paper compares four models; its n-gram and LSTM models are too large or lost, so these two can be trained on any
corpus, such as the laboratory's. Each word is one vocabulary entry, and each next-word distribution covers the whole
vocabulary, so that TSE, EW, MW, BLiMP and SyntaxGym run on them unchanged.
"""

from collections import Counter
from collections.abc import Iterable

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from transformers import PreTrainedTokenizerFast

from tse_book.baselines.lstm import train_lstm
from tse_book.baselines.ngram import train_ngram
from tse_core.errors import InputError, check_known
from tse_core.models.language_model import LanguageModel

BASELINES = ("ngram", "lstm")
SPECIAL = ("[UNK]", "[BOS]", "[EOS]")


def train_baseline(
    kind: str, sentences: Iterable[str], tokenizer=None, *, name: str | None = None, **settings
) -> LanguageModel:
    """Train a model on sentences.

    Parameters
    ----------
    kind : "ngram" or "lstm"
    tokenizer : PreTrainedTokenizerFast, optional
        With a beginning and an end of sentence and an unknown token; by default :func:`word_tokenizer` of the
        sentences. Give models that are to be compared the same one.
    settings
        Of :func:`train_ngram` (order, discounts) or :func:`train_lstm` (hidden, layers, epochs, seed, ...).

    >>> model = train_baseline("ngram", ["The key is old.", "The keys are old."], order=3)
    >>> model.kind, model.tokenizer.tokenize("The keys are odd.")
    ('causal', ['the', 'keys', 'are', '[UNK]', '.'])
    """
    check_known("kind of baseline", kind, BASELINES)
    sentences = [sentence for sentence in sentences if sentence.strip()]
    if not sentences:
        raise InputError("a baseline needs a corpus: no sentence with a word was given")
    tokenizer = tokenizer or word_tokenizer(sentences)
    ids = tokenizer(sentences, add_special_tokens=False, verbose=False)["input_ids"]
    common = {"vocabulary_size": len(tokenizer), "boundary": tokenizer.bos_token_id, "end": tokenizer.eos_token_id}
    network = train_ngram(ids, **common, **settings) if kind == "ngram" else train_lstm(ids, **common, **settings)[0]
    return LanguageModel(name or kind, "causal", tokenizer, network)


def word_tokenizer(sentences: Iterable[str]) -> PreTrainedTokenizerFast:
    """One entry per word or mark, in lower case, most frequent first."""
    normalizer, splitter = Lowercase(), Whitespace()
    counts = Counter(
        word for sentence in sentences for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(sentence))
    )
    words = sorted(counts, key=lambda word: (-counts[word], word))
    entries = {word: number for number, word in enumerate([*SPECIAL, *words])}
    tokenizer = Tokenizer(WordLevel(entries, unk_token=SPECIAL[0]))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, splitter
    names = dict(zip(("unk_token", "bos_token", "eos_token"), SPECIAL, strict=True))
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)
