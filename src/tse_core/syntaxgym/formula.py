"""The prediction language of SyntaxGym: a claim about surprisals, such as

    ((7;%match_sing%) < (7;%mismatch_sing%)) & ((7;%match_plural%) < (7;%mismatch_plural%))

An atom ``(7;%match_sing%)`` is the surprisal of region 7 in a condition, ``(*;%match_sing%)`` that of all its regions.
From the tightest: ``+ -`` (from the left), ``< > =`` (one per claim, no chains), then ``& |`` (from the left, of equal
rank, so ``3>2 | 1>2 & 1>2`` is false). ``=`` means close: |left - right| <= 0.001 + 0.00001 |right|. Numbers are exact.

A formula is parsed, never executed, and has at most 1,000 characters.

>>> claim = Formula.parse("[1;%a%] + .5 > (1;%b%)")
>>> claim.holds({(1, "a"): 3.0, (1, "b"): 3.25})
True
>>> str(claim)
'(1;%a%) + 0.5 > (1;%b%)'
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from lark import Lark, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from tse_core.errors import InputError

RELATIVE_TOLERANCE = Fraction(1, 100_000)
ABSOLUTE_TOLERANCE = Fraction(1, 1_000)
LONGEST = 1_000  # characters, so that no nesting can exhaust Python's stack
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
    """A part of a formula."""

    kind: str  # "number", "region", or the sign that joins the parts: "+" for a sum, "<", ">", "=", "&", "|"
    parts: tuple  # (Decimal,); (region or None for all, condition); of a sum ("+" or "-", node) each; else nodes
    position: int = field(default=0, compare=False)  # of a region in the text, from 1

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
                known = ", ".join(sorted(conditions))
                raise FormulaError(atom.position, f"no condition {condition!r}; there is: {known}")
            if region is not None and region not in regions:
                known = ", ".join(map(str, sorted(regions)))
                raise FormulaError(atom.position, f"no region {region}; there is: {known}")

    def __str__(self) -> str:
        return _text(self.claim)

    def __repr__(self) -> str:
        return f"Formula.parse({str(self)!r})"


@cache
def _reader() -> Lark:
    return Lark(GRAMMAR, parser="lalr", start="claim", transformer=_Nodes())


@v_args(inline=True)
class _Nodes(Transformer):
    """Makes the nodes while the parser reads."""

    def number(self, token):
        return Node("number", (Decimal(str(token)),))

    def region(self, which, condition):
        region = None if which.type == "ALL" else int(which)
        return Node("region", (region, condition[1:-1].strip()), which.start_pos + 1)

    def quantity(self, *nodes_and_signs):
        terms = []
        for sign, node in zip(("+", *nodes_and_signs[1::2]), nodes_and_signs[::2], strict=True):
            terms += node.parts if node.kind == sign == "+" else [(str(sign), node)]
        return Node("+", tuple(terms))

    def comparison(self, left, sign, right):
        return Node(str(sign), (left, right))

    def claim(self, joined, *rest):
        for sign, node in zip(map(str, rest[::2]), rest[1::2], strict=True):
            before = joined.parts if joined.kind == sign else (joined,)
            joined = Node(sign, (*before, node))
        return joined


def _value(node: Node, totals: Totals) -> Any:
    if node.kind == "number":
        return Fraction(node.parts[0])
    if node.kind == "region":
        wanted, condition = node.parts
        return sum(Fraction(float(bits)) for (r, c), bits in totals.items() if c == condition and wanted in (None, r))
    values = [_value(child, totals) for child in node.children]
    if node.kind == "+":
        return sum(value if sign == "+" else -value for (sign, _), value in zip(node.parts, values, strict=True))
    if node.kind in "&|":
        return all(values) if node.kind == "&" else any(values)
    left, right = values
    if node.kind == "=":
        return abs(left - right) <= ABSOLUTE_TOLERANCE + RELATIVE_TOLERANCE * abs(right)
    return left < right if node.kind == "<" else left > right


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
        text = f"{node.parts[0]:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    if node.kind == "region":
        region, condition = node.parts
        return f"({'*' if region is None else region};%{condition}%)"
    texts = [f"({_text(child)})" if child.kind == "+" == node.kind else _text(child) for child in node.children]
    if node.kind == "+":
        signed = (f" {sign} {text}" for (sign, _), text in zip(node.parts, texts, strict=True))
        return "".join(signed).removeprefix(" + ")
    if node.kind in "&|":
        texts = [f"({text})" for text in texts]
    return f" {node.kind} ".join(texts)
