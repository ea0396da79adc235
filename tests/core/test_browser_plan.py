"""The plan of the browser tests leaves no pair of circumstances out."""

from itertools import combinations, product

import pytest

from browser.plan import views

PAGES = [f"page-{number}.html" for number in range(6)]


@pytest.mark.parametrize(("first", "second"), list(combinations(range(4), 2)))
def test_every_pair_of_page_width_scheme_and_address_is_seen(first, second):
    factors = [set(values) for values in zip(*views(PAGES), strict=True)]
    assert [len(factor) for factor in factors] == [len(PAGES), 3, 2, 2]
    seen = {(view[first], view[second]) for view in views(PAGES)}
    assert seen == set(product(factors[first], factors[second]))


def test_four_pages_have_every_width_in_every_way():
    assert len({view[1:] for view in views(PAGES[:4])}) == 3 * 2 * 2
