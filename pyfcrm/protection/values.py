"""Values that look like the original's: bounds and decimals of released columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..data import Frame
from ..data.fitting import BOUNDED, DECIMALS, FitNotes
from ..data.records import Records
from ..engine import row_blocks
from ..types import Array
from .request import Bounds, Decimals

FINEST = 6  # decimals that are looked for


@dataclass(frozen=True)
class ValueRules:
    """Rules for the released values of t columns.

    names : of the columns; low, high (t,) : the bounds, infinite where there is none; digits : the decimals of each column, None
    for values that are not rounded.
    """

    names: tuple[str, ...]
    low: Array
    high: Array
    digits: tuple[int | None, ...]

    @classmethod
    def of(cls, frame: Frame, names: Sequence[str], table: Records, bounds: Bounds, decimals: Decimals) -> ValueRules:
        """Those of the last columns of the original's complete records. Integer columns are rounded elsewhere."""
        t = len(names)
        low, high, digits = np.full(t, np.inf), np.full(t, -np.inf), np.zeros(t, dtype=np.int64)
        for rows in row_blocks(table.n):
            Y = table.read(rows)[:, table.p - t :]
            low, high = np.minimum(low, Y.min(axis=0)), np.maximum(high, Y.max(axis=0))
            for j, values in enumerate(Y.T):
                while digits[j] <= FINEST and (np.round(values, digits[j]) != values).any():
                    digits[j] += 1
        signs = bounds == "sign"
        low, high = np.where(signs & (low >= 0), 0.0, -np.inf), np.where(signs & (high <= 0), 0.0, np.inf)
        if isinstance(bounds, Mapping):
            for name, (least, most) in bounds.items():
                low[names.index(name)], high[names.index(name)] = least, most
        kept = [
            int(d) if decimals == "original" and d <= FINEST and frame.kind(name) != "integer" else None
            for name, d in zip(names, digits, strict=True)
        ]
        if isinstance(decimals, Mapping):
            kept = [decimals.get(name) for name in names]
        return cls(tuple(names), low, high, tuple(kept))

    @property
    def places(self) -> dict[str, int | None]:
        """The decimals by column."""
        return dict(zip(self.names, self.digits, strict=True))

    def applied(self, Z: Array, fits: FitNotes) -> Array:
        """Z (n, t) within the bounds and rounded."""
        new = np.clip(Z, self.low, self.high)
        for j, (name, digits) in enumerate(zip(self.names, self.digits, strict=True)):
            fits.counts[name][BOUNDED] += int((new[:, j] != Z[:, j]).sum())
            if digits is not None:
                rounded = np.round(new[:, j], digits)
                fits.counts[name][DECIMALS] |= bool((rounded != new[:, j]).any())
                new[:, j] = rounded
        return new
