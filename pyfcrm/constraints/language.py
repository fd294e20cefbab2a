"""Constraints as text, such as "PTOTVAL == POTHVAL + PEARNVAL; FEDTAX >= 0", read as linear combinations of columns by
a parser of its own.

constraint := sum (sign sum)+        sign is ==, <=, >=, < or >; a <= b < c is two constraints
    sum        := product (("+" | "-") product)*
    product    := factor (("*" | "/") factor)*
    factor     := ("+" | "-") factor | "(" sum ")" | number | name

Nothing is ever evaluated as code: a sum is a mapping from column to exact coefficient, "" for the constant.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import lcm

from ..arguments import items
from ..errors import InvalidParameter

Coefficients = dict[str, Fraction]
LONGEST = 20_000  # characters of one text: more is no constraint written by hand
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?0*[0-9]{1,3})?)  # a Fraction has as many digits as the exponent says
    | (?P<name>(?:[^\W\d]|\.(?=[^\W\d]))[\w.]*)
    | `(?P<ticked>(?:[^`]|``)+)` | "(?P<quoted>(?:[^"]|"")+)"
    | (?P<sign>==|<=|>=|!=|<|>|=|\*\*|[-+*/();])
    )""",
    re.VERBOSE,
)
_PIECE = re.compile(r"""(?:`[^`]*`|"[^"]*"|[^;])+""")  # what semicolons outside of names separate
_BARE = re.compile(r"(?:[^\W\d]|\.(?=[^\W\d]))[\w.]*")
LARGEST, SMALLEST = Fraction(10) ** 100, Fraction(1, 10**100)  # as for data
DEEPEST = 50
MAGNITUDE = "must hold numbers of magnitude 1e-100 to 1e100, or 0"
_COMPARISONS = ("==", "<=", ">=", "<", ">")
_HINTS = {
    "=": "must use ==, <=, >=, < or > between two expressions",
    "!=": "must use ==, <=, >=, < or >; != is no linear constraint",
    "**": "must be linear, without powers",
}


@dataclass(frozen=True)
class Token:
    """kind : "number", "name", "sign" or "end"; text : a name without its marks."""

    kind: str
    text: str


@dataclass(frozen=True)
class Constraint:
    """sum of coefficient * column == bound, <= bound or < bound, in exact numbers."""

    text: str
    """As it was written."""

    terms: tuple[tuple[str, Fraction], ...]
    """(column, coefficient) in the order written, no coefficient 0."""

    equality: bool
    """Whether it is ==; else it is <= or <."""

    bound: Fraction
    """What the sum is compared with."""

    found: bool = False
    """Whether nobody declared it: notes then do not count the records that break it."""

    strict: bool = False
    """Whether it is <."""

    difference: Fraction = Fraction(0)
    """How far below the bound a release keeps the sum of a strict constraint; see with_differences."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it names, in the order written."""
        return tuple(name for name, _ in self.terms)

    def scaled(self) -> tuple[dict[str, float], float]:
        """Coefficients and bound as floats, times what makes them whole where that is a small number.

        The bound is the largest sum that a release may have.
        """
        bound = self.bound - self.difference
        numbers = [*(c for _, c in self.terms), bound]
        factor = lcm(*(number.denominator for number in numbers))
        factor = factor if factor <= 1_000_000 else 1
        return {name: float(c * factor) for name, c in self.terms}, float(bound * factor)


def normal_form(text: str, left: Coefficients, right: Coefficients, sign: str) -> Constraint:
    """The Constraint `left sign right`; the key "" holds the constant. >= and > become <= and < by changing all signs."""
    turn = -1 if sign in (">=", ">") else 1
    total = {name: turn * (left.get(name, Fraction()) - right.get(name, Fraction())) for name in {**left, **right}}
    bound = -total.pop("", Fraction())
    terms = tuple((name, c) for name, c in total.items() if c)
    return Constraint(text, terms, sign == "==", bound, strict=sign in ("<", ">"))


def ticked(name: str) -> str:
    """A column as a constraint names it: in backticks unless it is a plain word."""
    return name if _BARE.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def tokens(owner: str, text: str) -> list[Token]:
    """The tokens of a text without spaces around it. Raises InvalidParameter for a character that belongs to none."""
    found, place = list[Token](), 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            character = text[place:].lstrip()[:1]
            rule = f"must hold column names, numbers and + - * / ( ) == <= >= < >, odd names in backticks; not {character!r}"
            raise InvalidParameter(owner, "constraints", rule, text)
        kind, content, place = str(match.lastgroup), match[0].strip(), match.end()
        if kind in ("ticked", "quoted"):  # marks inside a name are doubled
            kind, content = "name", content[1:-1].replace(2 * content[0], content[0])
        found.append(Token(kind, content))
    return found


