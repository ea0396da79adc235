"""The prediction language of SyntaxGym: a claim about surprisals, such as

    ((7;%match_sing%) < (7;%mismatch_sing%)) & ((7;%match_plural%) < (7;%mismatch_plural%))

An atom ``(7;%match_sing%)`` is the surprisal of region 7 in a condition, ``(*;%match_sing%)`` that
of all its regions, added up: with the metric mean it is a sum of means. From the tightest: ``+ -``
(from the left), ``< > =`` (one per claim, no chains), then ``& |`` (from the left, of equal rank,
so ``3>2 | 1>2 & 1>2`` is false). ``=`` means close: |left - right| <= 0.001 + 0.00001 |right|.
Numbers are ``2``, ``.5``, ``1.``, ``-1`` (the sign directly before the digits) and ``1e-3`` (an
exponent of at most two digits). They are exact.

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
Totals = Mapping[tuple[int, str], float]  # bits by region number and condition name


def _close(left: Fraction, right: Fraction) -> bool:
    return abs(left - right) <= ABSOLUTE_TOLERANCE + RELATIVE_TOLERANCE * abs(right)


COMPARE: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "=": _close,
}
GRAMMAR = r"""
?claim: comparison (JOIN comparison)*
?comparison: quantity COMPARE quantity | "(" claim ")" | "[" claim "]"
?quantity: atom (ADD atom)*
?atom: (WHOLE | NUMBER)                       -> number
    | "(" (WHOLE | ALL) ";" CONDITION ")"     -> region
    | "[" (WHOLE | ALL) ";" CONDITION "]"     -> region
    | "(" quantity ")"
    | "[" quantity "]"
WHOLE.1: /[0-9]{1,200}(?![0-9.eE])/
NUMBER: /[+-]?([0-9]{1,200}(\.[0-9]{0,200})?|\.[0-9]{1,200})([eE][+-]?[0-9]{1,2})?/
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

    text: str  # round brackets, single spaces, plain decimals, brackets only where they help
    value: Callable[[Totals], Any] = field(compare=False)  # bits, exactly, or truth
    # What joins the terms: "+" for a sum, "<", ">", "=", "&" or "|"; "" for a part without terms.
    sign: str = field(default="", compare=False)
    terms: tuple[tuple[str, "Node"], ...] = field(default=(), compare=False)  # (sign before, part)
    atom: tuple[int | None, str] | None = field(default=None, compare=False)  # region, condition
    position: int = field(default=0, compare=False)  # of an atom in what was read, from 1

    def walk(self, depth: int = 0) -> Iterator[tuple["Node", int]]:
        """This part and all inside it, in the order of the text, and the depth of each."""
        yield self, depth
        for _, term in self.terms:
            yield from term.walk(depth + 1)


class Part(NamedTuple):
    """One step of a formula's evaluation."""

    text: str
    value: float | bool  # bits or truth
    depth: int  # 0 for the whole formula


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
            position = error.pos_in_stream or 0
            raise _fault(position + 1, f"unexpected {text[position]!r}") from None
        except UnexpectedToken as error:
            if error.token.type == "$END":
                message = (
                    "the formula ends too early; it must compare two surprisals with <, > or ="
                )
                raise _fault(len(text) + 1, message) from None
            position = error.token.start_pos or 0
            raise _fault(position + 1, f"unexpected {text[position]!r}") from None

    def holds(self, totals: Totals) -> bool:
        """Whether the prediction is true of ``totals``, bits by (region number, condition name).

        Raises InputError as `check` does.
        """
        self.check({region for region, _ in totals}, {condition for _, condition in totals})
        return self.claim.value(totals)

    def parts(self, totals: Totals) -> list[Part]:
        """The steps of the evaluation, the whole formula first, to show why it holds or fails."""
        parts = []
        for node, depth in self.claim.walk():
            if node.terms or node.atom:  # a number is no step
                value = node.value(totals)
                if not isinstance(value, bool):
                    value = float(value)
                parts.append(Part(node.text, value, depth))
        return parts

    @property
    def atoms(self) -> list[tuple[int | None, str]]:
        """The (region, condition) that it refers to, in order, once each; region None is ``*``."""
        return list(dict.fromkeys(node.atom for node, _ in self.claim.walk() if node.atom))

    def check(self, regions: set[int], conditions: set[str]) -> None:
        """Raise InputError for the first atom with a region or condition that does not exist."""
        for fault in self.faults(regions, conditions):
            raise fault

    def faults(self, regions: set[int], conditions: set[str]) -> list[InputError]:
        """The errors of its atoms, those with a region or condition that does not exist."""
        faults = []
        for node, _ in self.claim.walk():
            region, condition = node.atom or (None, None)
            if condition is not None and condition not in conditions:
                names = ", ".join(sorted(conditions))
                message = f"no condition {condition!r}; there is: {names}"
                faults.append(_fault(node.position, message))
            if region is not None and region not in regions:
                numbers = ", ".join(map(str, sorted(regions)))
                faults.append(_fault(node.position, f"no region {region}; there is: {numbers}"))
        return faults

    def __str__(self) -> str:
        return self.claim.text

    def __repr__(self) -> str:
        return f"Formula.parse({str(self)!r})"


