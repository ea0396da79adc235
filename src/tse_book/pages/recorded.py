"""The tables of recorded runs that chapters show (`tse_book.recorded.accuracies`)."""

from tse_book.recorded.accuracies import recorded_accuracies as recorded_accuracies
from tse_book.recorded.accuracies import recorded_runs as recorded_runs
from tse_book.recorded.accuracies import recorded_suites as recorded_suites
