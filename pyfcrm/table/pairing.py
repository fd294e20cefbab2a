"""Which protected record belongs to which original."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .door import Opened

Rows = NDArray[np.intp]


def paired_rows(original: Opened, protected: Opened) -> tuple[Rows, Rows] | None:
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


def _index(door: Opened) -> Any:
    import pandas as pd

    return pd.RangeIndex(door.records)
