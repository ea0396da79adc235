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

import operator
from collections.abc import Callable, Iterator, Mapping
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
COMPARE: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "=": lambda left, right: (
        abs(left - right) <= ABSOLUTE_TOLERANCE + RELATIVE_TOLERANCE * abs(right)
    ),
}
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


@dataclass(frozen=True)
class Node:
    """A part of a formula. Two parts are equal when their canonical texts are."""

    text: str  # round brackets, single spaces, plain decimals, brackets only where they matter or help
    value: Callable[[Totals], Any] = field(compare=False)  # bits, exactly, or truth
    sign: str = field(
        default="", compare=False
    )  # that joins the terms: "+" for a sum, "<", ">", "=", "&", "|"
    terms: tuple[tuple[str, "Node"], ...] = field(
        default=(), compare=False
    )  # each with the sign before it
    atom: tuple[int | None, str] | None = field(
        default=None, compare=False
    )  # the region (None for all), the condition
    position: int = field(default=0, compare=False)  # of an atom in what was read, from 1

    def walk(self, depth: int = 0) -> Iterator[tuple["Node", int]]:
        """This part and all inside it, in the order of the text, each with how deep it is nested."""
        yield self, depth
        for _, term in self.terms:
            yield from term.walk(depth + 1)


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
        """Read a formula. Raises InputError, naming the character."""
        if len(text) > LONGEST:
            raise _fault(LONGEST, f"longer than {LONGEST:,} characters")
        try:
            return cls(_reader().parse(text))  # type: ignore[arg-type]
        except UnexpectedCharacters as error:
            place = error.pos_in_stream or 0
            raise _fault(place + 1, f"unexpected {text[place]!r}") from None
        except UnexpectedToken as error:
            if error.token.type == "$END":
                message = (
                    "the formula ends too early; it must compare two surprisals with <, > or ="
                )
                raise _fault(len(text) + 1, message) from None
            raise _fault(
                (error.token.start_pos or 0) + 1, f"unexpected {str(error.token)!r}"
            ) from None

    def holds(self, totals: Totals) -> bool:
        """Whether the prediction is true of ``totals``, bits by (region number, condition name)."""
        self.check({region for region, _ in totals}, {condition for _, condition in totals})
        return self.claim.value(totals)

    def parts(self, totals: Totals) -> list[Part]:
        """Every step of the evaluation, the whole formula first, to show why it holds or fails."""
        steps = [
            (node.text, node.value(totals), depth)
            for node, depth in self.claim.walk()
            if node.terms or node.atom
        ]
        return [
            Part(text, found if isinstance(found, bool) else float(found), depth)
            for text, found, depth in steps
        ]

    @property
    def atoms(self) -> list[tuple[int | None, str]]:
        """The (region, condition) that it refers to, in order, once each; region None is ``*``."""
        return list(dict.fromkeys(node.atom for node, _ in self.claim.walk() if node.atom))

    def check(self, regions: set[int], conditions: set[str]) -> None:
        """Raise InputError for the first atom that names a region or condition that does not exist."""
        for node, _ in self.claim.walk():
            region, condition = node.atom or (None, None)
            if condition is not None and condition not in conditions:
                known = ", ".join(sorted(conditions))
                raise _fault(node.position, f"no condition {condition!r}; there is: {known}")
            if region is not None and region not in regions:
                known = ", ".join(map(str, sorted(regions)))
                raise _fault(node.position, f"no region {region}; there is: {known}")

    def __str__(self) -> str:
        return self.claim.text

    def __repr__(self) -> str:
        return f"Formula.parse({str(self)!r})"


def _fault(position: int, message: str) -> InputError:
    """A formula that cannot be read or does not fit its suite, and the character that this is about, from 1."""
    return InputError(f"formula, character {position}: {message}")


@cache
def _reader() -> Lark:
    return Lark(GRAMMAR, parser="lalr", start="claim", transformer=_Nodes())


@v_args(inline=True)
class _Nodes(Transformer):
    """Makes the nodes while the parser reads."""

    def number(self, token):
        number = Decimal(str(token))
        text = f"{number:f}"
        return Node(
            text.rstrip("0").rstrip(".") if "." in text else text, lambda totals: Fraction(number)
        )

    def region(self, which, condition):
        region, name = None if which.type == "ALL" else int(which), condition[1:-1].strip()

        def bits(totals):
            return sum(
                Fraction(float(each))
                for (r, c), each in totals.items()
                if c == name and region in (None, r)
            )

        text = f"({'*' if region is None else region};%{name}%)"
        return Node(text, bits, atom=(region, name), position=which.start_pos + 1)

    def quantity(self, *nodes_and_signs):
        terms = []
        for sign, node in zip(("+", *nodes_and_signs[1::2]), nodes_and_signs[::2], strict=True):
            terms += node.terms if node.sign == sign == "+" else [(str(sign), node)]
        texts = [
            f"{sign} ({node.text})" if node.sign == "+" else f"{sign} {node.text}"
            for sign, node in terms
        ]

        def total(totals):
            return sum(
                [node.value(totals) if sign == "+" else -node.value(totals) for sign, node in terms]
            )

        return Node(" ".join(texts).removeprefix("+ "), total, "+", tuple(terms))

    def comparison(self, left, sign, right):
        def holds(totals):
            return COMPARE[sign](left.value(totals), right.value(totals))

        return Node(
            f"{left.text} {sign} {right.text}", holds, str(sign), (("", left), (str(sign), right))
        )

    def claim(self, joined, *signs_and_nodes):
        for sign, node in zip(signs_and_nodes[::2], signs_and_nodes[1::2], strict=True):
            before = joined.terms if joined.sign == sign else (("", joined),)
            joined = _joined(str(sign), (*before, (str(sign), node)))
        return joined


def _joined(sign: str, claims: tuple[tuple[str, Node], ...]) -> Node:
    """Claims of which all (&) or any (|) must hold."""
    decide, text = (
        all if sign == "&" else any,
        f" {sign} ".join(f"({claim.text})" for _, claim in claims),
    )
    return Node(
        text, lambda totals: decide([claim.value(totals) for _, claim in claims]), sign, claims
    )
