"""A method that preserves more sums than its own: by weights, and within domains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from ..constraints.accepted import Totals
from ..constraints.bounds import Bounds
from ..engine import Engine
from ..progress import Reporter, discard
from ..rstream import RStream
from ..types import Array
from .method import Method, Threaded, protected


@dataclass(frozen=True)
class Keeping(Threaded):
    """`method` on a file of which `sums`, a numerics.kept_sums.KeptSums of its records, are to be kept.

    A regression has their columns in the place of X; a method of exchanges is handed them; another has X, as always. Made by
    protect() where weights or levels are given. Seed: as the method's own. Draws: the method's own. Source: own.
    """

    method: Any
    sums: Any

    @property
    def wrapped(self) -> Method:
        """See Method.wrapped."""
        return cast(Method, self.method)

    @property
    def exchanges(self) -> bool:
        """See Method.exchanges."""
        return bool(self.method.exchanges)

    @property
    def reissues_values(self) -> bool:
        """See Method.reissues_values."""
        return bool(self.method.reissues_values)

    def passes(self, t: int) -> int:
        """See Method.passes."""
        return int(self.method.passes(t))

    def protect(
        self,
        X: Array,
        Y: Array,
        stream: RStream,
        note: Reporter = discard,
        engine: Engine | None = None,
        *,
        bounds: Bounds | None = None,
        totals: Totals | None = None,
    ) -> Array:
        """See Threaded.protect. bounds, totals : as Calibrated has them."""
        more: dict[str, Any] = {} if bounds is None else {"bounds": bounds}
        more |= {} if totals is None else {"totals": totals}
        if self.method.takes_sums:
            return protected(self.method, X, Y, stream, note, engine, sums=self.sums, **more)
        return protected(self.method, self.sums.columns if self.method.keeps else X, Y, stream, note, engine, **more)

    def __str__(self) -> str:
        return str(self.method)
