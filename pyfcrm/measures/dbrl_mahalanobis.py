"""Distance-based record linkage with the Mahalanobis distance."""

from __future__ import annotations

from ..engine import Engine
from ..linkage.distance import nearest_share
from ..linkage.mahalanobis import whitened
from .measure import Array, Facts, Measure, Parts


def dbrl_mahalanobis(X: Array, Z: Array, engine: Engine | None = None) -> Parts:
    """As dbrl, the distance being (a - b)' S^- (a - b) with S the covariance of the differences, per cent.

    X, Z : (n, p) original and protected, paired by position. S is known to who knows the true pairs: an intruder
    has to guess it. Baseline 100/n: a random pairing, with S held. engine : for threads.
    Source: Torra, Abowd and Domingo-Ferrer (2006); Abril, Navarro-Arribas and Torra (2012).
    """
    return Parts(100 * float(nearest_share(*whitened(X, Z), engine=engine).mean()), baseline=100 / len(X))


DBRL_MAHALANOBIS = Measure(
    Facts(
        key="dbrl_mahalanobis",
        title="Distance-based record linkage, Mahalanobis distance",
        kind="risk",
        better="lower",
        identity=None,
        paired=True,
        source="Torra, Abowd and Domingo-Ferrer (2006); Abril, Navarro-Arribas and Torra (2012)",
        learned=True,
    ),
    dbrl_mahalanobis,
    threaded=True,
)
