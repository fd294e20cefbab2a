"""Strict constraints: how far below its bound a release keeps the sum of a < b, so that released values differ."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction

from ..data import Frame, is_numeric
from ..data.domains import Amounts
from ..errors import InvalidInput
from .language import Constraint

BEYOND_ROUNDING = Fraction(1, 10**6)  # of a gap, so that numbers in the middle of it are not rounded to one value
NO_DIFFERENCE = (
    "the constraint `{text}` must be about columns with a fixed number of decimals, as a strict < needs a smallest difference "
    "(declare `decimals` of `{name}`, or use <=)"
)


def with_differences(
    owner: str, constraints: Sequence[Constraint], frame: Frame, dependent: Collection[str]
) -> tuple[Constraint, ...]:
    """The constraints, strict ones with the difference by which a release keeps them.

    Parameters
    ----------
    owner : str
        The caller, for messages.
    constraints : sequence of Constraint
        As they were declared.
    frame : Frame
        The original.
    dependent : collection of str
        The columns that may move.

    Returns
    -------
    tuple of Constraint
        In the same order.

    Raises
    ------
    InvalidInput
        For a strict constraint of a dependent column that is a real number.
    """
    return tuple(
        replace(one, difference=_difference(owner, one, frame, dependent)) if one.strict else one for one in constraints
    )


def _difference(owner: str, constraint: Constraint, frame: Frame, dependent: Collection[str]) -> Fraction:
    """The distance from the bound to the next smaller sum, and what the values can come nearer to it by rounding."""
    if not {*constraint.columns} & {*dependent}:
        return Fraction(0)  # nothing moves
    if not all(name in frame.names and is_numeric(frame, name) for name in constraint.columns):
        return Fraction(0)  # it is refused as every constraint of such columns
    steps = list[Fraction]()  # of coefficient times column
    rounding = Fraction(0)
    for name, coefficient in constraint.terms:
        decimals = decimals_of_release(frame, name)
        if decimals is not None:
            steps.append(abs(coefficient) * Fraction(1, 10**decimals))
        elif name in dependent:
            encoding = frame.encoding(name)
            gap = 0.0 if encoding is None else encoding.domain.gap
            if not gap:
                rule = NO_DIFFERENCE.format(text=constraint.text, name=name)
                raise InvalidInput(owner, rule, f"column `{name}`: real numbers")
            rounding += abs(coefficient) * Fraction(gap) / 2 * (1 + BEYOND_ROUNDING)
    if not steps:
        return rounding
    step = _common_divisor(steps)
    # The sums are multiples of the step; the bound need not be one.
    below_bound = constraint.bound % step or step
    return below_bound + rounding


def decimals_of_release(frame: Frame, name: str) -> int | None:
    """The decimals of the numbers that a column may be released with; None where these are no multiples of a power of ten."""
    encoding = frame.encoding(name)
    if encoding is None:
        return 0 if frame.kind(name) == "integer" else frame.decimal_places(name)
    if isinstance(encoding.domain, Amounts):
        return encoding.domain.decimals
    are_successive = encoding.domain.gap == 1 and all(end % 1 == 0 for end in encoding.domain.ends)
    return 0 if are_successive else None


def _common_divisor(numbers: Sequence[Fraction]) -> Fraction:
    """The largest number of which all numbers are multiples."""
    divisor = numbers[0]
    for number in numbers[1:]:
        while number:
            divisor, number = number, divisor % number
    return divisor
