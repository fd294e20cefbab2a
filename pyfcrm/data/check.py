"""Checked columns of an opened frame: they exist, their numbers and the powers of these are finite, and gaps are refused or
noted."""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, Note, unknown_name
from ..progress import Progress, report_progress
from ..types import WHOLE, Array, Mask
from .blocks import Records
from .frame import Frame

LARGEST, SMALLEST = 1e100, 1e-100  # squares, and the thesis's error floor of 1e-100, must stay in range
RULES: dict[str, Callable[[Array], Mask]] = {
    "must be finite (correct such values, or make them missing)": np.isinf,
    f"must not exceed {LARGEST:g} in magnitude": lambda size: size > LARGEST,
    f"must be 0 or at least {SMALLEST:g} in magnitude": lambda size: (size > 0) & (size < SMALLEST),
}
NUMERIC = ("float", "integer")  # kinds of columns
REMEDIES = {"date": "recode it", "sparse": "make it dense by column.sparse.to_dense()"}
MISSING_TEXTS = ("", ".", "NA", "N/A", "NULL")
INCOMPLETE = "{count:,} of {total:,} records {count:has|have} missing values in {columns} and {count:is|are} left out of the release"
WAYS = {
    "refuse": 'values are missing (missing="protect" protects these records too, missing="drop" leaves them out of the release)',
    "protect": 'missing values cannot be filled while a file is read by blocks (give missing="drop", or read it into a frame)',
}


def require_columns(owner: str, frame: Frame, names: Sequence[str]) -> None:
    """Raises InvalidInput, with the nearest names, for an unknown column."""
    for name in names:
        if name not in frame.names:
            raise unknown_name(owner, "column", name, frame.names)


def is_numeric(frame: Frame, name: str) -> bool:
    """Whether a column holds numbers."""
    return frame.kind(name) in NUMERIC


def numeric_names(frame: Frame) -> list[str]:
    """The columns that hold numbers, in their order."""
    return [n for n in frame.names if is_numeric(frame, n)]


def complete_records(owner: str, gaps: Mask, names: Sequence[str], missing: str) -> tuple[Mask, list[Note]]:
    """Mask (n,) of the records without a missing value, of gaps (n, p), and a note on the others; refused as by `check_missing`."""
    complete: Mask = np.logical_not(gaps.any(axis=1))
    notes = check_missing(owner, names, gaps.sum(axis=0), int(complete.sum()), len(gaps), missing=missing)
    return complete, notes


def check_missing(
    owner: str, names: Sequence[str], gaps: NDArray[np.int64], complete: int, total: int, *, missing: str
) -> list[Note]:
    """A note on incomplete records, where there are any. Raises InvalidInput where they are refused, or no record is complete.

    gaps (p,) : how many values are missing; complete, total : records without a gap, and all; missing : "refuse"; "protect",
    of what is not filled; or "drop".
    """
    counts = {name: k for name, k in zip(names, gaps.tolist(), strict=True) if k}
    by_column = ", ".join(f"`{name}` {k}" for name, k in counts.items())
    if counts and missing != "drop":
        raise InvalidInput(owner, WAYS[missing], f"{total - complete} of {total} records: {by_column}")
    if not complete:
        raise InvalidInput(owner, "no record is complete; missing values by column", by_column)
    return [Note.of("left_out", INCOMPLETE, counts, count=total - complete, total=total)] if counts else []


def left_out(complete: Mask, which: str = "") -> list[Note]:
    """A note on the records with missing values, where there are any; which : the file, to begin the sentence."""
    wording = which + "{count} of {total} records {count:has|have} missing values and {count:is|are} left out"
    count = int(np.count_nonzero(~complete))
    return [Note.of("left_out", wording, count=count, total=len(complete))] if count else []


def require_numeric(owner: str, frame: Frame, names: Sequence[str], also: Sequence[str] = ()) -> None:
    """Raises InvalidInput for a column of either that does not exist, or one of `names` that does not hold numbers."""
    require_columns(owner, frame, [*names, *also])
    for name in names:
        kind = frame.kind(name)
        if kind not in NUMERIC:
            names_of_values = {"boolean": "True and False", "other": f"cells of type {frame.type_of_cells(name)}"}
            value = names_of_values.get(kind, f"a {kind} column")
            value = (_first_text(frame, name) if kind == "text" else "") or value
            remedy = REMEDIES.get(kind, "code it as numbers")
            if kind == "text" and frame.table is not None:
                remedy = f"{remedy}, state `missing_marks` where a text means missing"
            raise InvalidInput(owner, f"column `{name}` must hold numbers ({remedy}, or give it another role)", value)


def require_exact(owner: str, frame: Frame, names: Sequence[str], A: Array) -> None:
    """Raises InvalidInput for a column of integers with values A (n, p) that floats cannot carry."""
    for name, values in zip(names, A.T, strict=True):
        if frame.kind(name) == "integer" and (np.abs(values) >= WHOLE).any():
            rule = f"whole numbers of column `{name}` must be below 2^53 in magnitude (make them text, or leave it out)"
            raise InvalidInput(owner, rule, f"{np.nanmax(np.abs(values)):g}")


