"""Amounts in cents, held as floats: a part of the constraints put in whole numbers of the smallest unit, where sums are exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..numerics.decimals import decimals, in_units
from ..types import Array
from .system import LARGEST_WHOLE, Column, Row

NEAR = 1e-6  # of a unit: sums of floats that are whole numbers of it


def digits_of(columns: Sequence[Column], Z: Array) -> list[int] | None:
    """The number of decimals of each column of Z (k, q), or of its type; None if one has no such number, or all are
    whole by their type."""
    found = list[int]()
    for column, values in zip(columns, Z.T, strict=True):
        digits = decimals(values) if column.unit == 0 else -round(np.log10(column.unit))
        if digits is None or (column.unit == 0 and column.bits < 53):
            return None
        found.append(max(0, digits))
    whole = all(column.unit == 1 for column in columns)
    return None if whole or np.abs(Z).max(initial=0.0) * 10.0 ** max(found) >= LARGEST_WHOLE else found


def in_last_digits(
    columns: Sequence[Column], rows: Sequence[Row], Z: Array, digits: Sequence[int]
) -> tuple[list[Column], list[Row], Array] | None:
    """Columns, rows and values in units of the last digit of any column, each column in multiples of its own. None if a
    constraint is then not of whole numbers."""
    most = max(digits)
    units = in_units(Z, most)
    scaled = [
        replace(one, sd=one.sd * 10.0**most, unit=10.0 ** (most - own))
        for one, own in zip(columns, digits, strict=True)
    ]
    known = all(column.unit > 0 for column in columns)
    bounds = [_whole(row, most, known) for row in rows]
    if any(bound is None for bound in bounds):
        return None
    listed = [
        replace(row, bound=bound, exact=True) for row, bound in zip(rows, bounds, strict=True) if bound is not None
    ]
    return scaled, listed, np.rint(units) if (np.round(Z, most) == Z).all() else units


def _whole(row: Row, most: int, below: bool) -> Array | None:
    """The bound of a row in such units, where it and the coefficients are whole; of an inequality the next one `below`."""
    bound = in_units(row.bound, most)
    known = bound[~np.isnan(bound)]
    near = bool((np.abs(np.rint(known) - known) <= NEAR).all())
    fits = (near or (below and not row.equality)) and (np.abs(known) < LARGEST_WHOLE).all()
    if not fits or (row.coefficients != np.rint(row.coefficients)).any():
        return None
    return np.rint(bound) if near else np.floor(bound + NEAR)
