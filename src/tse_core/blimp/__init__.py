"""Minimal pairs: accuracy by paradigm and phenomenon, of BLiMP and other data."""