def _fault(position: int, message: str) -> InputError:
    """The error of a formula, and the character that it is about, from 1."""
    return InputError(f"formula, character {position}: {message}")


@cache
def _reader() -> Lark:
    return Lark(GRAMMAR, parser="lalr", start="claim", transformer=_Nodes())


@v_args(inline=True)
class _Nodes(Transformer):
    """Makes the nodes while the parser reads."""

    def number(self, token):
        number = Decimal(str(token))
        if number == 0:
            number = Decimal(0)  # there is no negative zero
        text = f"{number:f}"
        if "." in text:
            text = text.rstrip("0").rstrip(".")
        return Node(text, lambda totals: Fraction(number))

    def region(self, which, condition):
        region = None if which.type == "ALL" else int(which)
        name = condition[1:-1].strip()

        def bits(totals):
            total = Fraction(0)
            for (number, condition_name), surprisal in totals.items():
                if condition_name == name and region in (None, number):
                    total += Fraction(float(surprisal))
            return total

        number = "*" if region is None else region
        position = which.start_pos + 1
        return Node(f"({number};%{name}%)", bits, atom=(region, name), position=position)

    def quantity(self, first, *signs_and_nodes):
        terms = []
        # The first part has no sign before it, and is added.
        for sign, node in _pairs("+", first, *signs_and_nodes):
            if sign == "+" and node.sign == "+":
                terms += node.terms  # the brackets of an added sum do not matter
            else:
                terms.append((str(sign), node))
        texts = []
        for sign, node in terms:
            text = f"({node.text})" if node.sign == "+" else node.text
            texts.append(f"{sign} {text}")

        def difference(totals):
            total = Fraction(0)
            for sign, node in terms:
                value = node.value(totals)
                total += value if sign == "+" else -value
            return total

        return Node(" ".join(texts).removeprefix("+ "), difference, "+", tuple(terms))

    def comparison(self, left, sign, right):
        def holds(totals):
            return COMPARE[sign](left.value(totals), right.value(totals))

        text = f"{left.text} {sign} {right.text}"
        return Node(text, holds, str(sign), (("", left), (str(sign), right)))

    def claim(self, first, *signs_and_nodes):
        claim = first
        for sign, node in _pairs(*signs_and_nodes):
            # a & b & c is one claim of three parts; with another sign, a & b is the first of two.
            before = claim.terms if claim.sign == sign else (("", claim),)
            claim = _joined(str(sign), (*before, (str(sign), node)))
        return claim


def _pairs(*signs_and_nodes: Any) -> Iterator[tuple[Any, Node]]:
    """(sign, node) from signs and nodes that alternate."""
    return zip(signs_and_nodes[::2], signs_and_nodes[1::2], strict=True)


def _joined(sign: str, terms: tuple[tuple[str, Node], ...]) -> Node:
    """Claims of which all (&) or any (|) must hold."""
    decide = all if sign == "&" else any
    claims = [claim for _, claim in terms]
    text = f" {sign} ".join(f"({claim.text})" for claim in claims)

    def holds(totals: Totals) -> bool:
        return decide([claim.value(totals) for claim in claims])

    return Node(text, holds, sign, terms)
