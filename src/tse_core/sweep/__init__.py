"""Many models on many data sets: a plan, its tasks, and the engines that run them."""
