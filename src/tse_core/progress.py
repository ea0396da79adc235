"""Progress of long work: a bar on standard error."""

import sys

from tqdm import tqdm

from tse_core.errors import shown

FORMAT = "{desc}: {percentage:3.0f}%|{bar}| {n:,.0f}/{total:,.0f} {unit} [{elapsed}<{remaining}, {rate_fmt}{postfix}]"


def progress(total: float, description: str, *, unit: str = "") -> tqdm:
    """A bar whose `update` moves it on; short work shows none, and a log gets a line every half minute."""
    watched = sys.stderr.isatty() or type(sys.stderr).__module__.startswith("ipykernel")
    seconds = 0.5 if watched else 30.0
    times = {"delay": seconds, "mininterval": seconds, "maxinterval": seconds}
    return tqdm(total=total, desc=shown(description), unit=unit, bar_format=FORMAT, **times)
