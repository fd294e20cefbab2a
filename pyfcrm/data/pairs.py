"""Which protected record belongs to which original, and both files as records of the same columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments import names
from ..errors import InvalidInput, Note
from ..progress import Progress, within
from ..types import Array, Codes, Rows
from .codes import Coding, single_values
from .frame import Frame
from .load import Loaded, Table, load
from .open import is_numeric, numeric_names, refuse_gaps, require_columns
from .records import MemoryRecords, SideBySide

VERB = "judges"


def unpaired(owner: str, what: str, n: int, N: int) -> InvalidInput:
    """That n original and N protected records cannot be paired, which `what` needs."""
    rule = f"records must pair, by index or by position, for {what}"
    return InvalidInput(owner, rule, f"{n} original and {N} protected records that do not")


def paired_rows(original: Frame, protected: Frame) -> tuple[Rows, Rows] | None:
    """Row numbers (in the original, in the protected) that belong together, or None where records cannot be paired.

    Records pair by a pandas index where either file has one that says more than position: every protected label must
    stand once in both. Otherwise they pair by position, which needs as many records in both.
    """
    labels, others = original.index(), protected.index()
    if labels is None and others is None:
        if original.records != protected.records:
            return None
        rows = np.arange(original.records)
        return rows, rows
    labels = _index(original) if labels is None else labels
    others = _index(protected) if others is None else others
    if not labels.is_unique or not others.is_unique:
        same = len(labels) == len(others) and labels.equals(others)
        return (np.arange(len(labels)), np.arange(len(labels))) if same else None
    found = labels.get_indexer(others)
    if (found < 0).any():
        return None
    return found, np.arange(len(others))


def unchanged_columns(before: Frame, after: Frame, names: Iterable[str]) -> list[str]:
    """Those of the columns whose every cell in the release, emptied ones apart, is its own record's in the original."""
    rows = paired_rows(before, after)
    there = set(before.names) & set(after.names)
    return [] if rows is None else [name for name in names if name in there and _same(before, after, name, *rows)]


def _same(before: Frame, after: Frame, name: str, old: Rows, new: Rows) -> bool:
    if is_numeric(before, name) and is_numeric(after, name):
        X, Z = before.values(name)[old], after.values(name)[new]
        return bool(np.all((X == Z) | np.isnan(Z)) and not np.isnan(Z).all())
    if is_numeric(before, name) or is_numeric(after, name):
        return False
    pairs = zip(before.cells(name)[old].tolist(), after.cells(name)[new].tolist(), strict=True)
    try:
        return all(z is None or z != z or x == z for x, z in pairs)
    except (TypeError, ValueError):  # cells that are arrays
        return False


def _index(door: Frame) -> Any:
    import pandas as pd

    return pd.RangeIndex(door.records)


@dataclass(frozen=True)
class Knowledge:
    """What an intruder knows of how a release was made.

    attacks : what linkage.informed makes of the method; given : (n, s) the columns that leave as they came, of the records
    that pair; alone : whether to measure too what these columns link without a release.
    """

    attacks: tuple[Any, ...]
    given: Table
    alone: bool = True

    def columns(self) -> Array:
        """The columns, in memory."""
        return self.given.read(slice(0, self.given.n))


@dataclass(frozen=True)
class Pair:
    """Original and protected records as a measure takes them, in memory or on disk.

    X (n, p), Z (N, p) : where records pair, they stand in the same places; original (M, p) : all records of the original
    where X holds only those that the release has, with which measures compare that pair no records; knowledge :
    what an intruder has who knows the method; weights (n,) : how many of the population a record stands for, None for one.
    """

    X: Table
    Z: Table
    original: Table | None = None
    knowledge: Knowledge | None = None
    weights: Array | None = None

    @classmethod
    def of(cls, X: Array, Z: Array, original: Array | None = None) -> Pair:
        """Of arrays."""
        return cls(MemoryRecords(X), MemoryRecords(Z), None if original is None else MemoryRecords(original))

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
        return isinstance(self.X, MemoryRecords) and isinstance(self.Z, MemoryRecords)

    @property
    def rows(self) -> SideBySide:
        """Records that pair, as (n, 2 p): the original's columns, then the protected ones."""
        return SideBySide(self.X, self.Z)

    def share(self, earned: NDArray[Any]) -> float:
        """The mean of what each record earns (n,), by weights where there are any."""
        return float(np.average(earned, weights=self.weights))

    def arrays(self) -> tuple[Array, Array]:
        """X and Z, in memory."""
        return self.X.read(slice(0, self.X.n)), self.Z.read(slice(0, self.Z.n))

    def with_whole_original(self) -> Pair:
        """All records of the original beside the protected ones."""
        return self if self.original is None else Pair(self.original, self.Z)

    def close(self) -> None:
        """Give the disk back."""
        given = None if self.knowledge is None else self.knowledge.given
        for table in (self.X, self.Z, self.original, given):
            if table is not None:
                table.close()


