"""Forward passes: every distinct context is computed once, and logits only where they are needed."""
