"""Probabilities of sentences: surprisals of tokens and words, PLLs, minimal pairs."""
