"""Nested codes of a release: each finer code lies within the coarser one that it has in the original."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..constraints.nested_codes import known_outer_codes
from ..data import Frame
from ..data.tally import FEWEST
from ..rstream import RStream
from ..types import Array, Codes, Integers, Mask
from .request import ProtectRequest


@dataclass
class Column:
    """A column of codes in the original and in the release."""

    original: Codes
    """(n,) the codes of the original, from 0; that of a missing value is among them."""

    known: Mask
    """(n,) where the original has a value."""

    released: Codes
    """(n,) those of the release."""

    values: Array | None
    """By code the value of a dependent column; None of an independent one, which stays."""

    @property
    def is_rare(self) -> Mask:
        """Whether a code (k,) is that of a value which fewer than 10 originals have."""
        width = int(max(self.original.max(), self.released.max())) + 1
        counts = np.bincount(self.original[self.known], minlength=width)
        return (counts > 0) & (counts < FEWEST)


def keep_nested(request: ProtectRequest, frame: Frame, rows: Mask, Y: Array, Z: Array) -> None:
    """Change codes of a release Z (n, t) of Y so that they are nested as most originals are.

    A coarser column that is confidential follows from the finer one. Where it is not, or follows from another rule, a finer code
    that lies elsewhere is drawn again from the originals within the coarser one. A number that is no code becomes the nearest
    one. A confidential finer code that fewer than 10 originals have determines nothing, and is drawn again too. Of several such
    columns the finer code is drawn within all of them. rows : the n records of the frame. Draws: n uniforms for each column that
    is drawn again.
    """
    assert request.derivation is not None
    dependent = request.roles.dependent
    columns = dict[str, Column]()
    for name in {name: None for pair in request.derivation.nested for name in pair}:
        columns[name] = _column(request, frame, rows, name, Y=Y, Z=Z)
    settled = {name for name in columns if name not in dependent}
    left = list(request.derivation.nested)
    while left:
        inner, outer = _next(left, settled)
        left.remove((inner, outer))
        if outer in settled and inner in settled:
            continue
        if outer in settled:
            # Drawn within one of several columns, a code would lie elsewhere in another.
            others = [name for finer, name in left if finer == inner and name in settled]
            left = [pair for pair in left if pair[0] != inner or pair[1] not in others]
            _draw_within(columns[inner], [columns[name] for name in (outer, *others)], request.stream)
        else:
            place = _outer_codes(columns[inner], columns[outer])[columns[inner].released]
            columns[outer].released = np.where(place >= 0, place, columns[outer].released)
            if inner not in settled and columns[inner].is_rare[columns[inner].released].any():
                _draw_within(columns[inner], [columns[outer]], request.stream)
        settled |= {inner, outer}
    for name, column in columns.items():
        if column.values is not None:
            Z[:, dependent.index(name)] = column.values[column.released]


def _next(left: Sequence[tuple[str, str]], settled: set[str]) -> tuple[str, str]:
    """The pair that is settled next: one within a settled column, or one that a settled column determines, or the finest."""
    coarser = {outer for _, outer in left}
    return min(left, key=lambda pair: (pair[1] not in settled, pair[0] not in settled, pair[0] in coarser))


def _column(request: ProtectRequest, frame: Frame, rows: Mask, name: str, *, Y: Array, Z: Array) -> Column:
    """A column of codes by its name. See keep_nested."""
    cells = frame.codes(name)[rows]
    if name not in request.roles.dependent:
        codes = np.unique(cells, return_inverse=True)[1]
        return Column(original=codes, known=cells >= 0, released=codes, values=None)
    j = request.roles.dependent.index(name)
    values, codes = np.unique(Y[:, j], return_inverse=True)
    # Codes are whole numbers, and so are positions of levels.
    released = _nearest(values, np.rint(Z[:, j]))
    return Column(original=codes, known=cells >= 0, released=released, values=values)


def _outer_codes(inner: Column, outer: Column) -> Integers:
    """(k,) by inner code the outer one of most originals with both; -1 where fewer than 10 have it."""
    known = inner.known & outer.known
    found = np.full(int(max(inner.original.max(), inner.released.max())) + 1, -1, dtype=np.int64)
    if known.any():
        majority = known_outer_codes(inner.original[known], outer.original[known])
        found[: len(majority)] = majority
    return found


def _nearest(values: Array, z: Array) -> Integers:
    """(n,) the place of the value that is nearest to each z, among ascending values."""
    above = np.clip(np.searchsorted(values, z), 1, max(1, len(values) - 1))
    if len(values) == 1:
        return np.zeros(len(z), dtype=np.int64)
    nearer_below = z - values[above - 1] <= values[above] - z
    return np.where(nearer_below, above - 1, above).astype(np.int64)


def _draw_within(inner: Column, outers: Sequence[Column], stream: RStream) -> None:
    """Draw inner codes again that are rare, or lie within other outer codes than the record's, from the originals within those."""
    by_outer = [_outer_codes(inner, outer) for outer in outers]
    parts = [
        np.column_stack([outer.original for outer in outers]),
        np.column_stack([outer.released for outer in outers]),
    ]
    combinations = np.vstack([*parts, np.column_stack(by_outer)])
    codes = np.unique(combinations, axis=0, return_inverse=True)[1].ravel()
    n = len(inner.released)
    original = codes[:n]
    wanted = codes[n : 2 * n]
    majority = np.where(np.min(by_outer, axis=0) < 0, -1, codes[2 * n :])  # -1 for a rare inner code
    known = np.all([outer.known for outer in outers], axis=0)
    u = stream.runif(n)
    now = majority[inner.released]
    elsewhere = (now >= 0) & (now != wanted)
    wrong = (elsewhere | inner.is_rare[inner.released]) & known
    settled = _drawn_from(np.where(inner.known, majority[inner.original], -1), inner, wanted, u, where=wrong)
    # All inner codes there are rare: from all originals there, and where these are few, from all with a rare code.
    everywhere = np.zeros(n, dtype=np.int64)
    pools = (
        (np.where(inner.known & known, original, -1), wanted),
        (np.where(inner.known & inner.is_rare[inner.original], 0, -1), everywhere),
    )
    for place, goal in pools:
        sizes = np.bincount(place[place >= 0], minlength=int(goal.max()) + 1)
        left = wrong & elsewhere & ~settled & (sizes[goal] >= FEWEST)
        if left.any():
            settled |= _drawn_from(place, inner, goal, u, where=left)


def _drawn_from(place: Integers, inner: Column, wanted: Integers, u: Array, *, where: Mask) -> Mask:
    """Draw inner codes again, `where` (n,) there are originals at the place wanted (n,). Returns which records are drawn.

    place : (n,) the outer code of each original, -1 for one that is not drawn.
    """
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(int(max(wanted.max(), place.max())) + 2))
    size = np.diff(starts)[wanted]
    drawn = where & (size > 0)
    chosen = starts[wanted] + np.floor(u * size).astype(np.int64)
    inner.released = np.where(drawn, inner.original[order[np.where(drawn, chosen, 0)]], inner.released)
    return drawn
