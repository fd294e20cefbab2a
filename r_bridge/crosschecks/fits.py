"""Fuzzy c-means and fuzzy c-regression from the same start, and IPSO by kind and variant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from pyfcrm.fuzzy import fcm, fcrm
from pyfcrm.fuzzy.fcm import random_membership
from pyfcrm.methods import FCRM, IPSO
from pyfcrm.numerics.design import RANK_TOL
from pyfcrm.rstream import RStream
from pyfcrm.types import Array

from ..to_r import reference
from ..to_r.reference import KINDS, ipso
from ..to_r.session import session
from .case import ROUNDING, Case, Line, Problem, Results, by_rounding, other_seed, single

CLUSTERS = 3
ROUNDS, FIT_ROUNDS = (1, 5), 3
FCM_PARTS = ("membership", "centers", "objective", "delta")
SOLVED = "weighted least squares, solved here by normal equations on an orthonormal basis and there by singular values"
FEW = SOLVED + "; few rounds, since rounds that have not converged amplify rounding"
RELEASED = 1e-8  # of a release
FCRM_PARTS = ("membership", "coefficients", "fitted values", "objective", "delta")
# What is fitted: rounds, all columns of Y in one fit or its first alone, with or without an intercept.
FITS: dict[str, tuple[int, bool, bool]] = {
    "one round": (1, False, True),
    "3 rounds": (3, False, True),
    "joint, 3 rounds": (3, True, True),
    "no intercept, 3 rounds": (3, False, False),
}
ALGEBRA = "the same draws and the same algebra: an orthonormal basis here, a covariance solved or a QR there"
AFTER, PREDICTORS, ANOTHER = ".Random.seed, after the draws", "predictors", "release, another seed"


def start(ground: Problem) -> Array:
    """The membership both sides start from, (n, 3)."""
    return random_membership(len(ground.Y), CLUSTERS, RStream(ground.seed))


def _records(ground: Problem) -> Array:
    return np.column_stack([ground.X, ground.Y])


def _fcm(ground: Problem, random_start: Array, fit: Callable[..., Mapping[str, Any]]) -> Results:
    results: dict[str, Any] = {"random start": random_start}
    for rounds in ROUNDS:
        result = fit(_records(ground), CLUSTERS, start(ground), tol=0, max_iter=rounds)
        results |= {f"{part}, {_words(rounds)}": result[part] for part in FCM_PARTS}
    return results


def _fcm_python(ground: Problem) -> Results:
    return _fcm(ground, start(ground), lambda A, c, initial, **words: vars(fcm(A, c, initial=initial, **words)))


def _fcm_r(ground: Problem) -> Results:
    return _fcm(ground, reference.random_membership(len(ground.Y), CLUSTERS, ground.seed), reference.fcm)


def _words(rounds: int) -> str:
    return "one round" if rounds == 1 else f"{rounds} rounds"


FCM_CASES = (
    Case(
        "FCM",
        _fcm_python,
        _fcm_r,
        (
            Line("random start", 1e-14, "the same uniforms, divided by sums of three taken in another order"),
            *(Line(f"{part}, one round", 1e-10, ROUNDING) for part in FCM_PARTS),
            *(Line(f"{part}, 5 rounds", 1e-10, ROUNDING + "; five rounds amplify that little") for part in FCM_PARTS),
        ),
        moved=by_rounding(_fcm_r),
    ),
)


def _named(words: str, fit: Any, x: Array) -> dict[str, Any]:
    named = dict(zip(FCRM_PARTS, (fit[k] for k in ("membership", "coef", "fitted", "objective", "delta")), strict=True))
    named["coefficients"] = _determined(np.asarray(named["coefficients"]), x)
    return {f"{part}, {words}": value for part, value in named.items()}


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


def _fcrm(ground: Problem, fit: Callable[..., Mapping[str, Any]]) -> Results:
    results: dict[str, Any] = {}
    for words, (rounds, joint, intercept) in FITS.items():
        y = ground.Y if joint else ground.Y[:, :1]
        result = fit(ground.X, y, CLUSTERS, start(ground), tol=0, max_iter=rounds, intercept=intercept)
        x = np.column_stack([np.ones(len(ground.X)), ground.X]) if intercept else ground.X
        results |= _named(words, result, x)
    return results


def _fcrm_python(ground: Problem) -> Results:
    return _fcrm(ground, lambda X, y, c, initial, **words: vars(fcrm(X, y, c, initial=initial, **words)))


def _fcrm_r(ground: Problem) -> Results:
    return _fcrm(ground, reference.fcrm)


def _one_cluster(ground: Problem) -> Array:
    return fcrm(ground.X, ground.Y, 1, initial=np.ones((len(ground.Y), 1))).fitted


def _release_python(ground: Problem) -> Results:
    stream = RStream(ground.seed)
    Z = FCRM(c=CLUSTERS, max_iter=FIT_ROUNDS).protect(ground.X, ground.Y, stream)
    return {"release, c = 3, 3 rounds": Z, ".Random.seed, after a release": stream.to_r_state()}


def _release_r(ground: Problem) -> Results:
    release = reference.fcrm_protect(ground.X, ground.Y, CLUSTERS, ground.seed, max_iter=FIT_ROUNDS)
    after = release.stream.to_r_state()
    return {"release, c = 3, 3 rounds": release.Z, ".Random.seed, after a release": after}


FCRM_CASES = (
    Case(
        "FCRM",
        _fcrm_python,
        _fcrm_r,
        tuple(Line(f"{part}, {words}", 1e-9, FEW) for words in FITS for part in FCRM_PARTS),
        moved=by_rounding(_fcrm_r),
    ),
    single("FCRM", Line("c = 1, against R's lm.fit", 1e-10, SOLVED), _one_cluster, lambda g: _fitted(g, g.Y)),
    Case(
        "FCRM",
        _release_python,
        _release_r,
        (
            Line("release, c = 3, 3 rounds", RELEASED, FEW),
            Line(".Random.seed, after a release", 0.0, "as many uniforms drawn"),
        ),
        moved=by_rounding(_release_r),
    ),
)


def ipso_seeds(ground: Problem) -> tuple[int, int]:
    """The seeds of the thesis's variant. For an agency's R file neither is the one that its own scripts may set."""
    first = 1 if ground.ipso_path is not None else 0
    return other_seed(ground.seed, first), other_seed(ground.seed, first + 1)


def _burridge_python(ground: Problem, kind: str) -> Results:
    stream = RStream(ground.seed)
    Z = IPSO(kind).protect(ground.X, ground.Y, stream)
    # No draw, no state: burridge's A draws nothing.
    return {_name(kind, "burridge", "release"): Z, _name(kind, "burridge", AFTER): stream.to_r_state()}


def _burridge_r(ground: Problem, kind: str) -> Results:
    release = reference.ipso_burridge(ground.X, ground.Y, kind, ground.seed)
    return {_name(kind, "burridge", "release"): release.Z, _name(kind, "burridge", AFTER): release.stream.to_r_state()}


def _thesis_python(ground: Problem, kind: str) -> Results:
    first, second = (RStream(seed) for seed in ipso_seeds(ground))
    return {
        _name(kind, "thesis", "release"): IPSO(kind, "thesis").protect(ground.X, ground.Y, first),
        _name(kind, "thesis", AFTER): first.to_r_state(),
        _name(kind, "thesis", PREDICTORS): ground.X,
        _name(kind, "thesis", ANOTHER): IPSO(kind, "thesis").protect(ground.X, ground.Y, second),
    }


def _thesis_r(ground: Problem, kind: str) -> Results:
    first, second = (ipso(ground.X, ground.Y, kind, seed, ground.ipso_path) for seed in ipso_seeds(ground))
    return {
        _name(kind, "thesis", "release"): first.Z,
        _name(kind, "thesis", AFTER): first.stream.to_r_state(),
        _name(kind, "thesis", PREDICTORS): first.X,
        _name(kind, "thesis", ANOTHER): second.Z,
    }


def _name(kind: str, variant: str, what: str) -> str:
    return f"{kind}, {variant}, {what}"


def _fitted(ground: Problem, Y: Array) -> Array:
    """By R's lm.fit: X centred, so that a large mean cannot hide a small spread, and with the share that decides on both sides."""
    x = np.column_stack([np.ones(len(ground.X)), ground.X - ground.X.mean(axis=0)])
    fitted: Array = session().call("lm.fit", {"x": x, "y": Y, "tol": RANK_TOL}).value["fitted.values"]
    return fitted.reshape(Y.shape)


def _lines(kind: str, variant: str) -> tuple[Line, ...]:
    release = Line(_name(kind, variant, "release"), 1e-10, ALGEBRA)
    if variant == "burridge":
        drawn = "nothing drawn" if kind == "A" else "one block of normals drawn"
        return release, Line(_name(kind, variant, AFTER), 0.0, drawn)
    return (
        release,
        Line(_name(kind, variant, AFTER), 0.0, "as many normals drawn: B's block before C's, for every kind"),
        Line(_name(kind, variant, PREDICTORS), 0.0, "kept: the same bits in the same records"),
        replace(release, name=_name(kind, variant, ANOTHER)),
    )


SIDES = {"burridge": (_burridge_python, _burridge_r, ""), "thesis": (_thesis_python, _thesis_r, "--ipso-r")}
IPSO_CASES = tuple(
    Case(
        "IPSO",
        partial(python, kind=kind),
        partial(r, kind=kind),
        _lines(kind, variant),
        moved=by_rounding(partial(r, kind=kind)),
        option=option,
    )
    for variant, (python, r, option) in SIDES.items()
    for kind in KINDS
)
