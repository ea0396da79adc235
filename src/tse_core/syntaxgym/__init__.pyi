from .accuracies import accuracy_table as accuracy_table
from .formula import Formula as Formula
from .library import list_suites as list_suites
from .library import load_suite as load_suite
from .library import load_suites as load_suites
from .outcomes import evaluate_suite as evaluate_suite
from .suites import read_suite as read_suite
