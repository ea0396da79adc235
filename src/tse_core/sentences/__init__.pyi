from .preferences import check_pairs as check_pairs
from .preferences import check_policies as check_policies
from .preferences import default_method as default_method
from .preferences import judged as judged
from .preferences import score_pairs as score_pairs
from .tokens import check_method as check_method
from .tokens import surprisals as surprisals
from .tokens import token_surprisals as token_surprisals
