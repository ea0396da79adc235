"""The short names of models that charts and tables show."""

SHOWN_NAMES = {
    "smollm2-135m-instruct": "SmolLM2",
    "gemma-3-270m": "Gemma 3",
    "bert-large-cased": "BERT cased",
    "bert-large-uncased": "BERT uncased",
    "roberta-large": "RoBERTa",
    "gpt2-xl": "GPT-2 XL",
    "lab-systematic-causal": "Laboratory, systematic",
    "lab-lexical-causal": "Laboratory, lexical",
    "lab-systematic-masked": "Laboratory, systematic, masked",
    "lab-lexical-masked": "Laboratory, lexical, masked",
}
