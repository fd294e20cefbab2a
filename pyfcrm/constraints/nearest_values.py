"""The nearest values that keep the constraints of one part of the columns; decimals as integers of the last digit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from ..numerics.decimals import in_units, of_units
from ..types import WHOLE, Array
from .projection import nearest
from .rounding import nearest_on_grid
from .system import Column, Row, System, in_multiples

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

    Decimals are solved as integers of their last digit, if integers keep the rows. Where no decimals of the original
    keep them, those of the types do.
    """
    digits = [max(0, -round(np.log10(column.unit))) if column.unit else 0 for column in columns]
    integers = in_last_digits(columns, rows, Z, digits)
    start, kept, infeasible = _by_missing(*((columns, rows, Z) if integers is None else integers))
    if infeasible and any(column.unit != column.type_unit for column in columns):
        return nearest_values([replace(column, unit=column.type_unit) for column in columns], rows, Z)
    if integers is not None:
        return of_units(start, max(digits)), of_units(kept, max(digits)), infeasible
    for j in np.flatnonzero(digits):
        start[:, j], kept[:, j] = (np.round(A[:, j], digits[j]) for A in (start, kept))
    return start, kept, infeasible


def _by_missing(columns: Sequence[Column], rows: Sequence[Row], Z: Array) -> tuple[Array, Array, list[Infeasible]]:
    """As nearest_values, for records with the same unknown bounds at a time; a row of unknown bound is left out."""
    unknown = np.array([np.isnan(row.bound) for row in rows]).T
    start = in_multiples(Z, np.array([column.unit for column in columns]))
    kept, infeasible = start.copy(), list[Infeasible]()
    for pattern in np.unique(unknown, axis=0):
        records = np.flatnonzero((unknown == pattern).all(axis=1))
        known = [
            replace(row, bound=row.bound[records]) for row, missing in zip(rows, pattern, strict=True) if not missing
        ]
        if not known:
            continue
        S = System.of_rows(columns, known)
        moving = np.flatnonzero(S.broken(start[records], 0.0).any(axis=1))
        texts = [row.text for row in known]
        kept[records[moving]], without = _settled(S.of(moving), texts, Z[records[moving]], records[moving])
        infeasible += without
    return start, kept, infeasible


def _settled(S: System, texts: Sequence[str], Z: Array, records: NDArray[np.intp]) -> tuple[Array, list[Infeasible]]:
    """The nearest values to Z (k, q), of these records, that keep S, and the first record without any."""
    point = nearest(Z, S.sd, S.P)
    if point.impossible.any():
        possible, first = np.flatnonzero(~point.impossible), int(np.argmax(point.impossible))
        others = _settled(S.of(possible), texts, Z[possible], records[possible])[1]
        against = tuple(compress(texts, point.against[first]))
        return Z, [*others, Infeasible(int(records[first]), against)]
    V = point.V
    if not S.unit.all():  # a second time from there: floats lose digits where they move far
        point = nearest(V, S.sd, S.tighter(V))
        V = np.where(point.impossible[:, None], V, point.V)
    V, impossible = nearest_on_grid(S, Z, V)
    if impossible.any():
        return V, [Infeasible(int(records[np.argmax(impossible)]), tuple(texts), BEYOND_TYPE)]
    return V, []


def in_last_digits(
    columns: Sequence[Column], rows: Sequence[Row], Z: Array, digits: Sequence[int]
) -> tuple[list[Column], list[Row], Array] | None:
    """Columns, rows and values in units of the last digit of any column, each column in multiples of its own. None if a
    constraint is then not of whole numbers, or columns are floats, or all whole."""
    most = max(digits)
    whole = [_whole(row, most) for row in rows]
    fits = np.abs(Z).max(initial=0.0) * 10.0**most < WHOLE
    if not most or not fits or not all(column.unit for column in columns) or None in whole:
        return None
    scaled = [
        replace(one, sd=one.sd * 10.0**most, unit=10.0 ** (most - own))
        for one, own in zip(columns, digits, strict=True)
    ]
    units = in_units(Z, most)
    return (
        scaled,
        [row for row in whole if row is not None],
        np.rint(units) if (np.round(Z, most) == Z).all() else units,
    )


def _whole(row: Row, most: int) -> Row | None:
    """A row in such units, where it and the coefficients are whole; of an inequality the bound below."""
    bound = in_units(row.bound, most)
    known = bound[~np.isnan(bound)]
    near = bool((np.abs(np.rint(known) - known) <= NEAR).all())
    fits = (near or not row.equality) and (np.abs(known) < WHOLE).all()
    if not fits or (row.coefficients != np.rint(row.coefficients)).any():
        return None
    return replace(row, bound=np.rint(bound) if near else np.floor(bound + NEAR), whole=True)
