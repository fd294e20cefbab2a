"""The nearest values that keep the constraints of one part of the columns; decimals as integers of the last digit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..numerics.decimals import decimals, in_units, of_units
from ..types import Array
from .projection import nearest
from .rounding import nearest_on_grid
from .system import LARGEST_WHOLE, Column, Row, system

NEAR = 1e-6  # of a unit: sums of floats that are whole numbers of it
BEYOND_TYPE = " (in what its type can hold)"


@dataclass(frozen=True)
class Infeasible:
    """A record without values that keep its constraints. record : its position; reason : added to their texts."""

    record: int
    constraints: tuple[str, ...]
    reason: str = ""


def nearest_values(columns: Sequence[Column], rows: Sequence[Row], Z: Array) -> tuple[Array, Array, list[Infeasible]]:
    """Z (k, q) rounded to what its columns hold, the nearest values to Z that keep the rows, and records without any.

    Decimals are solved as integers of their last digit, if all of Z are such decimals and integers keep the rows. Where no
    decimals of the original keep them, those of the types do.
    """
    digits = digits_of(columns, Z)
    integers = None if digits is None else in_last_digits(columns, rows, Z, digits)
    if digits is not None and integers is not None:
        start, kept, infeasible = _by_missing(*integers)
        if not infeasible:
            return of_units(start, max(digits)), of_units(kept, max(digits)), []
    start, kept, infeasible = _by_missing(columns, rows, Z)
    if infeasible and any(column.unit != column.type_unit for column in columns):
        return nearest_values([replace(column, unit=column.type_unit) for column in columns], rows, Z)
    for j, column in enumerate(columns):
        if 0 < column.unit < 1:
            kept[:, j] = np.round(kept[:, j], -round(np.log10(column.unit)))
    return start, kept, infeasible


def _by_missing(columns: Sequence[Column], rows: Sequence[Row], Z: Array) -> tuple[Array, Array, list[Infeasible]]:
    """As nearest_values, for records with the same unknown bounds at a time; a row of unknown bound is left out."""
    unknown = np.array([np.isnan(row.bound) for row in rows]).T
    unit = np.array([column.unit for column in columns])
    start = np.where(unit > 0, np.rint(Z / np.where(unit > 0, unit, 1.0)) * unit, Z)
    kept, infeasible = start.copy(), list[Infeasible]()
    for pattern in np.unique(unknown, axis=0):
        records = np.flatnonzero((unknown == pattern).all(axis=1))
        known = [row for row, left_out in zip(rows, pattern, strict=True) if not left_out]
        S = system(columns, known, records, Z[records])
        records = records[S.to_settle(start[records])]
        kept[records], without = _settled(columns, known, Z, records)
        infeasible += without
    return start, kept, infeasible


def _settled(
    columns: Sequence[Column], rows: Sequence[Row], Z: Array, records: NDArray[np.intp]
) -> tuple[Array, list[Infeasible]]:
    """The nearest values for `records` of Z that keep the rows, and the first record without any."""
    S = system(columns, rows, records, Z[records])
    point = nearest(Z[records], S.sd, S.P)
    if point.impossible.any():
        others = _settled(columns, rows, Z, records[~point.impossible])[1]
        ordered, first = sorted(rows, key=lambda row: not row.equality), int(np.argmax(point.impossible))
        texts = tuple(ordered[i].text for i in np.flatnonzero(point.against[first]))
        return Z[records], [*others, Infeasible(int(records[first]), texts)]
    if not all(column.unit for column in columns):  # a second time from there: floats lose digits where they move far
        point = nearest(point.V, S.sd, S.P)
    V, impossible = nearest_on_grid(S, Z[records], point.V)
    if impossible.any():
        texts = tuple(row.text for row in rows)
        return V, [Infeasible(int(records[np.argmax(impossible)]), texts, BEYOND_TYPE)]
    return V, []


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
