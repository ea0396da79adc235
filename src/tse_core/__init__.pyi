from . import datasets as datasets
from . import metrics as metrics
from . import syntaxgym as syntaxgym
from .agreement.evaluate import evaluate as evaluate
from .agreement.evaluate import evaluate_models as evaluate_models
from .agreement.evaluation import Evaluation as Evaluation
from .agreement.slots import score_context as score_context
from .agreement.slots import slot_distribution as slot_distribution
from .datasets.lemmas import load_lemmas as load_lemmas
from .datasets.loading import load_pairs as load_pairs
from .datasets.loading import load_sentence_pairs as load_sentence_pairs
from .errors import InputError as InputError
from .metrics.definitions import PAPER_CUTOFFS as PAPER_CUTOFFS
from .metrics.scores import cutoff_scores as cutoff_scores
from .models.language_model import LanguageModel as LanguageModel
from .models.loading import load_model as load_model
from .score_files import load_scores as load_scores
from .sentences.evaluate import evaluate_blimp as evaluate_blimp
from .sentences.preferences import score_pairs as score_pairs
from .sentences.tokens import surprisals as surprisals
from .syntaxgym.outcomes import evaluate_suite as evaluate_suite

__version__: str
