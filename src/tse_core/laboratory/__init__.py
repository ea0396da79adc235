"""The laboratory: a language whose truth is known, its corpus, models trained on it, and suites in its words.

- language: words, verbs and rates as arrays;  corpus: sentences;  truth: what a perfect model would score
- training, networks, card: small GPT-2- and BERT-shaped models as Hugging Face folders
- measure: a model's scores beside the truth, held-out combinations beside seen ones
- paradigms, suites: BLiMP-style minimal pairs and SyntaxGym-style suites in the laboratory lexicon
"""

from tse_core.laboratory.corpus import sentences
from tse_core.laboratory.language import Language, load_language
from tse_core.laboratory.truth import truth

__all__ = ["Language", "load_language", "sentences", "truth"]
