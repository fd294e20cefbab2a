"""Sampling: only some of the records are released, as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Note
from ..progress import Reporter, discard
from ..rstream import RStream
from ..types import Array
from .frame_method import FrameMethod, Release
from .method import Needs
from .parameter import param


@dataclass(frozen=True)
class Sampling(FrameMethod):
    """Release a simple random sample of the records, drawn without replacement, in file order.

    Parameters
    ----------
    fraction : float
        Share of the records released, above 0 and at most 1; at least one record is. A tenth where nothing is given,
        as in IPUMS International's sample of the Irish census of 2011 (McCaa et al. 2014).

    Notes
    -----
    The values of a sampled record are the original ones, so a continuous attribute known from elsewhere still
    identifies it.

    Draws: R's sample.int(n, size).

    Seed: undoes it. It tells which records were drawn, to whoever knows the order of the file.

    References
    ----------
    Willenborg and de Waal (2001).
    """

    fraction: float = param(
        0.1,
        above=0,
        high=1,
        help="how many of the records to release; a tenth as in census samples of IPUMS International",
        unit="share of the records",
    )

    about = "a random sample of the records, as they are"
    source = "Willenborg and de Waal (2001)"
    undone_by_seed = True
    masks = "keys"
    pairs = "never"

    def needs(self, dependent: tuple[str, ...]) -> Needs:
        """No values at all."""
        return Needs()

    def rows(self, n: int, stream: RStream) -> NDArray[np.intp]:
        """The positions, from 0 and ascending, of the records drawn from n."""
        size = max(1, round(self.fraction * n))
        return np.sort(stream.sample_int(n, size) - 1).astype(np.intp)

    def release(self, cells: Mapping[str, Any], n: int, stream: RStream, note: Reporter = discard) -> Release:
        """See FrameMethod.release."""
        rows = self.rows(n, stream)
        said = "{count} of {total} records {count:is released, with its|are released, with their} original values"
        note(Note.of("observed_values", said, count=len(rows), total=n))
        return Release(rows=rows)

    def protect(self, X: Array, Y: Array, stream: RStream, note: Reporter = discard) -> Array:
        """The dependent values (m, t) of the records that were drawn."""
        return Y[self.rows(len(Y), stream)]
