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
    """Paired row numbers (in the original, ascending, and in the protected), or None where records cannot be paired.

    Records pair by the record numbers of protect(), where a frame has them; else by the pandas index of the protected
    file, if it is not 0, 1, 2, ...: each of its labels must occur once in both. Otherwise they pair by position, which
    needs as many records in both. A release from protect() is numbered from 0, whatever index the original has.
    """
    import pandas as pd

    n = original.records
    N = protected.records
    by_position = (np.arange(n), np.arange(n))
    if original.rows is not None or protected.rows is not None:
        labels = pd.RangeIndex(n) if original.rows is None else pd.Index(original.rows)
        labels_protected = pd.RangeIndex(N) if protected.rows is None else pd.Index(protected.rows)
    else:
        labels = original.index()
        labels_protected = protected.index()
        if labels_protected is None:
            return by_position if n == N else None
        if labels is None:
            labels = pd.RangeIndex(n)
    if labels.is_unique and labels_protected.is_unique:
        positions = labels.get_indexer(labels_protected)  # (N,) -1 for a label that the original has not
        if (positions < 0).any():
            return None
        order = np.argsort(positions, kind="stable")
        return positions[order], order
    return by_position if n == N and labels.equals(labels_protected) else None


def paired_by_position(original: Frame, protected: Frame) -> bool:
    """Whether nothing but their position pairs the records of two files."""
    return original.rows is None and protected.rows is None and protected.index() is None


def unchanged_columns(original: Frame, protected: Frame, names: Iterable[str]) -> list[str]:
    """The columns of which every cell in the release, but emptied ones, equals its own record's in the original."""
    rows = paired_rows(original, protected)
    if rows is None:
        return []
    common = {*original.names} & {*protected.names}
    return [name for name in names if name in common and _same(original, protected, name, *rows)]


def _same(original: Frame, protected: Frame, name: str, old: Rows, new: Rows) -> bool:
    """Whether a column's released cells, but emptied ones, are the original's.

    old, new : (m,) the rows of the paired records in either file.
    """
    numeric = is_numeric(original, name)
    if numeric != is_numeric(protected, name):
        return False
    if numeric:
        x = original.values(name)[old]
        z = protected.values(name)[new]
        emptied = np.isnan(z)
        return bool(np.all((x == z) | emptied) and not emptied.all())
    pairs = zip(original.cells(name)[old].tolist(), protected.cells(name)[new].tolist(), strict=True)
    try:
        # A missing cell is None, or NaN, which differs from itself.
        return all(z is None or z != z or x == z for x, z in pairs)
    except (TypeError, ValueError):  # cells that are arrays
        return False


@dataclass(frozen=True)
class Knowledge:
    """Knowledge of an intruder on the protection of a release."""

    attacks: tuple[Any, ...]
    """The attacks of linkage.informed that the method has."""
    given: Records
    """The unmodified predictors (n, s) of the paired records."""
    terms: Terms = ()
    """The positions among these of the columns of each categorical predictor."""


