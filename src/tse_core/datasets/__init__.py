"""Sentences and words: agreement pairs, sentence pairs, grammars that make them, verb lemmas, pinned downloads."""
