"""Pairs of original and protected records, and both files as records of the same columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments import names as column_names
from ..errors import InvalidInput, Note
from ..progress import Progress, within
from ..types import Array, Codes, Mask, Rows, Terms
from .blocks import Records, SideBySide
from .check import is_numeric, load, numeric_names, require_columns
from .codes import MISSING
from .frame import Frame


def unpaired(owner: str, what: str, n: int, N: int) -> InvalidInput:
    """The error where n original and N protected records cannot be paired, which `what` needs."""
    rule = f"records must pair, by index or by position (give both files in one order, or what protect() returned), for {what}"
    return InvalidInput(owner, rule, f"{n} original and {N} protected records that do not")


def paired_rows(original: Frame, protected: Frame) -> tuple[Rows, Rows] | None:
    """Paired row numbers (in the original, in the protected), or None where records cannot be paired.

    They pair by what protect() knows of its release; else by the pandas index of the protected file, if it is not 0, 1,
    2, ...: each of its labels must occur once in both. Otherwise they pair by position, which needs as many records in
    both. A release from protect() is numbered from 0, whatever index the original has.
    """
    import pandas as pd

    n, N = original.records, protected.records
    if original.rows is not None or protected.rows is not None:
        labels, others = (
            pd.RangeIndex(frame.records) if frame.rows is None else pd.Index(frame.rows)
            for frame in (original, protected)
        )
    else:
        labels, others = original.index(), protected.index()
        if others is None:
            return (np.arange(n), np.arange(n)) if n == N else None
        labels = pd.RangeIndex(n) if labels is None else labels
    if labels.is_unique and others.is_unique:
        positions = labels.get_indexer(others)
        return None if (positions < 0).any() else (positions, np.arange(N))
    return (np.arange(n), np.arange(n)) if n == N and labels.equals(others) else None


def paired_by_position(original: Frame, protected: Frame) -> bool:
    """Whether nothing but their position pairs the records of two files."""
    return all(frame.rows is None for frame in (original, protected)) and protected.index() is None


def unchanged_columns(original: Frame, protected: Frame, names: Iterable[str]) -> list[str]:
    """The columns of which every cell in the release, but emptied ones, equals its own record's in the original."""
    rows, common = paired_rows(original, protected), {*original.names} & {*protected.names}
    if rows is None:
        return []
    return [name for name in names if name in common and _same(original, protected, name, *rows)]


def _same(original: Frame, protected: Frame, name: str, old: Rows, new: Rows) -> bool:
    numeric = is_numeric(original, name)
    if numeric != is_numeric(protected, name):
        return False
    if numeric:
        X, Z = original.values(name)[old], protected.values(name)[new]
        return bool(np.all((X == Z) | np.isnan(Z)) and not np.isnan(Z).all())
    pairs = zip(original.cells(name)[old].tolist(), protected.cells(name)[new].tolist(), strict=True)
    try:
        return all(z is None or z != z or x == z for x, z in pairs)
    except (TypeError, ValueError):  # cells that are arrays
        return False


@dataclass(frozen=True)
class Knowledge:
    """Knowledge of an intruder on the protection of a release.

    attacks : of linkage.informed, by the method; given : (n, s) the unmodified predictors of the paired records; terms :
    the positions of those that are of each category.
    """

    attacks: tuple[Any, ...]
    given: Records
    terms: Terms = ()


@dataclass(frozen=True)
class Pair:
    """Original and protected records for a measure, in memory or on disk.

    X (n, p), Z (N, p) : NaN for missing; paired records have the same position, and a cell missing in one is missing in
    both; original (M, p) : all original records, where X holds only those of the release, for measures that pair no
    records; knowledge : of an intruder who knows the method; weights (n,) : survey weights, None for equal ones;
    only_totals : whether parts that no total is computed from, and baselines of a model, are left out; columns : their
    names; places : positions of the paired records in either frame, None where records do not pair; notes : on both files.
    """

    X: Records
    Z: Records
    original: Records | None = None
    knowledge: Knowledge | None = None
    weights: Array | None = None
    only_totals: bool = False
    columns: tuple[str, ...] = ()
    places: tuple[Rows, Rows] | None = None
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(cls, X: Array, Z: Array) -> Pair:
        """Of arrays."""
        return cls(Records(X), Records(Z))

    @property
    def n(self) -> int:
        """Records of the original."""
        return self.X.n

    @property
    def p(self) -> int:
        """Columns of either file."""
        return self.X.p

    @property
    def in_memory(self) -> bool:
        """Whether the records are in memory."""
        return not (self.X.on_disk or self.Z.on_disk)

    @cached_property
    def cells(self) -> NDArray[np.int64]:
        """(2, p) how many cells of each column are observed, in X and in Z."""
        return np.array([[np.count_nonzero(_known(table, [j])) for j in range(self.p)] for table in (self.X, self.Z)])

    @property
    def gaps(self) -> bool:
        """Whether cells are missing."""
        return bool((self.cells < [[self.X.n], [self.Z.n]]).any())

    @property
    def complete(self) -> int:
        """How many records of the original miss nothing."""
        return int(_known(self.X, range(self.p)).sum())

    def observed(self, columns: Sequence[int] | None = None) -> Pair:
        """The records of either file without gaps in these columns; None for all columns, with the knowledge of the method."""
        places = range(self.p) if columns is None else columns
        x, z = (np.flatnonzero(_known(table, places)) for table in (self.X, self.Z))
        known = self.knowledge if columns is None else None
        return Pair(
            self.X.taken(x, places),
            self.Z.taken(z, places),
            knowledge=None if known is None else replace(known, given=known.given.taken(x)),
            weights=None if self.weights is None else self.weights[x],
            only_totals=self.only_totals,
        )

    @property
    def rows(self) -> SideBySide:
        """Records that pair, as (n, 2 p): the original's columns, then the protected ones."""
        return SideBySide(self.X, self.Z)

    def share(self, scores: NDArray[Any]) -> float:
        """The mean of a score by record (n,), weighted where there are weights."""
        return float(np.average(scores, weights=self.weights))

    def arrays(self) -> tuple[Array, Array]:
        """X and Z, in memory."""
        return self.X.read(), self.Z.read()

    def with_whole_original(self) -> Pair:
        """The pair with all records of the original."""
        return self if self.original is None else Pair(self.original, self.Z)


