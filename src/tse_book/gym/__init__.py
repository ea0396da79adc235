"""The gym: every suite of data/gym.yaml on every model there, and the pages that show the results."""
