# ruff: noqa: I001

# A kind of model: what describes it.
from .models.backend import Backend as Backend
from .models.backend import Source as Source
from .models.backend import NamedModel as NamedModel
from .models.backend import TIMEOUT as TIMEOUT

# A model of your own: distributions, or surprisals alone.
from .models.network import Network as Network
from .models.surprisal_model import SurprisalModel as SurprisalModel
from .models.surprisal_model import TokenSurprisals as TokenSurprisals
from .models.spelling import Piece as Piece
from .models.spelling import placed as placed
from .models.tokenizing import BOS_WORDS as BOS_WORDS

# Models in files.
from .models.sources import hugging_face_source as hugging_face_source
from .models.discovery import backend_of as backend_of
from .models.identity import cached as cached
from .models.identity import tensor_names as tensor_names
from .models.hugging_face_network import longest as longest
from .models.folders import quiet as quiet

# Errors.
from .errors import check_known as check_known
from .errors import one_line as one_line
from .errors import parsing as parsing
from .errors import warn as warn

# Files, folders, limits.
from .files import is_file as is_file
from .files import is_folder as is_folder
from .files import is_there as is_there
from .files import read_text as read_text
from .files import read_yaml as read_yaml
from .files import read_json_object as read_json_object
from .files import decoded as decoded
from .files import parse_json as parse_json
from .files import write_output as write_output
from .files import file_digest as file_digest
from .schemas import check as check
from .schemas import read_schema as read_schema
from .paths import cache_folder as cache_folder
from .paths import data_folder as data_folder
from .paths import mirror_folder as mirror_folder
from .limits import check_bytes as check_bytes
from .limits import within as within

# Commands.
from .cli.options import results_option as results_option
from .cli.options import table_file as table_file
from .cli.commands import refuse_overwriting as refuse_overwriting
from .cli.options import required_store as required_store
from .cli.printing import print_table as print_table
from .cli.printing import write_scores as write_scores
from .progress import progress as progress

# Runs and their results.
from .agreement.by_lemma import forms_of as forms_of
from .agreement.by_lemma import require_lemmas as require_lemmas
from .agreement.settings import verb_policy as verb_policy
from .agreement.verbs import counted_verbs as counted_verbs
from .datasets.lemmas import Lemmas as Lemmas
from .datasets.loading import verb_list as verb_list
from .metrics.definitions import OF_CONTEXTS as OF_CONTEXTS
from .metrics.definitions import OF_PAIRS as OF_PAIRS
from .models.loading import AnyModel as AnyModel
from .models.loading import as_language_model as as_language_model
from .results.signature import Signature as Signature
from .results.store import Store as Store
from .sentences.evaluate import PairScores as PairScores
from .syntaxgym.library import suite_names as suite_names
from .syntaxgym.outcomes import Outcome as Outcome
from .uncertainty.intervals import interval as interval
from .uncertainty.subject_nouns import subject_clusters as subject_clusters
