"""Language models: their definition, and how one is opened by name, folder or command."""
