"""Progress of long work: a bar on standard error where that is a terminal, silence elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(total: int, description: str, *, unit: str = "") -> Iterator[Callable[[int], None]]:
    """A progress bar with throughput and time left; gives a function that advances it by n and may change its text."""
    if not sys.stderr.isatty():
        yield lambda n=1, text=None: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    class Speed(TextColumn):
        def render(self, task):
            task.fields["rate"] = f"{task.speed:,.0f} {unit}/s" if task.speed else ""
            return super().render(task)

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Speed("{task.fields[rate]}")]
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task(description, total=total, rate="")
        yield lambda n=1, text=None: bar.update(task, advance=n, description=text)
