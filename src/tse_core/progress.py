"""Progress of long work: a bar on standard error."""

import sys

from tqdm import tqdm

from tse_core.errors import shown

FORMAT = (
    "{desc}: {percentage:3.0f}%|{bar}| {n:,.0f}/{total:,.0f} {unit} "
    "[{elapsed}<{remaining}, {rate_fmt}{postfix}]"
)


def progress(total: float, description: str, *, unit: str = "") -> tqdm:
    """A bar whose `update` advances it; short work shows none, a log gets a line in 30 seconds."""
    is_notebook = type(sys.stderr).__module__.startswith("ipykernel")
    seconds = 0.5 if sys.stderr.isatty() or is_notebook else 30.0
    times = {"delay": seconds, "mininterval": seconds, "maxinterval": seconds}
    return tqdm(total=total, desc=shown(description), unit=unit, bar_format=FORMAT, **times)
