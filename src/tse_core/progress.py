"""Progress of long work: a bar on standard error where that is a terminal, a line on Colab, silence elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(total: int, description: str, *, unit: str = "") -> Iterator[Callable[[int], None]]:
    """A progress bar with throughput and time left; gives a function that advances it by n and may change its text."""
    if "google.colab" in sys.modules:
        yield _line(total, description, unit)
        return
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


def _line(total: int, description: str, unit: str, every: float = 2.0) -> Callable[[int], None]:
    """One line that is written anew every few seconds: what a notebook's output can show."""
    done, started, shown = 0.0, time.monotonic(), 0.0

    def advance(n=1, text=None):
        nonlocal done, shown, description
        done, description, now = done + n, text or description, time.monotonic()
        if now - shown >= every or done >= total:
            left = (now - started) * (total - done) / done if done else 0
            end = "\n" if done >= total else ""
            print(
                f"\r{description}: {done:,.0f} of {total:,} {unit}, {left / 60:.0f} min left   ",
                end=end,
                file=sys.stderr,
            )
            shown = now

    return advance
