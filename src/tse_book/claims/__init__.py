"""The claims of the papers and the verdicts on them, judged from numbers that were measured elsewhere."""
