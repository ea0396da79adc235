from .passes import blocks as blocks
from .passes import logits as logits
from .passes import target_log_probabilities as target_log_probabilities
from .word_forms import FormScores as FormScores
from .word_forms import FormTree as FormTree
from .word_forms import form_log_probabilities as form_log_probabilities
from .word_forms import form_tree as form_tree
