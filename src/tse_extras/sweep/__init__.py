"""Many models on many data sets: a plan, and its runs, here or on the workers of Dask."""
