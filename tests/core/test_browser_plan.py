"""The plan of the browser tests: every page narrow and wide, every width in every way, few of the generated pages."""

from itertools import product

from browser.plan import GENERATED, SAMPLE, seen, views

PAGES = [f"page-{number}.html" for number in range(16)]


def test_each_page_is_seen_narrow_and_wide_and_every_width_in_every_way():
    plan = views(PAGES)
    assert all(looks[0][0] == 390 and looks[1][0] == 1280 and looks[0][1] != looks[1][1] for _, _, looks in plan)
    every = {(width, scheme, over) for _, over, looks in plan for width, scheme in looks}
    assert every == set(product((390, 800, 1280), ("light", "dark"), ("http", "file")))


def test_written_pages_are_all_seen_and_of_the_generated_ones_the_same_few_each_time():
    generated = [f"{GENERATED}{number}.html" for number in range(50)]
    chosen = seen([*PAGES, *generated])
    assert set(PAGES) < set(chosen) and len(chosen) == len(PAGES) + SAMPLE
    assert chosen == seen([*PAGES, *generated])
