from .defects import pair_defects as pair_defects
from .scores import PairScores as PairScores
from .scores import accuracies as accuracies
from .scores import evaluate_blimp as evaluate_blimp
from .scores import pairs_work as pairs_work
from .tables import GROUPS as GROUPS
from .tables import accuracy as accuracy
from .tables import compare as compare
