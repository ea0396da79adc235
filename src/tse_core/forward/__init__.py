"""Forward passes: every distinct context is computed once, and logits only where somebody asks for them.

Causal models get trees of shared prefixes, other models get batches of equally long sequences.
"""
