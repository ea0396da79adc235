"""Finished numbers: signatures that say how a number was made, the store, tidy tables, comparisons."""
