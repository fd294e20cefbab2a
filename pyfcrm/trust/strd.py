"""NIST's Statistical Reference Datasets: correct digits of our means, standard deviations and least squares, beside those
that 64 bits leave.

Source: National Institute of Standards and Technology, www.itl.nist.gov/div898/strd (public domain), values certified to 15
digits. NumAcc, which NIST defines by a rule, is computed here. The other data are in values/strd.json, the observed ones the
same figures as in the tests of GSL 2.7.1 (Debian's source package).
"""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..numerics.design import design, with_one
from ..numerics.location import location
from ..types import Array

OBSERVED = Path(__file__).parent / "values" / "strd.json"
EPS = float(np.finfo(float).eps)
MAX_DIGITS = 15.0  # digits that are certified
SPARE = 1.0  # digits below what 64 bits leave that are not required: the bounds are estimates


def moments() -> Iterator[tuple[str, Array, float, float]]:
    """Name, column (n,), certified mean and standard deviation (n - 1): NumAcc1 to 4 by their rule, the others as observed."""
    yield "NumAcc1", np.array([10000001.0, 10000003.0, 10000002.0]), 10000002.0, 1.0
    for k, mean, low, high in (
        (2, 1.2, 1.1, 1.3),
        (3, 1000000.2, 1000000.1, 1000000.3),
        (4, 10000000.2, 10000000.1, 10000000.3),
    ):
        yield f"NumAcc{k}", np.array([mean, *[low, high] * 500]), mean, 0.1
    for name, data in _observed("mean"):
        yield name, np.array(data["y"], dtype=float), data["mean"], data["sd"]


def regressions() -> Iterator[tuple[str, Array, Array, Array]]:
    """Name, X (n, s), y (n,) and certified coefficients (s + 1,) on (1, X).

    Wampler1 to 5 and Filip are polynomials of x, of degree 5 and 10.
    """
    for name, data in _observed("beta"):
        x = np.array(data["x"], dtype=float).reshape(len(data["y"]), -1)
        X: Array = x ** np.arange(1.0, data.get("degree", 1) + 1)
        yield name, X, np.array(data["y"], dtype=float), np.array(data["beta"])


def _observed(key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    datasets = json.loads(OBSERVED.read_text(encoding="utf-8"))
    return ((name, data) for name, data in datasets.items() if key in data)


def of_moments() -> Iterator[tuple[str, float, float]]:
    """The means and standard deviations by which columns are standardised: name, correct digits, digits that 64 bits leave."""
    for name, y, mean, sd in moments():
        where = location(y[:, None], ddof=1)
        yield f"{name}, mean", correct(where.origin[0] + where.offset[0], mean), MAX_DIGITS
        left = min(MAX_DIGITS, -math.log10(EPS * (1 + abs(mean) / sd)))
        yield f"{name}, standard deviation", correct(where.sd[0], sd), left


def of_regressions() -> Iterator[tuple[str, float, float]]:
    """The least squares of every method, each coefficient in the size of its column; as `of_moments`."""
    for name, X, y, certified in regressions():
        D = design(X)
        beta = D.back @ (D.columns.T @ y)
        size = np.linalg.norm(with_one(X), axis=0)
        yield f"{name}, {len(beta)} coefficients", correct(beta * size, certified * size), digits_left(X, y, certified)


def correct(found: Array | float, certified: Array | float) -> float:
    """The log relative error of a number, or of a vector as a whole: how many digits are correct, at most 15."""
    error = float(np.linalg.norm(np.atleast_1d(found - certified)) / np.linalg.norm(np.atleast_1d(certified)))
    if not math.isfinite(error):
        return 0.0
    return MAX_DIGITS if error == 0 else max(0.0, min(MAX_DIGITS, -math.log10(error)))


def digits_left(X: Array, y: Array, certified: Array) -> float:
    """The digits that the conditioning leaves: eps (k + k^2 |r| / (s |b|)) for least squares of condition k, residual r,
    largest singular value s and solution b, the columns at norm 1 (Higham 2002, chapter 20)."""
    A = with_one(X)
    size = np.linalg.norm(A, axis=0)
    s = np.linalg.svd(A / size, compute_uv=False)
    k, rest = s[0] / s[-1], np.linalg.norm(y - A @ certified)
    return float(min(MAX_DIGITS, -np.log10(EPS * (k + k**2 * rest / (s[0] * np.linalg.norm(certified * size))))))
