"""The prediction language of SyntaxGym: a claim about surprisals, such as

    ((7;%match_sing%) < (7;%mismatch_sing%)) & ((7;%match_plural%) < (7;%mismatch_plural%))

An atom ``(7;%match_sing%)`` is the surprisal of region 7 in a condition, ``(*;%match_sing%)`` that of all its regions.
From the tightest: ``+ -`` (from the left), ``< > =`` (one per claim, no chains), then ``& |`` (from the left, of equal
rank, so ``3>2 | 1>2 & 1>2`` is false). ``=`` means close: |left - right| <= 0.001 + 0.00001 |right|. Numbers are exact.

A formula is parsed, never executed. Its length, its nesting and its numbers are bounded.

>>> claim = Formula.parse("[1;%a%] + .5 > (1;%b%)")
>>> claim.holds({(1, "a"): 3.0, (1, "b"): 3.25})
True
>>> str(claim)
'(1;%a%) + 0.5 > (1;%b%)'
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from lark import Lark, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedToken, VisitError

from tse_core.errors import InputError

RELATIVE_TOLERANCE = Fraction(1, 100_000)
ABSOLUTE_TOLERANCE = Fraction(1, 1_000)
LONGEST, DEEPEST = 10_000, 50
Totals = Mapping[tuple[int, str], float]
GRAMMAR = r"""
?claim: comparison (JOIN comparison)*
?comparison: quantity COMPARE quantity | "(" claim ")" | "[" claim "]"
?quantity: atom (ADD atom)*
?atom: (WHOLE | DECIMAL)                      -> number
    | "(" (WHOLE | ALL) ";" CONDITION ")"     -> region
    | "[" (WHOLE | ALL) ";" CONDITION "]"     -> region
    | "(" quantity ")"
    | "[" quantity "]"
WHOLE: /[0-9]{1,100}/
DECIMAL: /[0-9]{1,100}\.[0-9]{0,100}|\.[0-9]{1,100}/
CONDITION: /%[^%]*[^%\s][^%]*%/
ALL: "*"
ADD: "+" | "-"
COMPARE: "<" | ">" | "="
JOIN: "&" | "|"
%import common.WS
%ignore WS
"""


class FormulaError(InputError):
    """A formula that cannot be read or does not fit its suite; ``position`` is the character it is about, from 1."""

    def __init__(self, position: int, message: str):
        super().__init__(f"formula, character {position}: {message}")
        self.position = position


@dataclass(frozen=True)
class Node:
    """A part of a formula; its place in the text and how deep it is nested are no part of its identity."""

    kind: str  # "number", "region", or the sign that joins the parts: "+" for a sum, "<", ">", "=", "&", "|"
    parts: tuple  # (value,); (region or None for all, condition); of a sum (1 or -1, node) each; else nodes
    position: int = field(compare=False)
    depth: int = field(default=0, compare=False)

    @property
    def children(self) -> tuple["Node", ...]:
        if self.kind in ("number", "region"):
            return ()
        return tuple(term for _, term in self.parts) if self.kind == "+" else self.parts


class Part(NamedTuple):
    """One step of a formula's evaluation: its text, its value (bits or truth) and how deep it is nested."""

    text: str
    value: float | bool
    depth: int


@dataclass(frozen=True, repr=False)
class Formula:
    """A prediction. Two formulas are equal when their canonical texts are."""

    claim: Node

    @classmethod
    def parse(cls, text: str) -> "Formula":
        """Read a formula. Raises FormulaError (an InputError) that names the character."""
        if len(text) > LONGEST:
            raise FormulaError(LONGEST, f"longer than {LONGEST:,} characters")
        try:
            return cls(_reader().parse(text))  # type: ignore[arg-type]
        except VisitError as error:
            raise error.orig_exc from None
        except UnexpectedCharacters as error:
            place = error.pos_in_stream or 0
            raise FormulaError(place + 1, f"unexpected {text[place]!r}") from None
        except UnexpectedToken as error:
            if error.token.type == "$END":
                message = "the formula ends too early; it must compare two surprisals with <, > or ="
                raise FormulaError(len(text) + 1, message) from None
            raise FormulaError((error.token.start_pos or 0) + 1, f"unexpected {str(error.token)!r}") from None

    def holds(self, totals: Totals) -> bool:
        """Whether the prediction is true of ``totals``, bits by (region number, condition name)."""
        self.check({region for region, _ in totals}, {condition for _, condition in totals})
        return bool(_value(self.claim, totals))

    def parts(self, totals: Totals) -> list[Part]:
        """Every step of the evaluation, the whole formula first, to show why it holds or fails."""
        return list(_steps(self.claim, totals, 0))

    @property
    def atoms(self) -> list[tuple[int | None, str]]:
        """The (region, condition) that it refers to, in order, once each; region None is ``*``."""
        return list(dict.fromkeys(atom.parts for atom in _atoms(self.claim)))

    def check(self, regions: set[int], conditions: set[str]) -> None:
        """Raise FormulaError for the first atom that names a region or condition that does not exist."""
        for atom in _atoms(self.claim):
            region, condition = atom.parts
            if condition not in conditions:
                raise FormulaError(atom.position, f"no condition {condition!r}; there is: {listed(conditions)}")
            if region is not None and region not in regions:
                raise FormulaError(atom.position, f"no region {region}; there is: {listed(regions)}")

    def __str__(self) -> str:
        return _text(self.claim)

    def __repr__(self) -> str:
        return f"Formula.parse({str(self)!r})"


