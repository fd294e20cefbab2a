"""Opening a frame: which kind it is, its columns by name, which records are complete, and which numbers can be worked
with: finite, and not so large or small that their powers are lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, Note, unknown_name
from ..types import Array, Mask
from .frame import Frame

LARGEST, SMALLEST = 1e100, 1e-100  # squares, and the thesis's error floor of 1e-100, must stay in range
RULES: dict[str, Callable[[Array], Mask]] = {
    "must be finite": np.isinf,
    f"must not exceed {LARGEST:g} in magnitude": lambda size: size > LARGEST,
    f"must be 0 or at least {SMALLEST:g} in magnitude": lambda size: (size > 0) & (size < SMALLEST),
}
NONE_COMPLETE = "no record is complete; missing values by column"
WAYS = {
    "refuse": 'values are missing (missing="protect" protects these records too, missing="drop" leaves them out of the release)',
    "protect": 'missing values cannot be filled while a file is read by blocks (give missing="drop", or read it into a frame)',
}


def require_columns(owner: str, door: Frame, wanted: Sequence[str]) -> None:
    """Raises InvalidInput, with the nearest names, for a name that is not a column."""
    for name in wanted:
        if name not in door.names:
            raise unknown_name(owner, "column", name, door.names)


def is_numeric(door: Frame, name: str) -> bool:
    """Whether a column holds numbers."""
    return door.kind(name) in ("float", "integer")


def numeric_names(door: Frame) -> list[str]:
    """The columns that hold numbers, in their order."""
    return [n for n in door.names if is_numeric(door, n)]


def complete_records(owner: str, A: Array, wanted: Sequence[str], missing: str) -> Mask:
    """(n,) True where no value is missing; refused as by `refuse_missing`."""
    gaps = np.isnan(A)
    complete: Mask = np.logical_not(np.any(gaps, axis=1))
    refuse_missing(owner, wanted, gaps.sum(axis=0), int(complete.sum()), len(A), missing=missing)
    return complete


def refuse_missing(
    owner: str, wanted: Sequence[str], gaps: NDArray[np.int64], complete: int, total: int, *, missing: str
) -> None:
    """Raises InvalidInput where `gaps` (p,) counts missing values, and they are refused or leave no complete record.

    complete, total : records without a gap, and all; missing : "refuse"; "protect", of what is not filled; or "drop".
    """
    by_column = ", ".join(f"`{name}` {k}" for name, k in zip(wanted, gaps, strict=True) if k)
    if by_column and missing != "drop":
        raise InvalidInput(owner, WAYS[missing], f"{total - complete} of {total} records: {by_column}")
    if not complete:
        raise InvalidInput(owner, NONE_COMPLETE, by_column)


def refuse_empty_columns(owner: str, A: Array, wanted: Sequence[str]) -> None:
    """Raises InvalidInput for a column of A (n, p) in which every value is missing."""
    for name, values in zip(wanted, A.T, strict=True):
        if np.isnan(values).all():
            raise InvalidInput(owner, f"column `{name}` must have values (leave it out of the roles)", "none")


def left_out(complete: Mask, which: str = "") -> list[Note]:
    """A note of the records that miss values, where there are any; which : the file, as the sentence begins."""
    wording = which + "{count} of {total} records {count:has|have} missing values and {count:is|are} left out"
    count = int(np.count_nonzero(~complete))
    return [Note.of("left_out", wording, count=count, total=len(complete))] if count else []


def text_example(values: Sequence[object]) -> tuple[int, object] | None:
    """The first entry of a column that is text, with its record number from 1: rather one that reads as no number."""
    texts = [(k + 1, value) for k, value in enumerate(values) if isinstance(value, str)]
    return next((pair for pair in texts if not _reads_as_number(pair[1])), texts[0] if texts else None)


def _reads_as_number(text: str) -> bool:
    if text.strip().upper() in ("", ".", "NA", "N/A", "NULL"):
        return True  # in a file of text, what stands for a missing number
    try:
        float(text)
    except ValueError:
        return False
    return True


def refuse_kind(owner: str, name: str, kind: str, values: Sequence[object] = ()) -> InvalidInput:
    """The InvalidInput for a column that is not numeric."""
    found = text_example(values)
    other = "True and False" if kind == "boolean" else f"a {kind} column"
    where = f"{found[1]!r} in record {found[0]}" if found else other
    return InvalidInput(owner, f"column `{name}` must hold numbers", where)


def require_numeric(owner: str, door: Frame, wanted: Sequence[str], also: Sequence[str] = ()) -> None:
    """Raises InvalidInput for a column of either that is not there, or one of `wanted` that holds no numbers."""
    require_columns(owner, door, [*wanted, *also])
    for name in wanted:
        if not is_numeric(door, name):
            kind = door.kind(name)
            raise refuse_kind(owner, name, kind, door.cells(name).tolist() if kind == "text" else ())


def checked(owner: str, door: Frame, wanted: Sequence[str], also: Sequence[str] = ()) -> Array:
    """The columns `wanted` as (n, p) float64 with NaN for missing, or one sentence on what is wrong and where.

    also : further columns that must be there, whatever they hold. Raises InvalidInput for an unknown column, one that
    holds no numbers, an infinite value, or a value whose magnitude is above 1e100, or above 0 and below 1e-100.
    """
    A = np.empty((door.records, len(wanted)))
    for j, values in enumerate(checked_columns(owner, door, wanted, also)):
        A[:, j] = values
    return A


def checked_columns(owner: str, door: Frame, wanted: Sequence[str], also: Sequence[str] = ()) -> Iterator[Array]:
    """The columns `wanted`, one (n,) after another, as in `checked`; what is wrong with a value is said after the last."""
    require_numeric(owner, door, wanted, also)
    rules = ValueRules(wanted)
    for j, name in enumerate(wanted):
        values = door.values(name)
        yield values
        rules.look(j, values)
    rules.refuse(owner)


class ValueRules:
    """Looks for values that cannot be worked with, in some columns of a frame or of its blocks, and says so once."""

    def __init__(self, wanted: Sequence[str]) -> None:
        self._wanted = wanted
        self._found: dict[str, list[tuple[int, int, float, int]]] = {rule: [] for rule in RULES}

    def look(self, j: int, values: Array, first: int = 0) -> None:
        """Some values (b,) of column j; first : how many records came before them."""
        size = np.abs(values)
        for rule, breaks in RULES.items():
            if (broken := breaks(size)).any():
                k = int(np.argmax(broken))
                self._found[rule].append((first + k, j, float(values[k]), int(broken.sum())))

    def refuse(self, owner: str) -> None:
        """Raises InvalidInput for the first record with a value of the first kind found, and how many there are."""
        for rule, places in self._found.items():
            if places:
                k, j, value, _ = min(places)
                many = sum(place[-1] for place in places)
                more = f" ({many} such values)" if many > 1 else ""
                where = f"{value:g} in record {k + 1}{more}"
                raise InvalidInput(owner, f"values of column `{self._wanted[j]}` {rule}", where)


def refuse_constant(owner: str, A: Array, wanted: Sequence[str]) -> None:
    """Raises InvalidInput when a column of A (n, p) has one value only, where there are at least two records."""
    if len(A) > 1:
        refuse_equal(owner, A.min(axis=0), A.max(axis=0), wanted)


def refuse_equal(owner: str, low: Array, high: Array, wanted: Sequence[str]) -> None:
    """Raises InvalidInput when the smallest value (p,) of a column is its largest."""
    for name, least, most in zip(wanted, low, high, strict=True):
        if least == most:
            rule = f"column `{name}` must vary (leave it out of the roles)"
            raise InvalidInput(owner, rule, f"{least:g} in every record")
