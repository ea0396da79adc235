"""Agreement pairs: each unique context scored over a whole list of verbs (Newman et al. 2021)."""
