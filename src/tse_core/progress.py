"""Progress of long work: a bar on standard error."""

import sys

from tqdm import tqdm

from tse_core.errors import shown

FORMAT = "{desc}: {percentage:3.0f}%|{bar}| {n:,.0f}/{total:,.0f} {unit} [{elapsed}<{remaining}, {rate_fmt}{postfix}]"


def progress(total: float, description: str, *, unit: str = "", show: bool = True) -> tqdm:
    """A bar whose `update` moves it on; short work shows none, and a log gets a line every half minute."""
    stream = getattr(sys.stderr, "rich_proxied_file", sys.stderr)  # a bar needs the control characters of a terminal
    seconds = 0.5 if stream.isatty() or "ipykernel" in sys.modules else 30.0
    times = {"disable": not show, "delay": seconds, "mininterval": seconds, "maxinterval": seconds}
    return tqdm(total=total, desc=shown(description), unit=unit, file=stream, bar_format=FORMAT, **times)
