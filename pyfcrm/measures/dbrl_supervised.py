"""Supervised record linkage: the worst case of distance-based linkage over all weightings of the attributes."""

from __future__ import annotations

from ..engine import Engine
from ..linkage.supervised import Supervised, supervised_linkage
from ..linkage.weighted import weighted_share
from .measure import Array, Facts, Measure, Part, Parts

SECONDS = 10.0


def dbrl_supervised(X: Array, Z: Array, engine: Engine | None = None) -> Parts:
    """As dbrl, under the weights of the attributes that link most, per cent: the worst case for a release.

    X, Z : (n, p) original and protected, paired by position. The weights are learned from the true pairs, which an
    intruder does not have. A heuristic finds them, and an integer programme of at most 10 seconds improves on it or
    proves it best (up to 2000 records); the notes say which, and the part "bound" what no weights can exceed.
    Never below dbrl. engine : for threads. Baseline 100/n: a random pairing, with the weights held.
    Source: Abril, Navarro-Arribas and Torra (2012).
    """
    found = supervised_linkage(X, Z, SECONDS, engine)
    value, chance = 100 * float(found.share.mean()), 100 / len(X)
    equal = 100 * float(weighted_share(X, Z, 0 * found.weights + 1, engine).mean())
    parts = (Part("equal weights", equal, chance), Part("bound", 100 * found.bound, chance))
    return Parts(value, parts, chance, (_how(found), _weights(found)))


def _how(found: Supervised) -> str:
    if found.optimal:
        return "dbrl_supervised: no weights link more; proved by " + (
            "the integer programme" if found.searched == "programme" else "the number of records"
        )
    if found.searched == "heuristic":
        return "dbrl_supervised: by a heuristic only, the file being too long for the integer programme"
    return (
        f"dbrl_supervised: the best found by a heuristic and an integer programme stopped after {SECONDS:g} seconds; "
        f"no weights link more than {100 * found.bound:.4g} %"
    )


def _weights(found: Supervised) -> str:
    return "dbrl_supervised: weights by attribute " + ", ".join(f"{w:.3g}" for w in found.weights)


DBRL_SUPERVISED = Measure(
    Facts(
        key="dbrl_supervised",
        title="Distance-based record linkage, weights learned from the true pairs",
        kind="risk",
        better="lower",
        identity=None,
        paired=True,
        source="Abril, Navarro-Arribas and Torra (2012)",
        learned=True,
    ),
    dbrl_supervised,
    threaded=True,
)
