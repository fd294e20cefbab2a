"""The nearest values that keep the constraints of one part of the columns; decimals as integers of the last digit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from ..numerics.decimals import in_units, of_units
from ..types import WHOLE, Array, Mask
from .projection import nearest
from .rounding import nearest_on_grid
from .system import System, in_multiples

NEAR = 1e-6  # of a unit: sums of floats that are whole numbers of it
BEYOND_TYPE = " (in what its type can hold)"


@dataclass(frozen=True)
class Infeasible:
    """A record without values that keep its constraints. record : its position; reason : added to their texts."""

    record: int
    constraints: tuple[str, ...]
    reason: str = ""


def nearest_values(S: System, Z: Array) -> tuple[Array, Array, list[Infeasible]]:
    """Z (k, q) rounded to what its columns hold, the nearest values to Z that keep S, and records without any.

    Decimals are solved as integers of their last digit, if integers keep S. Where no decimals of the original keep it, those
    of the types do.
    """
    digits = [max(0, -round(np.log10(unit))) if unit else 0 for unit in S.unit.tolist()]
    integers = in_last_digits(S, Z, digits)
    start, kept, infeasible = _by_missing(*(integers or (S, Z)))
    if infeasible and (S.unit != S.type_unit).any():
        return nearest_values(replace(S, unit=S.type_unit), Z)
    if integers is not None:
        return of_units(start, max(digits)), of_units(kept, max(digits)), infeasible
    for j in np.flatnonzero(digits):
        start[:, j], kept[:, j] = (np.round(A[:, j], digits[j]) for A in (start, kept))
    return start, kept, infeasible


def _by_missing(S: System, Z: Array) -> tuple[Array, Array, list[Infeasible]]:
    """As nearest_values, for records with the same unknown bounds at a time; a constraint of unknown bound is left out."""
    unknown, start = np.isnan(S.P.bound), in_multiples(Z, S.unit)
    kept, infeasible = start.copy(), list[Infeasible]()
    for pattern in np.unique(unknown, axis=0):
        if pattern.all():
            continue
        records = np.flatnonzero((unknown == pattern).all(axis=1))
        known = S.of(records).of_rows(~pattern)
        moving = np.flatnonzero(known.broken(start[records], 0.0).any(axis=1))
        kept[records[moving]], without = _settled(known.of(moving), Z[records[moving]], records[moving])
        infeasible += without
    return start, kept, infeasible


def _settled(S: System, Z: Array, records: NDArray[np.intp]) -> tuple[Array, list[Infeasible]]:
    """The nearest values to Z (k, q), of these records, that keep S, and the first record without any."""
    V, against = nearest(Z, S.sd, S.P)
    impossible = against.any(axis=1)
    if impossible.any():
        possible, first = np.flatnonzero(~impossible), int(np.argmax(impossible))
        others = _settled(S.of(possible), Z[possible], records[possible])[1]
        return Z, [*others, Infeasible(int(records[first]), tuple(compress(S.texts, against[first])))]
    if not S.unit.all():  # a second time from there: floats lose digits where they move far
        nearer, against = nearest(V, S.sd, S.tighter(V))
        V = np.where(against.any(axis=1, keepdims=True), V, nearer)
    V, impossible = nearest_on_grid(S, Z, V)
    if impossible.any():
        return V, [Infeasible(int(records[np.argmax(impossible)]), S.texts, BEYOND_TYPE)]
    return V, []


def in_last_digits(S: System, Z: Array, digits: Sequence[int]) -> tuple[System, Array] | None:
    """The system and values in units of the last digit of any column, each column in multiples of its own. None if a
    constraint is then not of whole numbers, or columns are floats, or all whole. Of an inequality the bound is that below."""
    most, A = max(digits), S.P.A
    bound, units = in_units(S.P.bound, most), in_units(Z, most)
    near: Mask = np.logical_not((np.abs(np.rint(bound) - bound) > NEAR).any(axis=0))
    whole = near[: S.P.equalities].all() and not (np.abs(bound) >= WHOLE).any() and (np.rint(A) == A).all()
    fits = np.abs(Z).max(initial=0.0) * 10.0**most < WHOLE
    if not most or not fits or not S.unit.all() or not whole:
        return None
    scaled = replace(
        S,
        P=replace(S.P, bound=np.where(near, np.rint(bound), np.floor(bound + NEAR))),
        whole=np.ones_like(S.whole),
        unit=np.array([10.0 ** (most - own) for own in digits]),
        sd=S.sd * 10.0**most,
    )
    return scaled, np.rint(units) if (np.round(Z, most) == Z).all() else units
