"""The gym: the suites and models of data/gym.yaml, each on each, and the pages that show them."""