def _known(table: Records, columns: Iterable[int]) -> Mask:
    """(n,) where all of these columns are observed."""
    return np.logical_and.reduce([~np.isnan(table.column(j)[:, 0]) for j in columns])


def two_files(
    owner: str,
    before: Frame,
    after: Frame,
    columns: str | Iterable[str] | None,
    paired: Iterable[str] = (),
    *,
    progress: Progress | None = None,
) -> Pair:
    """The requested columns (None: all numeric ones in both) of two opened frames.

    paired : measures that need pairs. Raises InvalidInput for columns that cannot be judged, such as one without a value
    in both files, and where records do not pair but must.
    """
    common = tuple(name for name in numeric_names(before) if name in after.names and is_numeric(after, name))
    names = common if columns is None else column_names(owner, "columns", columns)
    if not names:
        raise InvalidInput(owner, "needs at least one numeric column that both files have", "none")
    rows = paired_rows(before, after)
    X, _ = load(f"{owner}, original", before, names, progress=within(progress, 0, 2))
    Z, _ = load(f"{owner}, protected", after, names, progress=within(progress, 1, 2))
    if rows is None:
        if paired := list(paired):
            raise unpaired(owner, ", ".join(paired), X.n, Z.n)
        pair = Pair(X, Z, columns=names)
    else:
        x, z = (
            table if np.array_equal(part, np.arange(table.n)) else table.taken(part)
            for table, part in zip((X, Z), rows, strict=True)
        )
        pair = Pair(x, z, X if after.records < before.records else None, columns=names, places=rows)
        pair = _gaps_matched(pair) if pair.gaps else pair
    require_observed(owner, pair)
    return pair


def _gaps_matched(pair: Pair) -> Pair:
    """The pair, each cell of either table emptied that is missing in the other."""
    for j in range(pair.p):
        both = _known(pair.X, [j]) & _known(pair.Z, [j])
        for table in (pair.X, pair.Z):
            table.A[~both, j] = np.nan
    return replace(pair)  # whose cells are counted again


def require_observed(owner: str, pair: Pair) -> None:
    """Raises InvalidInput for a column without an observed cell, in both files where records pair."""
    for name, least in zip(pair.columns, pair.cells.min(axis=0), strict=True):
        if not least:
            rule = f"no record has a value of column `{name}` in both files (leave the column out of `columns`)"
            raise InvalidInput(owner, rule, "missing values")


def key_codes(owner: str, original: Frame, protected: Frame, names: Sequence[str]) -> tuple[Codes, Codes]:
    """Columns of two frames as codes (n, q) and (N, q): equal values have equal codes in both.

    Of any type; 1 and 1.0 are equal, 1 and "1" are not; -1 is missing (None, NaN or the frame's own).
    Raises InvalidInput for a column that one of the frames does not have, or whose cells are lists and the like.
    """
    require_columns(f"{owner}, original", original, names)
    require_columns(f"{owner}, protected", protected, names)
    K, L = (np.empty((file.records, len(names)), dtype=np.int64) for file in (original, protected))
    for j, name in enumerate(names):
        number: dict[Hashable, int] = {}
        for codes, file in ((K, original), (L, protected)):
            places, values = file.distinct(name, owner)
            numbers = [number.setdefault(value, len(number)) for value in values]
            codes[:, j] = np.array([*numbers, MISSING])[places]
    return K, L
