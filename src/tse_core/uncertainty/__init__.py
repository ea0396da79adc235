"""Intervals and paired comparisons that respect how the sentences were made, and how well the intervals cover."""
