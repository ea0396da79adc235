"""Sentences and words: agreement and sentence pairs, grammars, verb lemmas, pinned downloads."""
