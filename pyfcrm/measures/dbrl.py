"""Distance-based record linkage: how many originals find their own record nearest."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..engine import Engine
from ..linkage.distance import nearest_share, standardise
from .measure import Array, Facts, Measure, Parts

Share = Callable[[Array, Array], Array]


def dbrl(X: Array, Z: Array, share: Share = nearest_share, *, engine: Engine | None = None) -> Parts:
    """Share of originals whose nearest protected record is their own, per cent; a tie of t counts 1/t.

    X, Z : (n, p) original and protected, paired by position; each standardised by its own mean and sd (n - 1).
    share : what each original earns, with the result of nearest_share; engine : of this machine, for nearest_share.
    The baseline is 100/n: whatever the nearest are, a random pairing puts one's own among t of n with chance t/n.
    Source: Pagliuca and Seri (1999); thesis 2.4.2.
    """
    near = partial(nearest_share, engine=engine) if share is nearest_share else share
    earned = near(standardise(X), standardise(Z))
    return Parts(100 * float(earned.mean()), baseline=100 / len(X))


DBRL = Measure(
    Facts(
        key="dbrl",
        title="Distance-based record linkage",
        kind="risk",
        better="lower",
        identity=None,
        paired=True,
        source="Pagliuca and Seri (1999); thesis 2.4.2",
    ),
    dbrl,
    threaded=True,
)
