from .defects import pair_defects as pair_defects
from .scores import GROUPS as GROUPS
from .scores import PairScores as PairScores
from .scores import accuracies as accuracies
from .scores import accuracy as accuracy
from .scores import compare as compare
from .scores import evaluate_blimp as evaluate_blimp
from .scores import pairs_work as pairs_work
