"""Fuzzy c-regression: fits from the same start, and the release made from the same seed."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from pyfcrm.fuzzy import fcrm
from pyfcrm.methods import FCRM
from pyfcrm.rstream import RStream

from .. import reference
from ..session import session
from .case import Case, Line, Results
from .difference import largest_relative_difference
from .fcm import CLUSTERS, start
from .ground import Array, Ground

SOLVED = "weighted least squares, solved here by normal equations on an orthonormal basis and there by singular values"
FEW = SOLVED + "; few rounds, since rounds that have not converged amplify rounding"
MANY = "as the fits, over a whole release of up to 30 rounds a column, which amplify rounding most"
RELEASED = 1e-8  # of a release
NUDGE = 1e-13  # what one solve rounds to
PARTS = ("membership", "coefficients", "fitted values", "objective", "delta")
# What is fitted: rounds, all columns of Y in one fit or its first alone, with or without an intercept.
FITS: dict[str, tuple[int, bool, bool]] = {
    "one round": (1, False, True),
    "3 rounds": (3, False, True),
    "joint, 3 rounds": (3, True, True),
    "no intercept, 3 rounds": (3, False, False),
}


def _y(ground: Ground, joint: bool) -> Array:
    return ground.Y if joint else ground.Y[:, :1]


def _named(words: str, fit: Any, x: Array) -> dict[str, Any]:
    found = dict(zip(PARTS, (fit[k] for k in ("membership", "coef", "fitted", "objective", "delta")), strict=True))
    found["coefficients"] = _determined(np.asarray(found["coefficients"]), x)
    return {f"{part}, {words}": value for part, value in found.items()}


def _determined(coef: Array, x: Array) -> Array:
    """(c, regressors times t): what the data determine of the coefficients (c, regressors, t) on x (n, regressors).

    That is all of them, unless regressors are collinear: then, as columns of length 1, their part in the row space.
    A column for each regressor and dependent attribute, since they differ in unit.
    """
    lengths = np.linalg.norm(x, axis=0)
    _, d, V = np.linalg.svd(x / lengths, full_matrices=False)
    keep = V[d > 1e-10 * d[0]]
    if len(keep) < x.shape[1]:
        coef = np.einsum("kr,ks,cst->crt", keep, keep * lengths, coef) / lengths[:, None]
    return coef.reshape(len(coef), -1)


def _regressors(ground: Ground, intercept: bool) -> Array:
    return np.column_stack([np.ones(len(ground.X)), ground.X]) if intercept else ground.X


def _python(ground: Ground) -> Results:
    results: dict[str, Any] = {}
    for words, (rounds, joint, intercept) in FITS.items():
        y, U = _y(ground, joint), start(ground)
        fit = fcrm(ground.X, y, CLUSTERS, tol=0, max_iter=rounds, intercept=intercept, initial=U)
        results |= _named(words, vars(fit), _regressors(ground, intercept))
    return results


def _r(ground: Ground) -> Results:
    results: dict[str, Any] = {}
    for words, (rounds, joint, intercept) in FITS.items():
        y, U = _y(ground, joint), start(ground)
        fit = reference.fcrm(ground.X, y, CLUSTERS, U, tol=0, max_iter=rounds, intercept=intercept)
        results |= _named(words, fit, _regressors(ground, intercept))
    return results


def _one_cluster_python(ground: Ground) -> Results:
    fit = fcrm(ground.X, ground.Y, 1, initial=np.ones((len(ground.Y), 1)))
    return {"c = 1, against R's lm.fit": fit.fitted}


def _one_cluster_r(ground: Ground) -> Results:
    x = _regressors(ground, intercept=True)
    fit = session().call("lm.fit", {"x": x, "y": ground.Y}).value
    return {"c = 1, against R's lm.fit": fit["fitted.values"].reshape(ground.Y.shape)}


def _release_python(ground: Ground, rounds: int) -> Results:
    stream = RStream(ground.seed)
    Z = FCRM(c=CLUSTERS, max_iter=rounds).protect(ground.X, ground.Y, stream)
    return {f"release, c = 3, {rounds} rounds": Z, ".Random.seed, after a release": stream.to_r_state()}


def _release_r(ground: Ground, rounds: int) -> Results:
    release = reference.fcrm_protect(ground.X, ground.Y, CLUSTERS, ground.seed, max_iter=rounds)
    after = release.stream.to_r_state()
    return {f"release, c = 3, {rounds} rounds": release.Z, ".Random.seed, after a release": after}


def _amplified(ground: Ground) -> str | None:
    """Why a whole release cannot be compared: Python's own moves too far when its input moves by rounding."""
    nudged = ground.Y * (1 + NUDGE * np.sign(np.sin(np.arange(ground.Y.size)).reshape(ground.Y.shape)))
    plain, moved = (FCRM(c=CLUSTERS).protect(ground.X, Y, RStream(ground.seed)) for Y in (ground.Y, nudged))
    gap = largest_relative_difference(plain, moved)
    if gap <= RELEASED:
        return None
    return f"up to 30 rounds amplify rounding on these data: values moved by {NUDGE:g} move the release by {gap:.1g}"


CASES = (
    Case("FCRM", _python, _r, tuple(Line(f"{part}, {words}", 1e-9, FEW) for words in FITS for part in PARTS)),
    Case("FCRM", _one_cluster_python, _one_cluster_r, (Line("c = 1, against R's lm.fit", 1e-10, SOLVED),)),
    Case(
        "FCRM",
        partial(_release_python, rounds=3),
        partial(_release_r, rounds=3),
        (
            Line("release, c = 3, 3 rounds", RELEASED, FEW),
            Line(".Random.seed, after a release", 0.0, "as many uniforms drawn"),
        ),
    ),
    Case(
        "FCRM",
        partial(_release_python, rounds=30),
        partial(_release_r, rounds=30),
        (Line("release, c = 3, 30 rounds", RELEASED, MANY),),
        _amplified,
    ),
)
