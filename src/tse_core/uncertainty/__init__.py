"""Intervals and paired comparisons that respect how the sentences were made."""