@cache
def _reader() -> Lark:
    return Lark(GRAMMAR, parser="lalr", start="claim", transformer=_Nodes())


@v_args(inline=True)
class _Nodes(Transformer):
    """Makes the nodes while the parser reads, so that no nesting can exhaust Python's stack."""

    def number(self, token):
        return Node("number", (Fraction(str(token)),), token.start_pos + 1)

    def region(self, which, condition):
        region = None if which.type == "ALL" else int(which)
        return Node("region", (region, condition[1:-1].strip()), which.start_pos + 1)

    def quantity(self, *nodes_and_signs):
        terms = []
        for sign, node in zip(["+", *nodes_and_signs[1::2]], nodes_and_signs[::2], strict=True):
            terms += node.parts if node.kind == sign == "+" else [(-1 if sign == "-" else 1, node)]
        return _joined("+", terms, nodes_and_signs[::2])

    def comparison(self, left, sign, right):
        return _joined(str(sign), [left, right], [left, right])

    def claim(self, joined, *rest):
        for sign, node in zip(map(str, rest[::2]), rest[1::2], strict=True):
            claims = [*(joined.parts if joined.kind == sign else [joined]), node]
            joined = _joined(sign, claims, claims)
        return joined


def _joined(sign: str, parts: Any, nodes: Any) -> Node:
    depth = 1 + max(node.depth for node in nodes)
    if depth > DEEPEST:
        raise FormulaError(nodes[-1].position, f"nested more than {DEEPEST} deep")
    return Node(sign, tuple(parts), nodes[0].position, depth)


def listed(names) -> str:
    """Names for an error message, numbers before words."""
    return ", ".join(map(str, sorted(names, key=lambda name: (not isinstance(name, int), name)))) or "none"


def _value(node: Node, totals: Totals) -> Any:
    if node.kind == "number":
        return node.parts[0]
    if node.kind == "region":
        wanted, condition = node.parts
        return sum(_exact(bits) for (r, c), bits in totals.items() if c == condition and wanted in (None, r))
    if node.kind == "+":
        return sum(factor * _value(term, totals) for factor, term in node.parts)
    values = [_value(part, totals) for part in node.parts]
    if node.kind in "&|":
        return all(values) if node.kind == "&" else any(values)
    left, right = values
    if node.kind == "=":
        return _close(left, right)
    return left < right if node.kind == "<" else left > right


def _exact(bits: float) -> Fraction | float:
    """A float as the fraction it stands for, so that sums are exact; infinities and NaN stay what they are."""
    return Fraction(float(bits)) if math.isfinite(bits) else float(bits)


def _close(left: Fraction | float, right: Fraction | float) -> bool:
    if not (math.isfinite(left) and math.isfinite(right)):
        return left == right
    return abs(left - right) <= ABSOLUTE_TOLERANCE + RELATIVE_TOLERANCE * abs(right)  # type: ignore[operator]


def _steps(node: Node, totals: Totals, depth: int) -> Iterator[Part]:
    value = _value(node, totals)
    yield Part(_text(node), value if isinstance(value, bool) else float(value), depth)
    for child in node.children:
        if child.kind != "number":
            yield from _steps(child, totals, depth + 1)


def _atoms(node: Node) -> Iterator[Node]:
    if node.kind == "region":
        yield node
    for child in node.children:
        yield from _atoms(child)


def _text(node: Node) -> str:
    """The canonical text: round brackets, single spaces, plain decimals, brackets only where they matter or help."""
    if node.kind == "number":
        (value,) = node.parts
        exact = Context(prec=400).divide(Decimal(value.numerator), Decimal(value.denominator))
        return f"{exact:f}"
    if node.kind == "region":
        region, condition = node.parts
        return f"({'*' if region is None else region};%{condition}%)"
    if node.kind == "+":
        terms = [(sign, f"({_text(term)})" if term.kind == "+" else _text(term)) for sign, term in node.parts]
        return terms[0][1] + "".join(f" {'+' if sign > 0 else '-'} {text}" for sign, text in terms[1:])
    if node.kind in "&|":
        return f" {node.kind} ".join(f"({_text(claim)})" for claim in node.parts)
    left, right = node.parts
    return f"{_text(left)} {node.kind} {_text(right)}"
