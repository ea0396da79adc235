"""Which page is seen how: pairwise over page, width, colour scheme and address, not every combination."""

WIDTHS = (390, 800, 1280)
WAYS = (("light", "http"), ("dark", "file"), ("light", "file"), ("dark", "http"))


def views(pages: list[str]) -> list[tuple[str, int, str, str]]:
    """(page, width, scheme, over): each page at every width, in both schemes and over both addresses, in three views.

    The ways to open it take turns from page to page, so that four pages have every width in every way.
    """
    return [
        (page, width, *WAYS[(number + turn) % len(WAYS)])
        for number, page in enumerate(pages)
        for turn, width in enumerate(WIDTHS)
    ]
