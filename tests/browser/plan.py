"""Which pages are seen, and how: every written page and a sample of the generated ones, each in two opposite views."""

import random

GENERATED = "book/gym/pages/"
SAMPLE = 6
WAYS = (("light", "http"), ("dark", "file"), ("light", "file"), ("dark", "http"))
OTHER = {"light": "dark", "dark": "light"}


def seen(pages: list[str]) -> list[str]:
    """The pages that are opened: of the gym's, which one program writes, a sample that is the same each time."""
    generated = sorted(page for page in pages if page.startswith(GENERATED))
    sample = set(random.Random(0).sample(generated, min(SAMPLE, len(generated))))  # noqa: S311  (no secret)
    return [page for page in pages if page in sample or page not in generated]


def views(pages: list[str]) -> list[tuple[str, str, list[tuple[int, str]]]]:
    """(page, over, widths and schemes): each page is opened once, narrow, and then made wide in the other scheme.

    The ways to open it take turns from page to page; every fourth page is also seen at the width of a tablet.
    """
    found = []
    for number, page in enumerate(pages):
        scheme, over = WAYS[number % 4]
        tablet = [(800, scheme)] if number % 4 == number // 4 % 4 else []
        found.append((page, over, [(390, scheme), (1280, OTHER[scheme]), *tablet]))
    return found
