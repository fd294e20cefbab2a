"""Values of any type as integers: equal values have equal codes, in one column or in many."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..types import Codes, Rows

MISSING = -1


@contextmanager
def single_values(owner: str, name: str) -> Iterator[None]:
    """Around the coding of a column: raises InvalidInput where a cell is a list, an array and the like."""
    try:
        yield
    except (TypeError, NotImplementedError) as error:  # a list is not hashable
        raise InvalidInput(owner, f"the cells of column `{name}` must be single values", str(error)) from error


def factorized(column: Any, sort: bool = False) -> tuple[Codes, Any]:
    """Codes (n,) of a column of numpy, pandas or arrow by first appearance, and its values; a missing value has -1.

    sort : whether the codes are in the order of the values.
    """
    import pandas as pd

    if hasattr(column, "type"):  # of arrow; categories are coded by their values
        column = getattr(column, "dictionary_decode", lambda: column)()
        column = pd.Series(pd.arrays.ArrowExtensionArray(column))
    codes, values = pd.factorize(column, sort=sort)
    return np.asarray(codes, dtype=np.int64), values


def are_numbers(cells: Any) -> bool:
    """Whether all cells of a column of objects that are not missing are numbers; truth values are none."""
    from pandas.api.types import infer_dtype

    return infer_dtype(cells, skipna=True) in ("integer", "floating", "mixed-integer-float")


def groups_of(codes: Codes) -> list[Rows]:
    """The positions of each code, ascending, in the order of the codes (n,)."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if len(codes) else []


def combinations(K: Codes) -> Codes:
    """Numbers (n,) of each row's combination of codes (n, q), by first appearance; missing counts as a value."""
    return reduce(crossed, K.T, np.zeros(len(K), dtype=np.int64))


def crossed(codes: Codes, column: Codes) -> Codes:
    """Codes (n,) from 0 of the pairs of values of two columns; missing counts as a value."""
    return factorized((codes + 1) * (int(column.max(initial=0)) + 2) + column)[0]


def crossed_with(codes: Codes, column: Codes) -> Codes:
    """Codes (n,) from 0 of the pairs of values, below n; -1 where either is missing."""
    pairs = codes * (int(column.max(initial=0)) + 1) + column
    return factorized(np.where((codes < 0) | (column < 0), np.nan, pairs))[0]
