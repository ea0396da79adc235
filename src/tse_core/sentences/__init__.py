"""How probable a sentence is: surprisals of tokens and words, pseudo-log-likelihoods, minimal pairs."""
