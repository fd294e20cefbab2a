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
from .frame_method import FrameMethod, FrameRelease
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
    A sampled record keeps its original values, so a continuous attribute that an intruder knows still identifies it.

    Draws: R's sample.int(n, size).

    Seed: undoes it. Together with the order of the file it identifies the sampled records.

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
    pairs = "never"

    def needs(self, dependent: tuple[str, ...]) -> tuple[str, ...]:
        """See Method.needs: none."""
        return ()

    def rows(self, n: int, stream: RStream) -> NDArray[np.intp]:
        """The positions, from 0 and ascending, of the records drawn from n."""
        size = max(1, round(self.fraction * n))
        return np.sort(stream.sample_int(n, size) - 1).astype(np.intp)

    def release(self, cells: Mapping[str, Any], n: int, stream: RStream, note: Reporter = discard) -> FrameRelease:
        """See FrameMethod.release."""
        rows = self.rows(n, stream)
        wording = "{count} of {total} records {count:is released, with its|are released, with their} original values"
        note(Note.of("observed_values", wording, count=len(rows), total=n))
        return FrameRelease(rows=rows)
