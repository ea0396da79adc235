"""Kinds of models, each with the function that opens one by its name; `tse_core.models.loading.BACKENDS` lists them."""