@dataclass(frozen=True)
class Pair:
    """Original and protected records for a measure, in memory or on disk.

    Paired records have the same position in X and Z, and a cell missing in one is missing in both.
    """

    X: Records
    """The original records (n, p); NaN for missing."""
    Z: Records
    """The protected records (N, p); NaN for missing."""
    original: Records | None = None
    """All original records (M, p), where X holds only those of the release, for measures that pair no records."""
    knowledge: Knowledge | None = None
    """Knowledge of an intruder on the method."""
    weights: Array | None = None
    """Survey weights (n,), None for equal ones."""
    units: Codes | None = None
    """The unit of each original record, also of those without a release; None where each is one."""
    only_totals: bool = False
    """Whether parts from which no total is computed, and baselines of a model, are left out."""
    columns: tuple[str, ...] = ()
    """The names of the p columns."""
    places: tuple[Rows, Rows] | None = None
    """The positions of the paired records in either frame; None where records do not pair."""
    notes: tuple[Note, ...] = ()
    """Notes on both files."""

    @classmethod
    def of(cls, X: Array, Z: Array) -> Pair:
        """The pair of two arrays (n, p), (N, p)."""
        return cls(Records(X), Records(Z))

    @property
    def n(self) -> int:
        """Number of original records."""
        return self.X.n

    @property
    def p(self) -> int:
        """Number of columns."""
        return self.X.p

    @property
    def in_memory(self) -> bool:
        """Whether the records are in memory."""
        return not (self.X.on_disk or self.Z.on_disk)

    @cached_property
    def cells(self) -> NDArray[np.int64]:
        """Numbers of observed cells (2, p) of each column, in X and in Z."""
        of_X = [np.count_nonzero(_is_observed(self.X, [j])) for j in range(self.p)]
        of_Z = [np.count_nonzero(_is_observed(self.Z, [j])) for j in range(self.p)]
        return np.array([of_X, of_Z])

    @property
    def gaps(self) -> bool:
        """Whether cells are missing."""
        return bool((self.cells < [[self.X.n], [self.Z.n]]).any())

    @property
    def complete(self) -> int:
        """Number of original records without a missing cell."""
        return int(_is_observed(self.X, range(self.p)).sum())

    def observed(self, columns: Sequence[int] | None = None) -> Pair:
        """The records of either file without gaps in these columns; None for all columns, with the knowledge of the method."""
        places = range(self.p) if columns is None else columns
        rows_X = np.flatnonzero(_is_observed(self.X, places))
        rows_Z = np.flatnonzero(_is_observed(self.Z, places))
        knowledge = None
        if columns is None and self.knowledge is not None:
            knowledge = replace(self.knowledge, given=self.knowledge.given.taken(rows_X))
        return Pair(
            self.X.taken(rows_X, places),
            self.Z.taken(rows_Z, places),
            knowledge=knowledge,
            weights=None if self.weights is None else self.weights[rows_X],
            units=None if self.units is None or self.original is not None else self.units[rows_X],
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
        return self if self.original is None else Pair(self.original, self.Z, units=self.units)


def _is_observed(table: Records, columns: Iterable[int]) -> Mask:
    """Mask (n,) of the records in which all of these columns are observed."""
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
        needing_pairs = list(paired)
        if needing_pairs:
            raise unpaired(owner, ", ".join(needing_pairs), X.n, Z.n)
        pair = Pair(X, Z, columns=names)
    else:
        rows_X, rows_Z = rows
        whole_original = X if after.records < before.records else None
        pair = Pair(_in_order(X, rows_X), _in_order(Z, rows_Z), whole_original, columns=names, places=rows)
        if pair.gaps:
            pair = _gaps_matched(pair)
    require_observed(owner, pair)
    return pair


def _in_order(table: Records, rows: Rows) -> Records:
    """The records at these positions; the table itself where these are all, in order."""
    return table if np.array_equal(rows, np.arange(table.n)) else table.taken(rows)


def _gaps_matched(pair: Pair) -> Pair:
    """The pair, each cell of either table emptied that is missing in the other."""
    for j in range(pair.p):
        both = _is_observed(pair.X, [j]) & _is_observed(pair.Z, [j])
        for table in (pair.X, pair.Z):
            table.A[~both, j] = np.nan
    return replace(pair)  # a new pair counts its cells again


def require_observed(owner: str, pair: Pair) -> None:
    """Check that each column has an observed cell in either file. Raises InvalidInput.

    Where records pair, a cell is observed in both files or in none.
    """
    for name, count in zip(pair.columns, pair.cells.min(axis=0), strict=True):
        if count == 0:
            rule = f"no record has a value of column `{name}` in both files (leave the column out of `columns`)"
            raise InvalidInput(owner, rule, "missing values")


def key_codes(owner: str, original: Frame, protected: Frame, names: Sequence[str]) -> tuple[Codes, Codes]:
    """Columns of two frames, of any type, as codes (n, q) and (N, q): equal values have equal codes in both.

    1 and 1.0 are equal, 1 and "1" are not; -1 is missing (None, NaN or the frame's own).
    Raises InvalidInput for a column that one of the frames does not have, or whose cells are lists and the like.
    """
    require_columns(f"{owner}, original", original, names)
    require_columns(f"{owner}, protected", protected, names)
    K = np.empty((original.records, len(names)), dtype=np.int64)
    L = np.empty((protected.records, len(names)), dtype=np.int64)
    for j, name in enumerate(names):
        code_of: dict[Hashable, int] = {}  # by value, in order of first appearance in either file
        for codes, file in ((K, original), (L, protected)):
            places, values = file.distinct(name, owner)
            codes_of_values = [code_of.setdefault(value, len(code_of)) for value in values]
            codes[:, j] = np.array([*codes_of_values, MISSING])[places]  # place -1, the last, is missing
    return K, L
