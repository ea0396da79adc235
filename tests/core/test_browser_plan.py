"""The plan of the browser tests: every page narrow and wide, every width in every way, few of the generated pages."""

from itertools import product

from browser.plan import GENERATED, SAMPLE, seen, views

PAGES = [f"page-{number}.html" for number in range(16)]


def test_each_page_is_seen_narrow_and_wide_in_both_schemes():
    for page, _, looks in views(PAGES):
        widths, schemes = zip(*looks[:2], strict=True)
        assert page in PAGES and widths == (390, 1280) and set(schemes) == {"light", "dark"}


def test_every_width_is_seen_in_every_way():
    every = {(width, scheme, over) for _, over, looks in views(PAGES) for width, scheme in looks}
    assert every == set(product((390, 800, 1280), ("light", "dark"), ("http", "file")))


def test_written_pages_are_all_seen_and_of_the_generated_ones_the_same_few_each_time():
    generated = [f"{GENERATED}{number}.html" for number in range(50)]
    chosen = seen([*PAGES, *generated])
    assert set(PAGES) < set(chosen) and len(chosen) == len(PAGES) + SAMPLE
    assert chosen == seen([*PAGES, *generated])
