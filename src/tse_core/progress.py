"""Progress of long work: a bar on standard error."""

import sys

from tqdm import tqdm

from tse_core.errors import shown

FORMAT = "{desc}: {percentage:3.0f}%|{bar}| {n:,.0f}/{total:,.0f} {unit} [{elapsed}<{remaining}, {rate_fmt}{postfix}]"


def progress(total: float, description: str, *, unit: str = "") -> tqdm:
    """A bar whose `update` moves it on; short work shows none, and a log gets a line every half minute."""
    seconds = 0.5 if sys.stderr.isatty() or "ipykernel" in sys.modules else 30.0
    times = {"delay": seconds, "mininterval": seconds, "maxinterval": seconds}
    return tqdm(total=total, desc=shown(description), unit=unit, bar_format=FORMAT, **times)
