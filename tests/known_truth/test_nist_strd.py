"""NIST's Statistical Reference Datasets: means, standard deviations and least squares to certified values.

Oracle: NIST StRD (www.itl.nist.gov/div898/strd, public domain), certified to 15 digits; exact fractions for the data as they
stand here. Close: as many correct digits (log relative error, LRE) as 64 bits leave after the data's own conditioning, less one.
"""

import json
from fractions import Fraction

import numpy as np
import pytest

from pyfcrm.trust import strd

MOMENTS = dict(strd.datasets("mean"))
REGRESSIONS = dict(strd.datasets("beta"))
LEAST = {"Wampler4": 7, "Wampler5": 5, "Filip": 7}  # coefficient by coefficient; 9 elsewhere
PRINTED = 15  # digits
EPS = np.finfo(float).eps


def digits_left(X, y, certified):
    """The digits that the conditioning leaves: eps (k + k^2 |r| / (s |b|)) for least squares of condition k, residual r,
    largest singular value s and solution b, the columns at norm 1 (Higham 2002, chapter 20)."""
    A = np.column_stack([np.ones(len(X)), X])
    size = np.linalg.norm(A, axis=0)
    s = np.linalg.svd(A / size, compute_uv=False)
    k, rest = s[0] / s[-1], np.linalg.norm(y - A @ certified)
    return min(PRINTED, -np.log10(EPS * (k + k**2 * rest / (s[0] * np.linalg.norm(certified * size)))))


def lre(found, certified):
    """The least number of correct digits."""
    error = np.max(np.abs(np.asarray(found) - certified) / np.abs(certified))
    return strd.MAX_DIGITS if error == 0 else min(strd.MAX_DIGITS, -np.log10(error))


def test_every_dataset_is_there():
    assert list(MOMENTS) == ["NumAcc1", "NumAcc2", "NumAcc3", "NumAcc4", "Michelso", "Mavro", "Lottery", "Lew"]
    wampler = [f"Wampler{k}" for k in range(1, 6)]
    assert list(REGRESSIONS) == [*wampler, "Norris", "Longley", "Filip"]


@pytest.mark.parametrize("name", MOMENTS)
def test_means_and_standard_deviations(name):
    found = {what: (digits, required) for what, digits, required in strd.of_moments()}
    assert found[f"{name}, mean"][0] >= 14
    digits, required = found[f"{name}, standard deviation"]
    assert digits >= required
    left = min(PRINTED, -np.log10(EPS * (1 + abs(MOMENTS[name]["mean"]) / MOMENTS[name]["sd"])))
    assert required == np.floor(left - 1)


@pytest.mark.parametrize("name", REGRESSIONS)
def test_least_squares(name):
    X, y = strd.regression(REGRESSIONS[name])
    certified = np.array(REGRESSIONS[name]["beta"])
    [(digits, required)] = [found for what, *found in strd.of_regressions() if what.startswith(f"{name},")]
    assert digits >= required
    assert required == np.floor(digits_left(X, y, certified) - 1)
    D = strd.design(X)
    assert lre(D.back @ (D.columns.T @ y), certified) >= LEAST.get(name, 9)


def exactly(values):
    """As they are printed, not as 64 bits have them."""
    return [Fraction(repr(value)) for value in values]


def solution(A, y):
    """Of the normal equations, without any rounding."""
    k = len(A[0])
    M = [[sum(a[i] * a[j] for a in A) for j in range(k)] + [sum(a[i] * b for a, b in zip(A, y))] for i in range(k)]  # noqa: B905
    for i in range(k):
        M[i] = [value / M[i][i] for value in M[i]]
        for j in range(k):
            if j != i:
                M[j] = [a - M[j][i] * b for a, b in zip(M[j], M[i], strict=True)]
    return [row[-1] for row in M]


@pytest.mark.parametrize("name", [*list(MOMENTS)[4:], *REGRESSIONS])
def test_the_data_are_those_that_nist_certifies(name):
    """Exact fractions of the numbers in strd.json give the certified values, to the last printed digit but one."""
    stored = json.loads(strd.OBSERVED.read_text())[name]
    y = exactly(stored["y"])
    if "mean" in stored:
        mean = sum(y) / len(y)
        variance = sum((value - mean) ** 2 for value in y) / (len(y) - 1)
        assert float(mean) == pytest.approx(stored["mean"], rel=10.0 ** (1 - PRINTED))
        assert float(variance) ** 0.5 == pytest.approx(stored["sd"], rel=10.0 ** (1 - PRINTED))
        return
    rows = [exactly(row if isinstance(row, list) else [row]) for row in stored["x"]]
    powers = range(1, stored.get("degree", 1) + 1)
    A = [[Fraction(1), *(value**k for value in row for k in powers)] for row in rows]
    found = [float(value) for value in solution(A, y)]
    assert found == pytest.approx(stored["beta"], rel=10.0 ** (1 - PRINTED))
