"""From the text of a prediction to its parts: the grammar, the nodes, errors that name the character.

A formula is parsed, never executed. Its length, its nesting and the digits of its numbers are bounded, and its nodes
are made while the parser reads, so no text can exhaust the stack or hang.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from tse_core.errors import InputError

LONGEST, DEEPEST, LONGEST_NUMBER = 10_000, 50, 100


class FormulaError(InputError):
    """A formula that cannot be read or does not fit its suite; ``position`` is the character it is about, from 1."""

    def __init__(self, position: int, message: str):
        super().__init__(f"formula, character {position}: {message}")
        self.position = position


@dataclass(frozen=True)
class Number:
    value: Fraction


@dataclass(frozen=True)
class Region:
    region: int | None
    condition: str
    position: int = field(compare=False)


@dataclass(frozen=True)
class Sum:
    terms: tuple[tuple[int, "Quantity"], ...]  # (+1 or -1, term)


@dataclass(frozen=True)
class Comparison:
    sign: str
    left: "Quantity"
    right: "Quantity"


@dataclass(frozen=True)
class Junction:
    sign: str
    claims: tuple["Claim", ...]


Quantity = Number | Region | Sum
Claim = Comparison | Junction
GRAMMAR = r"""
claim: comparison (JOIN comparison)*
comparison: quantity (COMPARE quantity)*
quantity: atom (ADD atom)*
atom: NUMBER                                  -> number
    | "(" (NUMBER | STAR) ";" CONDITION ")"   -> region
    | "[" (NUMBER | STAR) ";" CONDITION "]"   -> region
    | "(" claim ")"                           -> group
    | "[" claim "]"                           -> group
NUMBER: /[0-9]+(\.[0-9]*)?|\.[0-9]+/
CONDITION: /%[^%]*%/
STAR: "*"
ADD: "+" | "-"
COMPARE: "<" | ">" | "="
JOIN: "&" | "|"
%import common.WS
%ignore WS
"""


class _Piece(NamedTuple):
    """What the parser has read so far: a node, where it starts, how deep its parts are nested."""

    node: Quantity | Claim
    position: int
    depth: int


def parse(text: str) -> Claim:
    """The claim that a formula makes; raises FormulaError with the character where reading stopped."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    if not isinstance(text, str):
        raise InputError(f"a formula must be text, not {text!r}")
    if len(text) > LONGEST:
        raise FormulaError(LONGEST, f"longer than {LONGEST:,} characters")
    try:
        piece = _reader().parse(text)
    except UnexpectedCharacters as error:
        at = error.pos_in_stream or 0
        raise FormulaError(at + 1, f"unexpected {text[at]!r}") from None
    except UnexpectedToken as error:
        wanted = listed({_WORDS.get(name, name) for name in error.accepts or error.expected or ["$END"]})
        if error.token.type == "$END":
            raise FormulaError(len(text) + 1, f"the formula ends too early; expected {wanted}") from None
        position, found = error.token.start_pos + 1, str(error.token)
        raise FormulaError(position, f"unexpected {found!r}; expected {wanted}") from None
    return _claim(piece, "a prediction compares surprisals with <, > or =")


_WORDS = {
    "NUMBER": "a number", "STAR": "*", "CONDITION": "%condition%", "COMPARE": "< > =", "ADD": "+ -", "JOIN": "& |",
    "LPAR": "(", "RPAR": ")", "LSQB": "[", "RSQB": "]", "SEMICOLON": ";", "$END": "the end",
}  # fmt: skip


@cache
def _reader():
    from lark import Lark, Transformer, v_args

    @v_args(inline=True)
    class Build(Transformer):
        """Makes the nodes while the parser reads, so that no nesting can exhaust Python's stack."""

        def number(self, token):
            if len(token) > LONGEST_NUMBER:
                raise FormulaError(token.start_pos + 1, f"a number of more than {LONGEST_NUMBER} digits")
            return _Piece(Number(Fraction(str(token))), token.start_pos + 1, 0)

        def region(self, which, condition):
            position, name = which.start_pos + 1, condition[1:-1].strip()
            if not name:
                raise FormulaError(condition.start_pos + 1, "a condition's name is missing between the % signs")
            if which.type == "NUMBER" and (not which.isdigit() or len(which) > LONGEST_NUMBER):
                raise FormulaError(position, f"a region is a whole number or *, not {str(which)!r}")
            return _Piece(Region(None if which.type == "STAR" else int(which), name, position), position, 0)

        def group(self, inner):
            return inner

        def quantity(self, first, *rest):
            if not rest:
                return first
            terms = []
            for sign, piece in zip(["+", *map(str, rest[::2])], [first, *rest[1::2]], strict=True):
                node = _quantity(piece, "+ and - take surprisals and numbers, not comparisons")
                terms += node.terms if isinstance(node, Sum) and sign == "+" else [(-1 if sign == "-" else 1, node)]
            return _deeper(Sum(tuple(terms)), first, *rest[1::2])

        def comparison(self, first, *rest):
            if not rest:
                return first
            if len(rest) > 2:
                message = "a comparison has two sides; for a chain write (a < b) & (b < c)"
                raise FormulaError(rest[2].start_pos + 1, message)
            message = "<, > and = compare surprisals and numbers, not comparisons"
            left, right = _quantity(first, message), _quantity(rest[1], message)
            return _deeper(Comparison(str(rest[0]), left, right), first, rest[1])

        def claim(self, first, *rest):
            joined = first
            for sign, piece in zip(map(str, rest[::2]), rest[1::2], strict=True):
                message = "& and | join comparisons, not surprisals or numbers"
                left, right = _claim(joined, message), _claim(piece, message)
                if isinstance(left, Junction) and left.sign == sign:
                    joined = _Piece(
                        Junction(sign, (*left.claims, right)), first.position, max(joined.depth, piece.depth + 1)
                    )
                else:
                    joined = _deeper(Junction(sign, (left, right)), joined, piece)
            return joined

    return Lark(GRAMMAR, parser="lalr", start="claim", transformer=Build())


def _deeper(node, *pieces: _Piece) -> _Piece:
    depth = max(piece.depth for piece in pieces) + 1
    if depth > DEEPEST:
        raise FormulaError(pieces[-1].position, f"nested more than {DEEPEST} deep")
    return _Piece(node, pieces[0].position, depth)


def _quantity(piece: _Piece, message: str) -> Quantity:
    if isinstance(piece.node, Claim):
        raise FormulaError(piece.position, message)
    return piece.node


def _claim(piece: _Piece, message: str) -> Claim:
    if not isinstance(piece.node, Claim):
        raise FormulaError(piece.position, message)
    return piece.node


def listed(names) -> str:
    """Names for an error message, numbers before words."""
    return ", ".join(map(str, sorted(names, key=lambda name: (not isinstance(name, int), name)))) or "none"
