from .scores import CutoffScores as CutoffScores
from .scores import agreement as agreement
from .scores import cutoff_scores as cutoff_scores
from .table import METRICS as METRICS
from .table import PAPER_CUTOFFS as PAPER_CUTOFFS
from .table import Cutoffs as Cutoffs
from .table import Metric as Metric
