"""A random sample of the records of a file, within strata and of whole units."""

import numpy as np

from ..rstream import RStream
from ..types import Codes, Rows

SAMPLE = 5000  # records: of a larger file a random sample is examined
POWER = 100  # records below which no attack can stand out, nor dependence


def systematic_sample(strata: Codes, units: Codes | None, stream: RStream, most: int = SAMPLE) -> Rows:
    """Places of about `most` of n records or fewer, ascending: a systematic sample of a random order within strata, of whole units.

    strata, units (n,) : codes, of units from 0. Draws: a permutation of the records, or of the units, or none.
    """
    n = len(strata)
    if n <= most:
        return np.arange(n)
    if units is not None:
        first = np.unique(units, return_index=True)[1]
        part = systematic_sample(strata[first], None, stream, most * len(first) // n)
        return np.flatnonzero(np.isin(units, part))
    order = stream.sample_int(n, n) - 1
    order = order[np.argsort(strata[order], kind="stable")]
    return np.sort(order[((np.arange(most) + 0.5) * n / most).astype(np.intp)])
