"""The laboratory: artificial languages whose truth is known, their corpora, and models that are trained on them.

Its minimal pairs and suites are in data/laboratory, the scores of its models beside the truth in
data/recorded/laboratory; scripts beside them made both.
"""
