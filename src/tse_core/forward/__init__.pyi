from .passes import blocks as blocks
from .passes import logits as logits
from .passes import target_log_probabilities as target_log_probabilities
