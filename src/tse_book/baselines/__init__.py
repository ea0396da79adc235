"""Baselines that anyone can train: an n-gram and an LSTM language model, used like every other model."""
