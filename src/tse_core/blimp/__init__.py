"""BLiMP: 67 paradigms of 1,000 minimal pairs in 12 phenomena (Warstadt et al. 2020), or any other paradigms."""
