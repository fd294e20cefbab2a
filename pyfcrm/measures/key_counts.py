"""How many records of a file agree with each record on its key attributes, a missing value agreeing with anything."""

from __future__ import annotations

import numpy as np

from .measure import Codes

MISSING = -1


def agreeing(K: Codes) -> Codes:
    """(n,): records of the file, itself included, that agree with each record on every key; K (n, q) codes.

    A missing value (-1) agrees with anything, as an intruder cannot rule the record out.
    Source: Templ, Kowarik and Meindl (2015), sdcMicro's freqCalc.
    """
    rows, inverse, counts = np.unique(K, axis=0, return_inverse=True, return_counts=True)
    present, pattern = np.unique(rows != MISSING, axis=0, return_inverse=True)
    pattern = pattern.reshape(-1)
    total = np.zeros(len(rows), dtype=np.int64)
    for a, mine in enumerate(present):
        for b, theirs in enumerate(present):
            keys = mine & theirs
            total[pattern == a] += _matches(
                rows[pattern == a][:, keys], rows[pattern == b][:, keys], counts[pattern == b]
            )
    return total[inverse.reshape(-1)]


def _matches(wanted: Codes, offered: Codes, counts: Codes) -> Codes:
    """For each row of `wanted` the sum of counts of the equal rows of `offered`; both have the same columns."""
    _, place = np.unique(np.vstack([wanted, offered]), axis=0, return_inverse=True)
    place = place.reshape(-1)
    held = np.bincount(place[len(wanted) :], weights=counts, minlength=int(place.max()) + 1)
    return np.asarray(np.rint(held[place[: len(wanted)]]), dtype=np.int64)
