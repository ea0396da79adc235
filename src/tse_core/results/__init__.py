"""Finished numbers: signatures (how a number was made), the store, tidy tables, comparisons."""
