"""The plain R twins in r_scripts/reference, called with arrays. Slow and obvious: an oracle, not a tool.

What goes in, what comes out and from which paper is said in each R file; matrices are records by columns, shares
per cent. A stream is a seed for set.seed, or a stream that is read and not moved.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfcrm.rstream import RStream

from .ipso import Release
from .scripts import script
from .session import session

Array = NDArray[np.float64]
Twin = dict[str, Any]


def random_membership(n: int, c: int, stream: int | RStream) -> Array:
    """A start of fuzzy c-means, (n, c)."""
    U: Array = session().call("random_membership", {"n": n, "c": c}, [script("reference/fcm.R")], stream).value
    return U


def fcm(X: Array, c: int, initial: Array, m: float = 2.0, tol: float = 1e-5, max_iter: int = 100) -> Twin:
    """Fuzzy c-means from a given membership: membership, centers, objective, delta, iterations, converged."""
    given = {"X": X, "c": c, "m": m, "tol": tol, "max_iter": max_iter, "U0": initial}
    return _by_round(_call("fcm", given, "fcm.R"))


def fcrm(
    X: Array, Y: Array, c: int, initial: Array, m: float = 1.5, tol: float = 1e-5, max_iter: int = 30,
    intercept: bool = True,
) -> Twin:  # fmt: skip
    """Fuzzy c-regression from a given membership; coef (c, s+1, t), fitted (n, t) by each record's own cluster."""
    given = {"X": X, "Y": Y, "c": c, "m": m, "tol": tol, "max_iter": max_iter, "U0": initial, "intercept": intercept}
    fit = _by_round(_call("fcrm", given, "fcm.R", "fcrm.R"))
    own = np.argmax(fit["membership"], axis=1)
    return fit | {"fitted": fit["fitted"][np.arange(len(own)), own]}


def fcrm_protect(
    X: Array, Y: Array, c: int, stream: int | RStream, m: float = 1.5, tol: float = 1e-5, max_iter: int = 30
) -> Release:
    """The release of FCRM, one fit for each column of Y."""
    given = {"X": X, "Y": Y, "c": c, "m": m, "tol": tol, "max_iter": max_iter}
    return _release("fcrm_protect", given, stream, "fcm.R", "fcrm.R")


def ipso_burridge(X: Array, Y: Array, kind: str, stream: int | RStream) -> Release:
    """IPSO-A, B or C by Burridge's formula."""
    return _release("ipso_burridge", {"X": X, "Y": Y, "kind": kind}, stream, "ipso_burridge.R")


def pil(X: Array, Z: Array) -> Twin:
    """Probabilistic information loss: value, and parts (mean, variance, covariance, correlation, quantiles)."""
    return _call("pil", {"X": X, "Z": Z}, "pil.R")


def dbrl(X: Array, Z: Array) -> Twin:
    """Distance-based record linkage: value and baseline."""
    return _call("dbrl", {"X": X, "Z": Z}, "dbrl.R")


def prl(X: Array, Z: Array, agreement: str = "exact") -> Twin:
    """Probabilistic record linkage, "exact" or "tolerance": value, baseline, m, u, prevalence, iterations."""
    return _call("prl", {"X": X, "Z": Z, "agreement": agreement}, "prl.R")


def interval_disclosure(X: Array, Z: Array) -> Twin:
    """Interval disclosure by standard deviations: value and baseline."""
    return _call("interval_disclosure", {"X": X, "Z": Z}, "interval_disclosure.R")


def interval_disclosure_rank(X: Array, Z: Array) -> Twin:
    """Interval disclosure by ranks: value and baseline."""
    return _call("interval_disclosure_rank", {"X": X, "Z": Z}, "interval_disclosure.R")


def dr(dbrl: float, prl: float, interval: float) -> float:
    """The disclosure risk of three values."""
    return _number("dr", (dbrl, prl, interval))


def score(pil: float, dr: float) -> float:
    """The score of two values."""
    return _number("score", (pil, dr))


def _number(function: str, given: tuple[float, ...]) -> float:
    value = session().call(function, given, [script("reference/interval_disclosure.R")]).value
    return float(value[0])


def _call(function: str, given: dict[str, Any], *files: str) -> Twin:
    fit = session().call(function, given, [script(f"reference/{file}") for file in files]).value
    return {name: _scalar(value) for name, value in fit.items()}


def _by_round(fit: Twin) -> Twin:
    """One round is a vector of one, and stays a vector."""
    return fit | {name: np.atleast_1d(fit[name]) for name in ("objective", "delta")}


def _release(function: str, given: dict[str, Any], stream: int | RStream, *files: str) -> Release:
    reply = session().call(function, given, [script(f"reference/{file}") for file in files], stream)
    assert reply.stream is not None
    return Release(reply.value, reply.stream)


def _scalar(value: Any) -> Any:
    """A vector of one as a number; everything else as it is."""
    return value[0].item() if isinstance(value, np.ndarray) and value.shape == (1,) else value
