"""Progress of long work: a bar on a terminal, one renewed line on Colab, elsewhere a line every half minute.

Under nohup, in CI and in logs, work that takes less than half a minute prints nothing.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from tse_core.errors import shown

EVERY = 30.0  # seconds between two lines of a log
ON_COLAB = 2.0


class Advance(Protocol):
    """Moves progress on by n, in its unit, and may change its text."""

    def __call__(self, n: float = 1, text: str | None = None) -> None: ...


@contextmanager
def progress(total: int, description: str, *, unit: str = "") -> Iterator[Advance]:
    """Progress with throughput and time left on standard error; gives the function that advances it."""
    description = shown(description)
    if "google.colab" in sys.modules:
        yield _lines(total, description, unit, every=ON_COLAB, renewed=True)
        return
    if not sys.stderr.isatty():
        yield _lines(total, description, unit, every=EVERY)
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

    columns = [
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        Speed("{task.fields[rate]}"),
    ]
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task(description, total=total, rate="")

        def advance(n: float = 1, text: str | None = None) -> None:
            bar.update(task, advance=n, description=text and shown(text))

        yield advance


def _lines(total: int, description: str, unit: str, every: float, renewed: bool = False) -> Advance:
    """Lines on standard error, one every few seconds; a renewed one replaces the line before (in a notebook).

    The last line says that all is done; it is left out of a log without earlier lines.
    """
    done, ended, started = 0.0, False, time.monotonic()
    said = started - every if renewed else started

    def advance(n: float = 1, text: str | None = None) -> None:
        nonlocal done, ended, said, description
        done, description, now = done + n, shown(text or description), time.monotonic()
        whole, first = done >= total - 1e-6, said == started
        if not done or ended or (now - said < every and (not whole or first)):
            return
        seconds = max(now - started, 1e-3)
        speed = f", {done / seconds:,.0f}/s" if done >= seconds else ""
        left = f"took {duration(seconds)}" if whole else f"{duration(seconds * (total - done) / done)} left"
        line = f"{description}: {done:,.0f} of {total:,} {unit}".rstrip() + f"{speed}, {left}"
        print(
            f"\r{line}   " if renewed else line, end="\n" if whole or not renewed else "", file=sys.stderr, flush=True
        )
        said, ended = now, whole

    return advance


def duration(seconds: float) -> str:
    """A duration in words: 40 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
