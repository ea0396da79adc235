"""The plan of the browser tests: every page narrow and wide, every width in every way, few of the generated pages."""

from itertools import product

from browser.plan import GENERATED, SAMPLE, seen, views

PAGES = [f"page-{number}.html" for number in range(16)]


def test_each_page_is_seen_narrow_and_wide_in_both_schemes_and_over_both_addresses():
    for page in PAGES:
        of_page = [view[1:] for view in views(PAGES) if view[0] == page]
        widths, schemes, addresses = zip(*of_page[:2], strict=True)
        assert widths == (390, 1280) and set(schemes) == {"light", "dark"} and set(addresses) == {"http", "file"}


def test_every_width_is_seen_in_every_way():
    assert {view[1:] for view in views(PAGES)} == set(product((390, 800, 1280), ("light", "dark"), ("http", "file")))


def test_written_pages_are_all_seen_and_of_the_generated_ones_the_same_few_each_time():
    generated = [f"{GENERATED}{number}.html" for number in range(50)]
    chosen = seen([*PAGES, *generated])
    assert set(PAGES) < set(chosen) and len(chosen) == len(PAGES) + SAMPLE
    assert chosen == seen([*PAGES, *generated])
