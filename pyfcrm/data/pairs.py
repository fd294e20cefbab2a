"""Which protected record belongs to which original, and both files as arrays of the same columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import names
from ..errors import InvalidInput
from ..types import Array, Codes, Rows
from .codes import Coding
from .frame import Frame
from .open import checked, complete_records, numeric_names, require_columns


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


def _index(door: Frame) -> Any:
    import pandas as pd

    return pd.RangeIndex(door.records)


@dataclass(frozen=True)
class TwoFiles:
    """The judged columns of two files.

    columns : their names; X (n, p), Z (N, p) : original and protected; rows : where in either frame the records
    stand that pair, None where records do not pair; notes : what was left out; original : (M, p) all complete records
    of the original, of which X holds those that the protected file has: a sample is compared with the whole.
    """

    columns: tuple[str, ...]
    X: Array
    Z: Array
    rows: tuple[Rows, Rows] | None
    notes: tuple[str, ...] = ()
    original: Array | None = None


def two_files(
    owner: str,
    before: Frame,
    after: Frame,
    columns: str | Iterable[str] | None,
    missing: str,
    paired: Iterable[str] = (),
) -> TwoFiles:
    """The columns asked for (None: all numeric ones both have) of two opened frames.

    missing : "refuse", or "complete" for the records complete in both; paired : what cannot do without pairs.
    Raises InvalidInput for columns that will not do, and where records do not pair but must.
    """
    wanted = _columns(owner, before, after, columns)
    X = checked(f"{owner}, original", before, wanted)
    Z = checked(f"{owner}, protected", after, wanted)
    rows = paired_rows(before, after)
    if rows is None:
        paired = list(paired)
        if paired:
            rule = f"records must pair, by index or by position, for {', '.join(paired)}"
            raise InvalidInput(owner, rule, f"{len(X)} original and {len(Z)} protected records that do not")
        x_whole = complete_records(f"{owner}, original", X, wanted, missing)
        z_whole = complete_records(f"{owner}, protected", Z, wanted, missing)
        return TwoFiles(wanted, X[x_whole], Z[z_whole], None)
    everything = X[~np.isnan(X).any(axis=1)]
    X, Z = X[rows[0]], Z[rows[1]]
    whole = complete_records(f"{owner}, original", X, wanted, missing)
    whole = whole & complete_records(f"{owner}, protected", Z, wanted, missing)
    left_out = int((~whole).sum())
    if left_out == len(X):
        raise InvalidInput(owner, "no record is complete in both files", "none")
    notes = (f"{left_out} of {len(X)} records have missing values and are not judged",) if left_out else ()
    return TwoFiles(wanted, X[whole], Z[whole], (rows[0][whole], rows[1][whole]), notes, everything)


def _columns(owner: str, before: Frame, after: Frame, columns: str | Iterable[str] | None) -> tuple[str, ...]:
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
        try:
            K[:, j], L[:, j] = coding.codes(*before.distinct(name)), coding.codes(*after.distinct(name))
        except (TypeError, ValueError) as error:  # a list is not hashable, an array not equal to itself
            rule = f"the cells of key column `{name}` must be single values"
            raise InvalidInput(owner, rule, str(error)) from error
    return K, L