@dataclass(frozen=True)
class TwoFiles:
    """The judged columns of two files.

    columns : their names; pair : their records, without those that miss a value; rows : where in either frame the records
    stand that pair, None where records do not pair; notes : what was left out; original_rows : where those of
    `pair.original` stand.
    """

    columns: tuple[str, ...]
    pair: Pair
    rows: tuple[Rows, Rows] | None
    notes: tuple[Note, ...] = ()
    original_rows: Rows | None = None


def two_files(
    owner: str,
    before: Frame,
    after: Frame,
    columns: str | Iterable[str] | None,
    missing: str,
    paired: Iterable[str] = (),
    *,
    progress: Progress | None = None,
) -> TwoFiles:
    """The columns asked for (None: all numeric ones both have) of two opened frames.

    missing : "refuse", or "complete" for the records complete in both; paired : what cannot do without pairs.
    Raises InvalidInput for columns that will not do, and where records do not pair but must.
    """
    wanted, rows = wanted_columns(owner, before, after, columns), paired_rows(before, after)
    X = load(f"{owner}, original", before, wanted, None if rows is None else rows[0], within(progress, 0, 2))
    Z = load(f"{owner}, protected", after, wanted, None if rows is None else rows[1], within(progress, 1, 2))
    if rows is None:
        if paired := list(paired):
            raise unpaired(owner, ", ".join(paired), X.table.n, Z.table.n)
        x = _complete(owner, "original", X, wanted, missing)
        return TwoFiles(wanted, Pair(x, _complete(owner, "protected", Z, wanted, missing)), None)
    x_whole, z_whole = X.complete[rows[0]], Z.complete[rows[1]]
    for which, one, whole in (("original", X, x_whole), ("protected", Z, z_whole)):
        refuse_gaps(f"{owner}, {which}", wanted, one.gaps, int(whole.sum()), missing, VERB)
    whole = x_whole & z_whole
    left_out = int((~whole).sum())
    if left_out == len(whole):
        raise InvalidInput(owner, "no record is complete in both files", "none")
    said = "{count} of {total} records {count:has|have} missing values and {count:is|are} not judged"
    notes = (Note.of("left_out", said, count=left_out, total=len(whole)),) if left_out else ()
    rows = rows[0][whole], rows[1][whole]
    fewer = after.records < before.records
    everything = np.flatnonzero(X.complete) if fewer else None
    original = None if everything is None else _taken(X.table, everything)
    pair = Pair(_taken(X.table, rows[0]), _taken(Z.table, rows[1]), original)
    for table in (X.table, Z.table):
        if all(table is not held for held in (pair.X, pair.Z, pair.original)):
            table.close()
    return TwoFiles(wanted, pair, rows, notes, everything)


def _complete(owner: str, which: str, one: Loaded, wanted: Sequence[str], missing: str) -> Table:
    """The complete records of a file that pairs with none."""
    refuse_gaps(f"{owner}, {which}", wanted, one.gaps, int(one.complete.sum()), missing, VERB)
    return _taken(one.table, np.flatnonzero(one.complete))


def _taken(table: Table, rows: Rows) -> Table:
    """The records at these places; the table itself where that is what they are."""
    return table if len(rows) == table.n and (rows == np.arange(table.n)).all() else table.taken(rows)


def wanted_columns(owner: str, before: Frame, after: Frame, columns: str | Iterable[str] | None) -> tuple[str, ...]:
    """The columns asked for, None for all numeric ones that both have. Raises InvalidInput where there are none."""
    if columns is not None:
        wanted = names(owner, "columns", columns)
    else:
        there = set(numeric_names(after))
        wanted = tuple(n for n in numeric_names(before) if n in there)
    if not wanted:
        raise InvalidInput(owner, "needs at least one numeric column that both files have", "none")
    return wanted


def key_codes(owner: str, before: Frame, after: Frame, wanted: Sequence[str]) -> tuple[Codes, Codes]:
    """The columns `wanted` of two frames as codes (n, q) and (N, q): equal values have equal codes in both.

    Any type will do; 1 and 1.0 are equal, 1 and "1" are not; -1 is missing (None, NaN or the frame's own).
    Raises InvalidInput for a column that one of the frames does not have, or whose cells are lists and the like.
    """
    require_columns(f"{owner}, original", before, wanted)
    require_columns(f"{owner}, protected", after, wanted)
    K = np.empty((before.records, len(wanted)), dtype=np.int64)
    L = np.empty((after.records, len(wanted)), dtype=np.int64)
    for j, name in enumerate(wanted):
        coding = Coding()
        with single_values(owner, f"key column `{name}`"):
            K[:, j], L[:, j] = coding.codes(*before.distinct(name)), coding.codes(*after.distinct(name))
    return K, L