def parsed(owner: str, constraints: object) -> tuple[Constraint, ...]:
    """Constraints from a text, where ";" separates them, or a list of such.

    Raises InvalidParameter for what is not linear or cannot be read. Source: none; the grammar is above.
    """
    listed = (constraints,) if isinstance(constraints, str | Constraint) else items(constraints)
    if listed is None:
        rule = 'must be a text such as "A == B + C", or a list of them'
        raise InvalidParameter(owner, "constraints", rule, constraints)
    found: list[Constraint] = []
    for item in listed:
        if isinstance(item, Constraint):
            found.append(item)
        elif isinstance(item, str):
            found += _of_text(owner, item)
        else:
            raise InvalidParameter(owner, "constraints", 'must hold texts such as "A == B + C"', item)
    return tuple(dict.fromkeys(found))


def _of_text(owner: str, text: str) -> list[Constraint]:
    if len(text) > LONGEST:
        raise InvalidParameter(owner, "constraints", f"must be at most {LONGEST} characters", f"{text[:40]}...")
    pieces = [piece.strip() for piece in _PIECE.findall(text) if piece.strip()]
    found = [one for piece in pieces for one in _Reader(owner, piece).constraints()]
    if not found:
        raise InvalidParameter(owner, "constraints", 'must say something, such as "A == B + C"', text)
    return found


class _Reader:
    """Reads one constraint, token by token."""

    def __init__(self, owner: str, text: str) -> None:
        self.owner, self.text, self.tokens, self.place = owner, text, [*tokens(owner, text), Token("end", "")], 0

    @property
    def token(self) -> Token:
        """The next one."""
        return self.tokens[self.place]

    def constraints(self) -> list[Constraint]:
        sums, signs = [self.sum(0)], []
        while self.token.kind != "end":
            sign = self.taken(*_COMPARISONS)
            if sign is None:
                raise self.unexpected()
            signs.append(sign)
            sums.append(self.sum(0))
        if not signs:
            raise self.wrong("must compare two sides by ==, <=, >=, < or >")
        found = [
            normal_form(self.text, left, right, sign) for left, right, sign in zip(sums, sums[1:], signs, strict=False)
        ]
        if not all(one.terms for one in found):
            raise self.wrong("must be about a column, one that does not cancel")
        return found

    def sum(self, depth: int) -> Coefficients:
        total = dict(self.product(depth))
        while (sign := self.taken("+", "-")) is not None:
            turn = 1 if sign == "+" else -1
            for name, coefficient in self.product(depth).items():
                total[name] = total.get(name, Fraction()) + turn * coefficient
        return self.in_range(total)

    def product(self, depth: int) -> Coefficients:
        total = self.factor(depth)
        while (sign := self.taken("*", "/")) is not None:
            other = self.factor(depth)
            if sign == "*" and not _is_constant(other):
                total, other = other, total
            if not _is_constant(other):
                raise self.wrong("must be linear: no column times or divided by a column")
            number = other.get("", Fraction())
            if sign == "/" and number == 0:
                raise self.wrong("must not divide by zero")
            total = self.in_range({n: c * number if sign == "*" else c / number for n, c in total.items()})
        return total

    def factor(self, depth: int) -> Coefficients:
        if depth > DEEPEST:
            raise self.wrong(f"must not nest deeper than {DEEPEST}")
        if (sign := self.taken("+", "-")) is not None:
            inner = self.factor(depth + 1)
            return inner if sign == "+" else {n: -c for n, c in inner.items()}
        if self.taken("(") is not None:
            inner = self.sum(depth + 1)
            if self.taken(")") is None:
                raise self.unexpected("a ( without its )")
            return inner
        token = self.token
        if token.kind in ("sign", "end"):
            raise self.unexpected()
        self.place += 1
        if token.kind == "name":
            if self.taken("(") is not None:
                raise self.wrong(f"must be linear, without functions such as {token.text}()")
            return {token.text: Fraction(1)}
        return {"": Fraction(Decimal(token.text))}

    def in_range(self, total: Coefficients) -> Coefficients:
        if any(c and not SMALLEST <= abs(c) <= LARGEST for c in total.values()):
            raise self.wrong(MAGNITUDE)
        return total

    def taken(self, *signs: str) -> str | None:
        sign = self.token
        if sign.kind != "sign" or sign.text not in signs:
            return None
        self.place += 1
        return sign.text

    def unexpected(self, what: str | None = None) -> InvalidParameter:
        token = self.token
        if token.kind == "sign" and token.text in _HINTS:
            return self.wrong(_HINTS[token.text])
        at = "ends too early" if token.kind == "end" else f"`{token.text}` is not expected there"
        return self.wrong(f"must read like A == B + C or 2*A <= 3 ({what or at})")

    def wrong(self, rule: str) -> InvalidParameter:
        return InvalidParameter(self.owner, "constraints", rule, self.text)


def _is_constant(total: Coefficients) -> bool:
    return all(name == "" or not c for name, c in total.items())
