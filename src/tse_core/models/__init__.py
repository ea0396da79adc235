"""Language models: their definition, and how one is opened by name, folder or command.

A `LanguageModel` is a tokenizer, a network and the policies that turn text into token ids. Hugging Face networks,
n-gram and LSTM baselines, programs behind a command and models behind a server are opened here.
"""
