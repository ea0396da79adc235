from .scores import PAPER_CUTOFFS as PAPER_CUTOFFS
from .scores import Cutoffs as Cutoffs
from .scores import CutoffScores as CutoffScores
from .scores import agreement as agreement
from .scores import cutoff_scores as cutoff_scores
from .scores import tse_scores as tse_scores
