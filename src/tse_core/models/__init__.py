"""Language models: their definition, and how one is opened by name, folder or command.

A `LanguageModel` is a tokenizer, a network and the policies that turn text into token ids. Hugging Face models, GGUF
files, programs behind a command and models behind a server are opened here; an installed package can add other kinds.
"""
