"""A byte-pair vocabulary of the laboratory language: frequent words are one token, rare ones are cut into several.

The sentences and their probabilities are those of the word vocabulary, so a model of either has the same truth.
"""

import numpy as np
from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer
from transformers import PreTrainedTokenizerFast

from tse_book.laboratory.corpus import sentences
from tse_book.laboratory.language import SPECIAL, Language
from tse_book.laboratory.networks import as_transformers
from tse_core.datasets.pairs import NUMBERS
from tse_core.errors import InputError

SENTENCES = 20_000  # from which the merges are learned
PUNCTUATION = (".", ",")  # no space before them


def byte_pair_tokenizer(
    language: Language, regime: str, entries: int, seed: int = 0
) -> PreTrainedTokenizerFast:
    """A tokenizer of byte pairs (Sennrich et al. 2016) learned from the corpus' first 20,000 sentences.

    A word inside a sentence begins with a space, as GPT-2's tokens do; case does not matter. `entries` include special
    tokens and single letters. Raises InputError: too few for the letters, or more than the corpus' words can fill.
    """
    words = Tokenizer(BPE(unk_token=SPECIAL[1]))
    words.normalizer, words.pre_tokenizer = Lowercase(), ByteLevel(add_prefix_space=False)
    words.decoder = ByteLevelDecoder()
    text = sentences(language, regime, SENTENCES, seed)
    words.train_from_iterator(
        text, BpeTrainer(vocab_size=entries, special_tokens=list(SPECIAL), show_progress=False)
    )
    if words.get_vocab_size() != entries:
        raise InputError(
            f"a byte-pair vocabulary of this language cannot have {entries:,} entries, but {words.get_vocab_size():,}"
        )
    return as_transformers(words, "causal")


class Pieces:
    """The tokens of the language's words, so that a corpus of word ids becomes one of token ids."""

    def __init__(self, language: Language, tokenizer: PreTrainedTokenizerFast):
        words = language.vocabulary
        inside = [word if word in PUNCTUATION else " " + word for word in words]
        self.first, self.inside = (
            tokenizer(texts, add_special_tokens=False)["input_ids"]
            for texts in (list(words), inside)
        )

    def whole_verbs(self, language: Language) -> int:
        """How many verbs have both present forms as single tokens inside a sentence."""
        ids = [
            [language.word_ids(form)[0] for form in language.lemmas[number]] for number in NUMBERS
        ]
        return sum(
            all(len(self.inside[form]) == 1 for form in both) for both in zip(*ids, strict=True)
        )

    def __call__(self, row: np.ndarray) -> np.ndarray:
        """The token ids of one sentence, given as word ids."""
        ids = list(self.first[row[0]])
        for word in row[1:]:
            ids += self.inside[word]
        return np.array(ids)
