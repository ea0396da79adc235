"""Sentences and words: agreement pairs, sentence pairs, grammars that make them, verb lemmas, pinned downloads.

Everything here is a plain table. Nothing here knows what a language model is.
"""
