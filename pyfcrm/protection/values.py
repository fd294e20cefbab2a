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
    """Rules for the released values of some columns.

    names : of the columns; ends : by column the bounds, infinite or absent where there is none; places : the decimals of columns that
    are rounded.
    """

    names: Sequence[str]
    ends: Mapping[str, tuple[float, float]]
    places: Mapping[str, int]

    @classmethod
    def of(cls, frame: Frame, names: Sequence[str], table: Records, bounds: Bounds, decimals: Decimals) -> ValueRules:
        """Those of the last columns of the original's complete records. Integer columns are rounded later."""
        t = len(names)
        low, high, digits = np.full(t, np.inf), np.full(t, -np.inf), [0] * t
        for rows in row_blocks(table.n):
            Y = table.read(rows)[:, table.p - t :]
            low, high = np.minimum(low, Y.min(axis=0)), np.maximum(high, Y.max(axis=0))
            for j, values in enumerate(Y.T):
                while digits[j] <= FINEST and (np.round(values, digits[j]) != values).any():
                    digits[j] += 1
        ends = bounds if isinstance(bounds, Mapping) else {}
        places = decimals if isinstance(decimals, Mapping) else {}
        if bounds == "sign":
            signs = zip(names, np.where(low >= 0, 0.0, -np.inf), np.where(high <= 0, 0.0, np.inf), strict=True)
            ends = {name: (least, most) for name, least, most in signs}
        if decimals == "original":
            known = zip(names, digits, strict=True)
            places = {name: d for name, d in known if d <= FINEST and frame.kind(name) != "integer"}
        return cls(names, ends, places)

    def applied(self, Z: Array, fits: FitNotes) -> Array:
        """Z (n, t) within the bounds and rounded."""
        new = Z.copy()
        for j, name in enumerate(self.names):
            new[:, j] = np.clip(Z[:, j], *self.ends.get(name, (-np.inf, np.inf)))
            fits.counts[name][BOUNDED] += int((new[:, j] != Z[:, j]).sum())
            if name in self.places:
                rounded = np.round(new[:, j], self.places[name])
                fits.counts[name][DECIMALS] |= bool((rounded != new[:, j]).any())
                new[:, j] = rounded
        return new
