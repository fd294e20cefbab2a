"""Values that look like the original's: bounds and decimals of released columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..data import Frame
from ..data.fitting import BOUNDED, DECIMALS, FitNotes
from ..data.records import Records
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
        ends = dict(bounds) if isinstance(bounds, Mapping) else {}
        places = dict(decimals) if isinstance(decimals, Mapping) else {}
        for j, name in enumerate(names if bounds == "sign" or decimals == "original" else (), table.p - len(names)):
            y = table.column(j)[:, 0]
            if bounds == "sign":
                ends[name] = 0.0 if y.min() >= 0 else -np.inf, 0.0 if y.max() <= 0 else np.inf
            if decimals == "original" and frame.kind(name) != "integer":
                digits = next((d for d in range(FINEST + 1) if (np.round(y, d) == y).all()), None)
                places |= {} if digits is None else {name: digits}
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
