"""What a constraint is: a linear combination of columns, and what it must be or not exceed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

Coefficients = dict[str, Fraction]


@dataclass(frozen=True)
class Constraint:
    """sum of coefficient * column == bound, or <= bound, in exact numbers.

    text : as it was written; terms : (column, coefficient) in the order written, no coefficient 0; equality : == or <=.
    """

    text: str
    terms: tuple[tuple[str, Fraction], ...]
    equality: bool
    bound: Fraction

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it names, in the order written."""
        return tuple(name for name, _ in self.terms)

    def scaled(self) -> tuple[dict[str, float], float]:
        """Coefficients and bound as floats, times what makes them whole where that is a small number."""
        numbers = [*(c for _, c in self.terms), self.bound]
        factor = lcm(*(number.denominator for number in numbers))
        factor = factor if factor <= 1_000_000 else 1
        return {name: float(c * factor) for name, c in self.terms}, float(self.bound * factor)


def normal_form(text: str, left: Coefficients, right: Coefficients, sign: str) -> Constraint:
    """The Constraint `left sign right`; the key "" holds the constant. >= is turned into <= by changing all signs."""
    turn = -1 if sign == ">=" else 1
    total = {name: turn * (left.get(name, Fraction(0)) - right.get(name, Fraction(0))) for name in {**left, **right}}
    bound = -total.pop("", Fraction(0))
    return Constraint(text, tuple((name, c) for name, c in total.items() if c), sign == "==", bound)
