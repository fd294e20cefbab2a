"""Checks of public arguments: numbers, words and lists of names.

R sends whole numbers as floats and single names as strings, so 3.0 is accepted for 3 and "x" for ["x"].
"""

import math
import numbers
import re
from collections.abc import Iterable
from contextlib import suppress
from numbers import Integral
from typing import Any

from .errors import InvalidParameter

_ITEM = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^,\s"][^,]*?))\s*(,|\Z)')
MOST = 2**31 - 1  # the largest whole number of R
WHOLE_NUMBER, FINITE_NUMBER = "must be a whole number", "must be a finite number"
SOME_NAMES = "must name at least one column"
MOST_RECORDS = 100_000_000  # simulated at once


def whole_number(
    owner: str, name: str, value: object, *, low: int | None = None, high: int | None = None, limit: float = MOST
) -> int:
    """`value` as an int within [low, high]; 3.0 counts as 3, True and 3.5 do not.

    A missing end is `limit` or -`limit`; the message names it only for a number beyond it.
    """
    least, most = -math.inf if low is None else low, math.inf if high is None else high
    number = None
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        with suppress(ValueError, OverflowError):  # NaN, and infinity
            number = int(value)  # type: ignore[call-overload]
    if number is None or number != value or not least <= number <= most:
        raise InvalidParameter(owner, name, number_rule(WHOLE_NUMBER, low=low, high=high), value)
    least, most = -limit if low is None else low, limit if high is None else high
    if not least <= number <= most:
        raise InvalidParameter(owner, name, number_rule(WHOLE_NUMBER, low=least, high=most), value)
    return number


def real_number(
    owner: str,
    name: str,
    value: object,
    *,
    above: float | None = None,
    low: float | None = None,
    high: float | None = None,
    below: float | None = None,
) -> float:
    """`value` as a finite float, greater than `above`, at least `low`, at most `high`, less than `below`."""
    number = math.nan
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        with suppress(OverflowError):  # a whole number beyond the floats
            number = float(value)
    if not (
        math.isfinite(number)
        and (above is None or number > above)
        and (low is None or number >= low)
        and (high is None or number <= high)
        and (below is None or number < below)
    ):
        rule = number_rule(FINITE_NUMBER, above=above, low=low, high=high, below=below)
        raise InvalidParameter(owner, name, rule, value)
    return number


def at_most_records(owner: str, name: str, value: int, n: int) -> None:
    """Raises InvalidParameter where `value`, of groups or of the records of a group, is above the number of records n."""
    if value > n:
        raise InvalidParameter(owner, name, f"must be at most the number of records, {n}", value)


def choice(owner: str, name: str, value: object, allowed: Iterable[str]) -> str:
    """`value` if it is one of the allowed words."""
    allowed = tuple(allowed)
    if not isinstance(value, str) or value not in allowed:
        raise InvalidParameter(owner, name, choice_rule(allowed), value, allowed)
    return value


def flag(owner: str, name: str, value: object) -> bool:
    """`value` if it is True or False."""
    if not isinstance(value, bool):
        raise InvalidParameter(owner, name, "must be True or False", value)
    return value


def names(owner: str, name: str, value: object) -> tuple[str, ...]:
    """A tuple of different names, from one name, a list of names or None (no names).

    Names are texts: a whole number, which pandas has as a label, is its digits.
    """
    if value is None:
        return ()
    if is_label(value):
        return (str(value),)
    listed = items(value)
    if listed is None:
        raise InvalidParameter(owner, name, "must be a column name or a list of them", value)
    for item in listed:
        if not is_label(item):
            raise InvalidParameter(owner, name, "must hold column names only", item)
        if listed.count(item) > 1:
            raise InvalidParameter(owner, name, "must name a column once", item)
    return tuple(map(str, listed))


def is_label(value: object) -> bool:
    """Whether a value can name a column: a text, or a whole number of 64 bits, which is a label of pandas."""
    if isinstance(value, str):
        return True
    return isinstance(value, Integral) and not isinstance(value, bool) and abs(int(value)) < 2**63


def listed(text: str) -> list[str] | None:
    """The names of a text such as a,"b, c", without their double quotes; None where one cannot be read."""
    names, place, more = list[str](), 0, True
    while more:
        match = _ITEM.match(text, place)
        if match is None:
            return None
        quoted, plain, comma = match.groups()
        names.append(plain if quoted is None else quoted.replace('""', '"'))
        place, more = match.end(), bool(comma)
    return names


def one_name(owner: str, name: str, value: object) -> str | None:
    """`value` if it is the name of a column, or None."""
    if value is None:
        return None
    if not is_label(value) or value == "":
        raise InvalidParameter(owner, name, "must be the name of one column, or None", value)
    return str(value)


def items(value: object) -> tuple[Any, ...] | None:
    """The items of a list, a tuple, an array or another iterable; None for any other value, such as an array without dimensions."""
    try:
        return tuple(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def number_rule(
    number: str,
    *,
    above: float | None = None,
    low: float | None = None,
    high: float | None = None,
    below: float | None = None,
) -> str:
    """The rule of whole_number and real_number, in words. number : WHOLE_NUMBER or FINITE_NUMBER."""
    if low is not None and high is not None:
        return f"{number} from {_figure(low)} to {_figure(high)}"
    start = f" above {above:g}" if above is not None else "" if low is None else f", at least {_figure(low)}"
    end = f" below {below:g}" if below is not None else "" if high is None else f" at most {_figure(high)}"
    comma = "," if below is None and end else ""
    return number + (f"{start} and{end}" if start and end else start or comma + end)


def choice_rule(allowed: Iterable[str]) -> str:
    """The rule of choice, in words."""
    return "must be one of " + ", ".join(repr(a) for a in allowed)


def _figure(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:g}"
