"""The prediction language: precedence, exactness, meaning, and errors that name the character."""

import contextlib
import operator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tse_core.errors import InputError
from tse_core.syntaxgym.formula import Formula

NO_TOTALS = {}
AB = {(1, "a"): 3.0, (2, "a"): 4.5, (1, "b"): 7.5, (2, "b"): 0.0}


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("3>2 | 1>2 & 1>2", False),  # & and | have equal rank, from the left
        ("1>2 & 1>2 | 3>2", True),
        ("3>2 | (1>2 & 1>2)", True),
        ("10 - 3 - 2 = 5", True),  # from the left
        ("10 - (3 - 2) = 9", True),
        ("1 + 1 < 3", True),  # + before <
        ("2 = 1 + 1 & 1 < 2", True),  # = before &
        ("[ [1;%a%] + [2;%a%] ] = (1;%b%)", True),  # square brackets too
        ("(*;%a%) = 7.5 & (*;%b%) > 7", True),
        ("( 1 ; % a % )<(1;%b%)", True),
        (".5 < 1. & 007 = 7", True),
        ("-1 < .5 & 1 - -1 = 2 & 1--1 = 2 & 1-1 = 0 & +1++1 = 2", True),  # as pyparsing reads them
        ("1e-3 = .001 & 1.5E+2 = 150 & -.5e1 = -5 & -0 = 0", True),
        ("(1;%a%)-1e0 = 2", True),
    ],
)
def test_what_a_formula_says(text, truth):
    assert Formula.parse(text).holds(AB) is truth


def test_closeness_is_numpys():
    for left, right in [
        (0, 0.001),
        (0, 0.00102),
        (100, 100.002),
        (100, 100.00201),
        (5.5, 5.499),
        (1e6, 1e6 + 10),
    ]:
        text = f"{left:.6f} = {right:.6f}"
        assert Formula.parse(text).holds(NO_TOTALS) == bool(
            np.isclose(left, right, rtol=1e-5, atol=1e-3)
        ), text


@pytest.mark.parametrize(
    ("text", "position", "about"),
    [
        ("1<2<3", 4, "unexpected '<'"),
        ("(1<2)+1 > 3", 6, "unexpected '+'"),
        ("1<2 & 3", 8, "too early; it must compare"),
        ("", 1, "too early"),
        ("(1<2]", 5, "unexpected ']'"),
        ("(1.5;%a%) < 2", 5, "unexpected ';'"),
        ("(1;%%) < 2", 4, "unexpected '%'"),
        ("1" * 201 + " < 2", 201, "unexpected '1'"),
        ("-(1;%a%) < 2", 1, "unexpected '-'"),  # a sign belongs to a number, and stands before it
        ("- 1 < 2", 1, "unexpected '-'"),
        ("(-1;%a%) < 2", 4, "unexpected ';'"),
        ("1e3.5 < 2", 4, "unexpected '.'"),
    ],
)
def test_errors_name_the_character(text, position, about):
    with pytest.raises(InputError, match=rf"^formula, character {position}: ") as error:
        Formula.parse(text)
    assert about in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(*;%c%) < 3", "character 2: no condition 'c'; there is: a, b"),
        ("3 > (9;%a%)", "character 6: no region 9; there is: 1, 2"),
        ("1 < 2 | (1;%c%) < 3", "no condition 'c'"),  # also where the first part decides
    ],
)
def test_unknown_conditions_and_regions_are_errors_not_zeros(text, message):
    with pytest.raises(InputError, match=message):
        Formula.parse(text).holds(AB)


@pytest.mark.parametrize(
    "text", ["1<2" + " & 1<2 | 1<2" * 76, "1+(" * 248 + "1" + ")" * 248 + "<2", "x" * 1_000_000]
)
def test_the_longest_formulas_are_read_or_refused(text):
    with contextlib.suppress(InputError):
        formula = Formula.parse(text)
        assert formula.holds(NO_TOTALS) == formula.parts(NO_TOTALS)[0].value
        assert Formula.parse(str(formula)) == formula


