"""Forward passes: each distinct context is computed once, and logits only where needed."""
