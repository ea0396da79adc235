"""``tse book gym``: evaluate every suite on every model of data/gym.yaml; write what the gym's page shows."""

from pathlib import Path
from typing import Annotated

import typer

from tse_book.cli import book
from tse_core.cli import options
from tse_core.cli.printing import print_table
from tse_core.errors import InputError


@book.command()
def gym(
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file other than data/gym.yaml.")
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write the data of the book's page into it."),
    ] = None,
) -> None:
    """Evaluate every suite on every model of data/gym.yaml.

    Only what is new is computed.

    Example:  tse book gym --config my-gym.yaml
    """
    from tse_book.gym import load_gym, recorded_outcomes, run_gym, write_page_data
    from tse_core.progress import progress
    from tse_core.syntaxgym.accuracies import accuracy_table

    chosen = load_gym(config)
    outcomes, trouble = list(recorded_outcomes(chosen)), None
    with progress(len(chosen.models) * len(chosen.suites), "gym", unit="suites") as bar:
        try:
            for outcome in run_gym(chosen, options.required_store()):
                outcomes.append(outcome)
                bar.update()
        except InputError as error:  # what failed; the rest is shown and written first
            trouble = error
    if trouble and not outcomes:
        raise trouble
    table = accuracy_table(outcomes, chosen.unknown)
    print_table(table, ["model", "suite", "circuit", "accuracy", "correct", "judged", "unknown"])
    if page:
        write_page_data(chosen, outcomes, page)
    if trouble:
        raise trouble
