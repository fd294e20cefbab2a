"""Fuzzy c-means and fuzzy c-regression from the same initial membership."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pyfcrm.fuzzy import fcm, fcrm
from pyfcrm.fuzzy.fcm import random_membership
from pyfcrm.numerics.design import RANK_TOL
from pyfcrm.rstream import RStream
from pyfcrm.types import Array

from ..to_r import reference
from ..to_r.session import session
from .case import ROUNDING, Case, Line, Problem, Results, single
from .hard_files import start_at_records

CLUSTERS = 3
FCM_ROUNDS = {"one round": 1, "5 rounds": 5}
FCM_PARTS = ("membership", "centers", "objective", "delta")
SOLVED = "weighted least squares: normal equations on an orthonormal basis in Python, singular values in R"
FEW = SOLVED + "; few rounds, since rounds before convergence amplify rounding"
# The results of fuzzy c-regression by the names of their lines.
FCRM_PARTS = {
    "membership": "membership",
    "coefficients": "coef",
    "fitted values": "fitted",
    "objective": "objective",
    "delta": "delta",
}
# Rounds; all columns of Y in one fit or the first column alone; with or without an intercept.
FITS: dict[str, tuple[int, bool, bool]] = {
    "one round": (1, False, True),
    "3 rounds": (3, False, True),
    "joint, 3 rounds": (3, True, True),
    "no intercept, 3 rounds": (3, False, False),
}
Fit = Callable[..., Mapping[str, Any]]
"""A fit by one side: its results by name."""


def initial_membership(problem: Problem) -> Array:
    """The membership from which both sides start, (n, 3)."""
    return random_membership(len(problem.Y), CLUSTERS, RStream(problem.seed))


def _fcm(problem: Problem, random_start: Array, fit: Fit) -> Results:
    """Fuzzy c-means of X and Y, and the random membership that this side draws."""
    results: dict[str, Any] = {"random start": random_start}
    records = np.column_stack([problem.X, problem.Y])
    for label, rounds in FCM_ROUNDS.items():
        result = fit(records, CLUSTERS, initial=initial_membership(problem), tol=0, max_iter=rounds)
        results |= {f"{part}, {label}": result[part] for part in FCM_PARTS}
    return results


def _fcrm(problem: Problem, fit: Fit) -> Results:
    """The fuzzy c-regressions of FITS."""
    results: dict[str, Any] = {}
    for label, (rounds, joint, intercept) in FITS.items():
        Y = problem.Y if joint else problem.Y[:, :1]
        options = {"initial": initial_membership(problem), "tol": 0, "max_iter": rounds, "intercept": intercept}
        result = fit(problem.X, Y, CLUSTERS, **options)
        parts = {part: np.asarray(result[name]) for part, name in FCRM_PARTS.items()}
        design = np.column_stack([np.ones(len(problem.X)), problem.X]) if intercept else problem.X
        parts["coefficients"] = _determined(parts["coefficients"], design)
        results |= {f"{part}, {label}": value for part, value in parts.items()}
    return results


def _determined(coef: Array, x: Array) -> Array:
    """The part of the coefficients (c, r, t) on x (n, r) that the data determine, as (c, r t).

    That is all of them, unless regressors are collinear: then their part in the row space of the columns at length 1.
    A column for each regressor and dependent attribute, since they differ in unit.
    """
    lengths = np.linalg.norm(x, axis=0)
    _, d, V = np.linalg.svd(x / lengths, full_matrices=False)
    keep = V[d > 1e-10 * d[0]]
    if len(keep) < x.shape[1]:
        coef = np.einsum("kr,ks,cst->crt", keep, keep * lengths, coef) / lengths[:, None]
    return coef.reshape(len(coef), -1)


def _at_records(problem: Problem, fit: Fit) -> Array:
    """The membership after one round from centres that are records, to the bit."""
    records, start = start_at_records(problem)
    membership: Array = fit(records, start.shape[1], initial=start, tol=0, max_iter=1)["membership"]
    return membership


def _without_errors(problem: Problem, fit: Fit) -> Array:
    """The objective where every model fits every record exactly: of a dependent column of zeros."""
    zeros = np.zeros((len(problem.X), 1))
    objective: Array = fit(problem.X, zeros, CLUSTERS, initial=initial_membership(problem), tol=0, max_iter=1)[
        "objective"
    ]
    return np.asarray(objective)


def _by_python(fit: Callable[..., Any]) -> Fit:
    """The fit with its results by name."""
    return lambda *data, **options: vars(fit(*data, **options))


def _one_cluster(problem: Problem) -> Array:
    """Values (n, t) fitted by fuzzy c-regression of one cluster, which is least squares."""
    return fcrm(problem.X, problem.Y, 1, initial=np.ones((len(problem.Y), 1))).fitted


def _lm_fit(problem: Problem) -> Array:
    """Values (n, t) fitted by R's lm.fit.

    X is centred, so that a large mean cannot hide a small spread; both sides use one tolerance.
    """
    x = np.column_stack([np.ones(len(problem.X)), problem.X - problem.X.mean(axis=0)])
    fitted: Array = session().call("lm.fit", {"x": x, "y": problem.Y, "tol": RANK_TOL}).value["fitted.values"]
    return fitted.reshape(problem.Y.shape)


CASES = (
    Case(
        "FCM",
        lambda problem: _fcm(problem, initial_membership(problem), _by_python(fcm)),
        lambda problem: _fcm(
            problem, reference.random_membership(len(problem.Y), CLUSTERS, problem.seed), reference.fcm
        ),
        (
            Line("random start", 1e-14, "the same uniforms, divided by sums of three taken in another order"),
            *(Line(f"{part}, {label}", 1e-10, ROUNDING) for label in FCM_ROUNDS for part in FCM_PARTS),
        ),
    ),
    Case(
        "FCRM",
        lambda problem: _fcrm(problem, _by_python(fcrm)),
        lambda problem: _fcrm(problem, reference.fcrm),
        tuple(Line(f"{part}, {label}", 1e-9, FEW) for label in FITS for part in FCRM_PARTS),
    ),
    single(
        "FCM",
        Line("membership, centres at records", 1e-10, ROUNDING),
        lambda problem: _at_records(problem, _by_python(fcm)),
        lambda problem: _at_records(problem, reference.fcm),
    ),
    single(
        "FCRM",
        Line("objective, models without errors", 1e-12, "errors of 0 count as the floor, in sums of another order"),
        lambda problem: _without_errors(problem, _by_python(fcrm)),
        lambda problem: _without_errors(problem, reference.fcrm),
    ),
    single("FCRM", Line("c = 1, against R's lm.fit", 1e-10, SOLVED), _one_cluster, _lm_fit),
)
