"""Many models on many data sets: a plan, and running it here or on the workers of Dask."""
