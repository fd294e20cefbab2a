"""Values of any type as integers: equal values have equal codes, in one column or in many."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from functools import reduce
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..types import Codes, Rows

MISSING = -1


class Coding:
    """The codes of values, from 0 in order of first appearance, over many blocks of one column.

    1, 1.0 and True are equal, 1 and "1" are not; None, NaN and NaT are missing, and have the code -1.
    """

    def __init__(self) -> None:
        self._seen: dict[Hashable, int] = {}

    @property
    def values(self) -> list[Any]:
        """The values in the order of their codes, then None for the code -1."""
        return [*self._seen, None]

    def column(self, owner: str, frame: Any, name: str, what: str = "column") -> Codes:
        """(n,) codes of a column of an opened frame. Raises InvalidInput for cells that are lists and the like."""
        with single_values(owner, f"{what} `{name}`"):
            positions, values = frame.distinct(name)
        codes = [self._seen.setdefault(value, len(self._seen)) for value in values]
        return np.array([*codes, MISSING], dtype=np.int64)[positions]


@contextmanager
def single_values(owner: str, what: str) -> Iterator[None]:
    """Around the coding of a column, `what`: raises InvalidInput where a cell is a list, an array and the like."""
    try:
        yield
    except (TypeError, ValueError, NotImplementedError) as error:  # a list is not hashable
        rule = f"the cells of {what} must be single values"
        raise InvalidInput(owner, rule, str(error)) from error


def factorized(column: Any, sort: bool = False) -> tuple[Codes, Any]:
    """(n,) codes of a column of numpy, pandas or arrow by first appearance, and its values; a missing value has -1.

    sort : whether the codes are in the order of the values.
    """
    import pandas as pd

    if hasattr(column, "type"):  # of arrow; categories are coded by their values
        column = getattr(column, "dictionary_decode", lambda: column)()
        column = pd.Series(pd.arrays.ArrowExtensionArray(column))
    codes, values = pd.factorize(column, sort=sort)
    return np.asarray(codes, dtype=np.int64), values


def groups_of(codes: Codes) -> list[Rows]:
    """The positions of each code, ascending, in the order of the codes (n,)."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if len(codes) else []


def combinations(K: Codes) -> Codes:
    """(n,) the number of each row's combination of codes (n, q), by first appearance; missing counts as a value."""
    return reduce(crossed, K.T, np.zeros(len(K), dtype=np.int64))


def crossed(codes: Codes, column: Codes) -> Codes:
    """(n,) codes from 0 of the pairs of values of two columns; missing counts as a value."""
    return factorized((codes + 1) * (int(column.max(initial=0)) + 2) + column)[0]


def crossed_with(codes: Codes, column: Codes) -> Codes:
    """(n,) codes from 0 of the pairs of values, below n; -1 where either is missing."""
    pairs = codes * (int(column.max(initial=0)) + 1) + column
    return factorized(np.where((codes < 0) | (column < 0), np.nan, pairs))[0]
