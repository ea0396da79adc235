from .definitions import METRICS as METRICS
from .definitions import PAPER_CUTOFFS as PAPER_CUTOFFS
from .definitions import Cutoffs as Cutoffs
from .definitions import Metric as Metric
from .scores import CutoffScores as CutoffScores
from .scores import agreement as agreement
from .scores import cutoff_scores as cutoff_scores
