"""Forward passes: every distinct context is computed once, and logits only where they are needed.

Causal models get trees of shared prefixes, other models get batches of equally long sequences.
"""
