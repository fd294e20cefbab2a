"""Fuzzy c-means from the same start, after one round and after several."""

from __future__ import annotations

import numpy as np

from pyfcrm.fuzzy import fcm
from pyfcrm.fuzzy.membership import random_membership
from pyfcrm.rstream import RStream

from .. import reference
from .case import ROUNDING, Case, Line, Results
from .ground import Array, Ground

CLUSTERS = 3
ROUNDS = (1, 5)
PARTS = ("membership", "centers", "objective", "delta")


def start(ground: Ground) -> Array:
    """The membership both sides start from, (n, 3)."""
    return random_membership(len(ground.Y), CLUSTERS, RStream(ground.seed))


def _records(ground: Ground) -> Array:
    return np.column_stack([ground.X, ground.Y])


def _python(ground: Ground) -> Results:
    results: dict[str, object] = {"random start": start(ground)}
    for rounds in ROUNDS:
        fit = fcm(_records(ground), CLUSTERS, tol=0, max_iter=rounds, initial=start(ground))
        results |= {f"{part}, {_words(rounds)}": getattr(fit, part) for part in PARTS}
    return results


def _r(ground: Ground) -> Results:
    results: dict[str, object] = {"random start": reference.random_membership(len(ground.Y), CLUSTERS, ground.seed)}
    for rounds in ROUNDS:
        fit = reference.fcm(_records(ground), CLUSTERS, start(ground), tol=0, max_iter=rounds)
        results |= {f"{part}, {_words(rounds)}": fit[part] for part in PARTS}
    return results


def _words(rounds: int) -> str:
    return "one round" if rounds == 1 else f"{rounds} rounds"


CASES = (
    Case(
        "FCM",
        _python,
        _r,
        (
            Line("random start", 1e-14, "the same uniforms, divided by sums of three taken in another order"),
            *(Line(f"{part}, one round", 1e-10, ROUNDING) for part in PARTS),
            *(Line(f"{part}, 5 rounds", 1e-10, ROUNDING + "; five rounds amplify that little") for part in PARTS),
        ),
    ),
)
