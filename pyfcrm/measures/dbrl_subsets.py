"""Distance-based record linkage by an intruder who knows the first few attributes only."""

from __future__ import annotations

from ..engine import Engine
from ..linkage.subsets import first_attributes_shares
from .measure import Array, Facts, Measure, Part, Parts

AVERAGED = 7
SHOWN = (3, 5, 8)


def dbrl_subsets(X: Array, Z: Array, engine: Engine | None = None) -> Parts:
    """As dbrl, averaged over an intruder's knowing the first 1, 2, ... 7 attributes, per cent.

    X, Z : (n, p) paired by position. With p < 7 the mean is over 1 .. p. Parts: the first 3, 5 and 8 attributes, as
    far as there are so many. The order of the attributes matters. engine : for threads. Baseline 100/n.
    Source: Domingo-Ferrer and Torra (2001); MEASURES.
    """
    shares = 100 * first_attributes_shares(X, Z, max(AVERAGED, *SHOWN), engine)
    chance = 100 / len(X)
    parts = tuple(Part(f"first {q}", float(shares[q - 1]), chance) for q in SHOWN if q <= len(shares))
    mean = float(shares[:AVERAGED].mean())
    upto = min(AVERAGED, len(shares))
    return Parts(mean, (Part(f"mean of first 1 to {upto}", mean, chance), *parts), chance)


DBRL_SUBSETS = Measure(
    Facts(
        key="dbrl_subsets",
        title="Distance-based record linkage, mean over the first 1 to 7 attributes",
        kind="risk",
        better="lower",
        identity=None,
        paired=True,
        source="Domingo-Ferrer and Torra (2001)",
    ),
    dbrl_subsets,
    threaded=True,
)
