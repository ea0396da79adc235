"""The prediction language of SyntaxGym: a claim about surprisals, such as

    ((7;%match_sing%) < (7;%mismatch_sing%)) & ((7;%match_plural%) < (7;%mismatch_plural%))

An atom ``(7;%match_sing%)`` is the surprisal of region 7 in a condition, ``(*;%match_sing%)`` that of all its regions.
From the tightest: ``+ -`` (from the left), ``< > =`` (one per claim, no chains), then ``& |`` (from the left, of equal
rank, so ``3>2 | 1>2 & 1>2`` is false). ``=`` means close: |left - right| <= 0.001 + 0.00001 |right|. Numbers are exact.

>>> claim = Formula.parse("[1;%a%] + .5 > (1;%b%)")
>>> claim.holds({(1, "a"): 3.0, (1, "b"): 3.25})
True
>>> str(claim)
'(1;%a%) + 0.5 > (1;%b%)'
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from tse_core.syntaxgym.formula_parser import (
    LONGEST,
    Claim,
    Comparison,
    FormulaError,
    Junction,
    Number,
    Quantity,
    Region,
    Sum,
    listed,
    parse,
)

__all__ = ["Formula", "FormulaError", "Part", "Totals"]
RELATIVE_TOLERANCE = Fraction(1, 100_000)
ABSOLUTE_TOLERANCE = Fraction(1, 1_000)
Totals = Mapping[tuple[int, str], float]


@dataclass(frozen=True)
class Part:
    """One step of a formula's evaluation: its text, its value (bits or truth) and how deep it is nested."""

    text: str
    value: float | bool
    depth: int


@dataclass(frozen=True, repr=False)
class Formula:
    """A prediction. Two formulas are equal when their canonical texts are."""

    claim: Claim

    @classmethod
    def parse(cls, text: str) -> "Formula":
        """Read a formula. Raises FormulaError (an InputError) that names the character."""
        formula = cls(parse(text))
        if len(str(formula)) > LONGEST:
            raise FormulaError(1, f"longer than {LONGEST:,} characters when written out")
        return formula

    def holds(self, totals: Totals) -> bool:
        """Whether the prediction is true of ``totals``, bits by (region number, condition name)."""
        return bool(_value(self.claim, totals))

    def parts(self, totals: Totals) -> list[Part]:
        """Every step of the evaluation, the whole formula first, to show why it holds or fails."""
        return list(_steps(self.claim, totals, 0))

    @property
    def atoms(self) -> list[tuple[int | None, str]]:
        """The (region, condition) that it refers to, in order, once each; region None is ``*``."""
        return list(dict.fromkeys((atom.region, atom.condition) for atom in _atoms(self.claim)))

    def check(self, regions: set[int], conditions: set[str]) -> None:
        """Raise FormulaError for the first atom that names a region or condition that does not exist."""
        for atom in _atoms(self.claim):
            if atom.condition not in conditions:
                raise FormulaError(atom.position, f"no condition {atom.condition!r}; there is: {listed(conditions)}")
            if atom.region is not None and atom.region not in regions:
                raise FormulaError(atom.position, f"no region {atom.region}; there is: {listed(regions)}")

    def __str__(self) -> str:
        return _text(self.claim)

    def __repr__(self) -> str:
        return f"Formula.parse({str(self)!r})"


def _value(node: Quantity | Claim, totals: Totals) -> Fraction | float | bool:
    match node:
        case Number(value):
            return value
        case Region():
            return _looked_up(node, totals)
        case Sum(terms):
            return sum(sign * _value(term, totals) for sign, term in terms)
        case Comparison("<", left, right):
            return _value(left, totals) < _value(right, totals)
        case Comparison(">", left, right):
            return _value(left, totals) > _value(right, totals)
        case Comparison(_, left, right):
            return _close(_value(left, totals), _value(right, totals))
        case Junction("&", claims):
            return all([_value(claim, totals) for claim in claims])  # noqa: C419  (every part is checked)
        case Junction(_, claims):
            return any([_value(claim, totals) for claim in claims])  # noqa: C419  (every part is checked)


def _looked_up(atom: Region, totals: Totals) -> Fraction | float:
    conditions = {condition for _, condition in totals}
    if atom.condition not in conditions:
        raise FormulaError(atom.position, f"no condition {atom.condition!r}; there is: {listed(conditions)}")
    if atom.region is None:
        return sum(_exact(bits) for (_, condition), bits in totals.items() if condition == atom.condition)
    if (atom.region, atom.condition) not in totals:
        regions = {region for region, condition in totals if condition == atom.condition}
        raise FormulaError(atom.position, f"no region {atom.region}; there is: {listed(regions)}")
    return _exact(totals[atom.region, atom.condition])


def _exact(bits: float) -> Fraction | float:
    """A float as the fraction it stands for, so that sums are exact; infinities and NaN stay what they are."""
    return Fraction(float(bits)) if math.isfinite(bits) else float(bits)


def _close(left: Fraction | float, right: Fraction | float) -> bool:
    if not (math.isfinite(left) and math.isfinite(right)):
        return left == right
    return max(left - right, right - left) <= ABSOLUTE_TOLERANCE + RELATIVE_TOLERANCE * max(right, -right)


def _steps(node, totals: Totals, depth: int) -> Iterator[Part]:
    value = _value(node, totals)
    yield Part(_text(node), value if isinstance(value, bool) else float(value), depth)
    for child in _children(node):
        if not isinstance(child, Number):
            yield from _steps(child, totals, depth + 1)


def _children(node) -> tuple:
    match node:
        case Sum(terms):
            return tuple(term for _, term in terms)
        case Comparison(_, left, right):
            return left, right
        case Junction(_, claims):
            return claims
    return ()


def _atoms(node) -> Iterator[Region]:
    if isinstance(node, Region):
        yield node
    for child in _children(node):
        yield from _atoms(child)


def _text(node: Quantity | Claim) -> str:
    """The canonical text: round brackets, single spaces, plain decimals, brackets only where they matter or help."""
    match node:
        case Number(value):
            return _decimal(value)
        case Region(region, condition):
            return f"({'*' if region is None else region};%{condition}%)"
        case Sum(terms):
            written = [f"({_text(term)})" if isinstance(term, Sum) else _text(term) for _, term in terms]
            return written[0] + "".join(f" {'-+'[s > 0]} {t}" for (s, _), t in zip(terms[1:], written[1:], strict=True))
        case Comparison(sign, left, right):
            return f"{_text(left)} {sign} {_text(right)}"
        case Junction(sign, claims):
            return f" {sign} ".join(f"({_text(claim)})" for claim in claims)


def _decimal(value: Fraction) -> str:
    """An exact decimal; every number of a formula has one, since it was written as one."""
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    digits = str(int(value * 10**places)).rjust(places + 1, "0")
    return digits if places == 0 else f"{digits[:-places]}.{digits[-places:]}"
