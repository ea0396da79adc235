"""Sentences and words: agreement pairs, sentence pairs, grammars that make them, verb lemmas, pinned downloads.

Nearly everything here is a plain table. No model is opened or run here.
"""
