"""k-anonymity: how many records at least share each combination of key values."""

from __future__ import annotations

import math

from .key_counts import agreeing
from .measure import Codes, Facts, KeyMeasure, Part, Parts

ASKED = (2, 3, 5)


def k_anonymity(K: Codes, L: Codes) -> Parts:
    """The largest k for which the release is k-anonymous: the fewest records that agree with some record on its keys.

    K (n, q), L (N, q): coded keys of original and release, which need no pairing; -1 is missing and agrees with
    anything. Parts: the same of the original, and for k = 2, 3, 5 how many records violate k-anonymity in each.
    Source: Samarati and Sweeney (1998); the counts are those sdcMicro prints.
    """
    sizes = {"released": agreeing(L), "original": agreeing(K)}
    parts = [Part(f"k, {which}", float(size.min())) for which, size in sizes.items()]
    for k in ASKED:
        for which, size in sizes.items():
            name, count = f"records violating {k}-anonymity, {which}", float((size < k).sum())
            parts.append(Part(name, count, range=(0.0, math.inf), better="lower"))
    return Parts(parts[0].value, tuple(parts))


K_ANONYMITY = KeyMeasure(
    Facts(
        key="k_anonymity",
        title="k-anonymity on the key attributes: the smallest group, records",
        kind="risk",
        better="higher",
        identity=None,
        paired=False,
        source="Samarati and Sweeney (1998)",
        lower=1.0,
        upper=math.inf,
    ),
    k_anonymity,
)
