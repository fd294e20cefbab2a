"""Uniques: how many released records are alone with their key values."""

from __future__ import annotations

from .key_counts import agreeing
from .measure import Codes, Facts, KeyMeasure, Part, Parts

SMALL = (3, 5)


def uniques(K: Codes, L: Codes) -> Parts:
    """Share of released records that no other released record agrees with on the keys, per cent.

    K (n, q), L (N, q): coded keys of original and release, which need no pairing; -1 is missing and agrees with
    anything. Parts: unique, and in groups of fewer than 3 and 5, in the release and in the original.
    Keys that were perturbed make uniques who are nobody: read it beside the original's.
    Source: Willenborg and de Waal (2001); Templ, Kowarik and Meindl (2015).
    """
    parts = []
    for which, codes in (("released", L), ("original", K)):
        sizes = agreeing(codes)
        parts.append(Part(f"unique, {which}", 100 * float((sizes == 1).mean())))
        parts += [Part(f"fewer than {k} alike, {which}", 100 * float((sizes < k).mean())) for k in SMALL]
    return Parts(parts[0].value, tuple(parts))


UNIQUES = KeyMeasure(
    Facts(
        key="uniques",
        title="Records unique on the key attributes",
        kind="risk",
        better="lower",
        identity=None,
        paired=False,
        source="Willenborg and de Waal (2001); Templ, Kowarik and Meindl (2015)",
    ),
    uniques,
)
