"""Sentences: surprisals of tokens and words, PLLs, minimal pairs such as those of BLiMP."""
