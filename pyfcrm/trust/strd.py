"""NIST's Statistical Reference Datasets: correct digits of our means, standard deviations and least squares.

Source: National Institute of Standards and Technology, www.itl.nist.gov/div898/strd (public domain), values certified to 15
digits. The data are in values/strd.json, the observed ones the same figures as in the tests of GSL 2.7.1 (Debian's source
package). "digits" are required: as many as 64 bits leave of these data, by the condition of the problem (Higham 2002,
chapter 20), less one. "pattern" follows "y" 500 times, by NIST's rule for NumAcc2 to 4.
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
MAX_DIGITS = 15.0  # digits that are certified
MEAN_DIGITS = 14  # required of every mean
REPEATS = 500  # of a pattern


def datasets(key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and contents of the datasets that have `key`: "mean", or "beta" for regressions."""
    stored = json.loads(OBSERVED.read_text(encoding="utf-8"))
    return ((name, data) for name, data in stored.items() if key in data)


def regression(data: dict[str, Any]) -> tuple[Array, Array]:
    """X (n, s) and y (n,) of a dataset: Wampler1 to 5 and Filip are polynomials of x, of degree 5 and 10."""
    x = np.array(data["x"], dtype=float).reshape(len(data["y"]), -1)
    return x ** np.arange(1.0, data.get("degree", 1) + 1), np.array(data["y"], dtype=float)


def of_moments() -> Iterator[tuple[str, float, float]]:
    """The means and standard deviations by which columns are standardised: name, correct digits, required digits."""
    for name, data in datasets("mean"):
        y = np.array(data["y"] + data.get("pattern", []) * REPEATS, dtype=float)
        where = location(y[:, None], ddof=1)
        yield f"{name}, mean", correct(where.origin[0] + where.offset[0], data["mean"]), MEAN_DIGITS
        yield f"{name}, standard deviation", correct(where.sd[0], data["sd"]), data["digits"]


def of_regressions() -> Iterator[tuple[str, float, float]]:
    """The least squares of every method, each coefficient in the size of its column; as `of_moments`."""
    for name, data in datasets("beta"):
        X, y = regression(data)
        D, size = design(X), np.linalg.norm(with_one(X), axis=0)
        beta = D.back @ (D.columns.T @ y)
        yield f"{name}, {len(beta)} coefficients", correct(beta * size, data["beta"] * size), data["digits"]


def correct(found: Array | float, certified: Array | float) -> float:
    """The log relative error of a number, or of a vector as a whole: how many digits are correct, at most 15."""
    error = float(np.linalg.norm(np.atleast_1d(found - certified)) / np.linalg.norm(np.atleast_1d(certified)))
    if not math.isfinite(error):
        return 0.0
    return MAX_DIGITS if error == 0 else max(0.0, min(MAX_DIGITS, -math.log10(error)))