def _first_text(frame: Frame, name: str) -> str:
    """The first text of a column with its record, preferably one that is no number and no mark of a missing value."""
    import pandas as pd

    texts = pd.Series({k + 1: cell for k, cell in enumerate(frame.cells(name)) if isinstance(cell, str)}, dtype=object)
    if not len(texts):
        return ""
    numbers = pd.to_numeric(texts, errors="coerce").notna() | texts.str.strip().str.upper().isin(MISSING_TEXTS)
    record = texts.index[int(np.argmin(numbers))]
    return f"{texts[record]!r} in record {record}"


def checked(owner: str, frame: Frame, names: Sequence[str], also: Sequence[str] = ()) -> Array:
    """The columns `names` as (n, p) float64 with NaN for missing.

    also : further columns that must exist, of any kind. Raises InvalidInput for an unknown column, one that holds no
    numbers, an infinite value, or a value whose magnitude is above 1e100, or above 0 and below 1e-100.
    """
    require_numeric(owner, frame, names, also)
    A, rules = frame.matrix(names), ValueRules(names)
    rules.examine(A)
    rules.refuse(owner)
    return A


def load(
    owner: str,
    frame: Frame,
    names: Sequence[str],
    missing: str = "",
    *,
    also: Sequence[str] = (),
    folder: str | None = None,
    progress: Progress | None = None,
) -> tuple[Records, list[Note]]:
    """Some columns (n, p), read once with every check; NaN for missing.

    missing : as in protect(), of which incomplete records are left out, with a note; "" keeps them, for measures, to which
    columns of one value and integers beyond 2^53 are no harm; also : further columns that must exist; folder : for the
    scratch file, of 8 bytes a value, where the frame is read by blocks. Raises InvalidInput, for the values of all records.
    """
    require_numeric(owner, frame, names, also)
    by_blocks = frame.source is not None
    table = Records.empty(frame.records, len(names), on_disk=by_blocks, folder=folder)
    rules, gaps, seen, loaded = ValueRules(names), np.zeros(len(names), dtype=np.int64), 0, 0
    for part in frame.parts(names):
        A = part.matrix(names)
        rules.examine(A, seen)
        if missing:
            require_exact(owner, part, names, A)
            empty = np.isnan(A)
            gaps += empty.sum(axis=0)
            A = A[~empty.any(axis=1)]
        table.A[loaded : loaded + len(A)] = A
        seen, loaded = seen + part.records, loaded + len(A)
        if by_blocks:
            report_progress(progress, seen, frame.records, "reading")
    rules.refuse(owner)
    if not missing:
        return table, []
    notes = check_missing(owner, frame.stored(names), gaps, loaded, seen, missing=missing)
    if loaded > 1:
        refuse_equal(owner, table.A[:loaded], names)
    return Records(table.A[:loaded], on_disk=by_blocks), notes


def complete_rows(frame: Frame, names: Sequence[str]) -> Mask:
    """Mask (n,) of the records in which no value of these columns is missing."""
    complete: Mask = np.ones(frame.records, dtype=bool)
    for name in names:
        complete &= ~np.isnan(frame.values(name)) if is_numeric(frame, name) else frame.codes(name) >= 0
    return complete


class ValueRules:
    """Values out of range in columns of a frame or of its blocks, for one message."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._broken: dict[str, tuple[str, str]] = {}  # by rule, the first column that breaks it, and the value
        self._counts = Counter[str]()

    def examine(self, A: Array, first: int = 0) -> None:
        """Examine values (b, p) of all columns; first : how many records precede them."""
        size = np.abs(A)
        for rule, breaks in RULES.items():
            records, columns = np.nonzero(breaks(size))
            if len(records):
                k, j = records[0], columns[0]
                self._broken.setdefault(rule, (self._names[j], f"{A[k, j]:g} in record {first + k + 1}"))
                self._counts[rule] += len(records)

    def refuse(self, owner: str) -> None:
        """Raises InvalidInput for the first record that breaks the first broken rule, with the number of such values."""
        for rule in RULES:
            if rule in self._broken:
                name, value = self._broken[rule]
                more = f" ({self._counts[rule]} such values)" if self._counts[rule] > 1 else ""
                raise InvalidInput(owner, f"values of column `{name}` {rule}", value + more)


def refuse_equal(owner: str, A: Array, names: Sequence[str]) -> None:
    """Raises InvalidInput where all values of a column of A (n, p) are equal."""
    for name, values in zip(names, A.T, strict=True):
        if (values == values[0]).all():
            raise constant_column(owner, name, f"{values[0]:g}")


def constant_column(owner: str, name: str, value: str) -> InvalidInput:
    """The error of a column with one value."""
    return InvalidInput(owner, f"column `{name}` must vary (leave it out of the roles)", f"{value} in every record")
