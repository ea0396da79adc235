"""A model on agreement pairs: every unique context is scored over a whole list of verbs (Newman et al. 2021)."""