def test_parts_show_why():
    parts = Formula.parse("(1;%a%) + (2;%a%) < (1;%b%) & 1 < (2;%b%)").parts(AB)
    assert [(p.depth, p.text, p.value) for p in parts] == [
        (0, "((1;%a%) + (2;%a%) < (1;%b%)) & (1 < (2;%b%))", False),
        (1, "(1;%a%) + (2;%a%) < (1;%b%)", False),
        (2, "(1;%a%) + (2;%a%)", 7.5),
        (3, "(1;%a%)", 3.0),
        (3, "(2;%a%)", 4.5),
        (2, "(1;%b%)", 7.5),
        (1, "1 < (2;%b%)", False),
        (2, "(2;%b%)", 0.0),
    ]


# Random formulas against Python's own arithmetic on the same numbers.
REGIONS, CONDITIONS = (1, 2, 3), ("a", "b_c", "what no-gap")
literals = st.decimals(min_value=-99, max_value=99, places=3).map(
    lambda d: (f"{d}", lambda totals: Fraction(d))
)


@st.composite
def atoms(draw):
    region, condition = draw(st.sampled_from([*REGIONS, "*"])), draw(st.sampled_from(CONDITIONS))
    keys = [(r, condition) for r in (REGIONS if region == "*" else [region])]
    return f"({region};%{condition}%)", lambda t: sum(Fraction(t[key]) for key in keys)


@st.composite
def chains(draw, parts, operators, longest=4):
    """Parts joined by operators of equal rank, worth a fold from the left; sometimes in brackets."""
    (text, value), *rest = [draw(parts) for _ in range(draw(st.integers(1, longest)))]
    for right_text, right_value in rest:
        sign = draw(st.sampled_from(sorted(operators)))
        text = f"{text} {sign}{right_text}"
        value = (lambda f, left, right: lambda t: f(left(t), right(t)))(
            operators[sign], value, right_value
        )
    return (f"[{text}]", value) if draw(st.booleans()) and rest else (text, value)


@st.composite
def comparisons(draw):
    signs = {"+": operator.add, "-": operator.sub}
    inner = st.one_of(atoms(), literals)
    nested = chains(inner, signs).map(lambda pair: (f"({pair[0]})", pair[1]))
    (left, x), (right, y) = (draw(chains(st.one_of(inner, nested), signs)) for _ in range(2))
    close = lambda a, b: abs(a - b) <= Fraction("0.001") + Fraction("0.00001") * abs(b)  # noqa: E731
    sign, compare = draw(st.sampled_from([("<", operator.lt), (">", operator.gt), ("=", close)]))
    return f"{left}{sign} {right}", lambda t: compare(x(t), y(t))


@st.composite
def claims(draw):
    logic = {"&": lambda a, b: a and b, "|": lambda a, b: a or b}
    nested = chains(comparisons(), logic, 3).map(lambda pair: (f"[{pair[0]}]", pair[1]))
    return draw(chains(st.one_of(comparisons(), nested), logic, 3))


surprisals = st.one_of(st.integers(0, 4).map(float), st.floats(0, 60, allow_nan=False))
totals = st.fixed_dictionaries({(r, c): surprisals for r in REGIONS for c in CONDITIONS})


@given(claims(), totals)
def test_random_formulas_agree_with_python_and_their_canonical_text_means_the_same(claim, values):
    text, truth = claim
    formula = Formula.parse(text)
    assert formula.holds(values) == truth(values)
    assert formula.parts(values)[0].value == truth(values)
    formula.check(set(REGIONS), set(CONDITIONS))
    again = Formula.parse(str(formula))
    assert again == formula and hash(again) == hash(formula)
    assert str(again) == str(formula) and "[" not in str(formula)


@given(st.text(alphabet="()[];%*+-<>=&|. 0123ab", max_size=40))
def test_any_text_is_read_or_refused_in_one_line(text):
    try:
        formula = Formula.parse(text)
    except InputError as error:
        assert "\n" not in str(error)
    else:
        assert Formula.parse(str(formula)) == formula
