"""The laboratory: artificial languages whose truth is known, their corpora, and models that are trained on them.

- language: words, verbs and rates as arrays;  corpus: sentences;  known_truth: what a perfect model would score
- training, networks, card: small GPT-2- and BERT-shaped models as Hugging Face folders
- byte_pair: the same language in other tokens

Its minimal pairs and suites are in data/laboratory, the scores of its models beside the truth in
data/recorded/laboratory; scripts beside them made both.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
