"""Which sentence of each minimal pair a model prefers: accuracy by paradigm and phenomenon (BLiMP and others)."""
