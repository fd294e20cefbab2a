"""NIST's Statistical Reference Datasets: means, standard deviations and least squares to certified values.

Oracle: NIST StRD (www.itl.nist.gov/div898/strd, public domain), certified to 15 digits. NumAcc1-4 and Wampler1-5 are given there
by formulas, Longley by its 16 records. Close: as many correct digits (log relative error, LRE) as 64 bits leave after the
data's own conditioning, less one: eps |mean| / sd for a standard deviation, eps (k + k^2 |r| / (s |b|)) for least squares of
condition k, residual r, largest singular value s and solution b.
"""

import numpy as np
import pytest

from pyfcrm.numerics.design import design
from pyfcrm.numerics.location import location

EPS = np.finfo(float).eps
MOST = 15.0

# certified mean and sd (n - 1), and the data
MOMENTS = {
    "NumAcc1": (10000002.0, 1.0, np.array([10000001.0, 10000003.0, 10000002.0])),
    **{
        name: (mean, 0.1, np.array([mean, *[low, high] * 500]))
        for name, mean, low, high in (
            ("NumAcc2", 1.2, 1.1, 1.3),
            ("NumAcc3", 1000000.2, 1000000.1, 1000000.3),
            ("NumAcc4", 10000000.2, 10000000.1, 10000000.3),
        )
    },
}

HALF = [759, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 1838, -2048]
NOISE = np.array([*HALF, 2048, *HALF[::-1]], dtype=float)  # of Wampler3, times 100 and 10,000 of Wampler4 and 5
POWERS = np.arange(21.0)[:, None] ** np.arange(1, 6)

LONGLEY = np.array(
    [
        [60323, 83.0, 234289, 2356, 1590, 107608, 1947],
        [61122, 88.5, 259426, 2325, 1456, 108632, 1948],
        [60171, 88.2, 258054, 3682, 1616, 109773, 1949],
        [61187, 89.5, 284599, 3351, 1650, 110929, 1950],
        [63221, 96.2, 328975, 2099, 3099, 112075, 1951],
        [63639, 98.1, 346999, 1932, 3594, 113270, 1952],
        [64989, 99.0, 365385, 1870, 3547, 115094, 1953],
        [63761, 100.0, 363112, 3578, 3350, 116219, 1954],
        [66019, 101.2, 397469, 2904, 3048, 117388, 1955],
        [67857, 104.6, 419180, 2822, 2857, 118734, 1956],
        [68169, 108.4, 442769, 2936, 2798, 120445, 1957],
        [66513, 110.8, 444546, 4681, 2637, 121950, 1958],
        [68655, 112.6, 482704, 3813, 2552, 123366, 1959],
        [69564, 114.2, 502601, 3931, 2514, 125368, 1960],
        [69331, 115.7, 518173, 4806, 2572, 127852, 1961],
        [70551, 116.9, 554894, 4007, 2827, 130081, 1962],
    ]
)
LONGLEY_CERTIFIED = [
    -3482258.63459582, 15.0618722713733, -0.0358191792925910, -2.02022980381683, -1.03322686717359, -0.0511041056535807,
    1829.15146461355,
]  # fmt: skip


def wampler(ratio: float, noise: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    certified = ratio ** np.arange(6)
    return POWERS, certified[0] + POWERS @ certified[1:] + noise * NOISE, certified


REGRESSIONS = {
    "Wampler1": wampler(1.0, 0),
    "Wampler2": wampler(0.1, 0),
    "Wampler3": wampler(1.0, 1),
    "Wampler4": wampler(1.0, 100),
    "Wampler5": wampler(1.0, 10_000),
    "Longley": (LONGLEY[:, 1:], LONGLEY[:, 0], np.array(LONGLEY_CERTIFIED)),
}
LEAST = {"Wampler4": 7, "Wampler5": 5}  # residuals so large that 64 bits leave no more; 9 elsewhere


def lre(found: np.ndarray | float, certified: np.ndarray | float) -> float:
    """The least number of correct digits."""
    error = np.max(np.abs(np.asarray(found) - certified) / np.abs(certified))
    return MOST if error == 0 else min(MOST, -np.log10(error))


def digits(X: np.ndarray, found: np.ndarray, certified: np.ndarray) -> float:
    """The correct digits of the solution as a whole, each coefficient in the size of its column."""
    size = np.linalg.norm(np.column_stack([np.ones(len(X)), X]), axis=0)
    error = np.linalg.norm((found - certified) * size) / np.linalg.norm(certified * size)
    return MOST if error == 0 else min(MOST, -np.log10(error))


def allowed(X: np.ndarray, y: np.ndarray, certified: np.ndarray) -> float:
    """The digits that the conditioning of least squares leaves, its columns at norm 1."""
    A = np.column_stack([np.ones(len(X)), X])
    size = np.linalg.norm(A, axis=0)
    s = np.linalg.svd(A / size, compute_uv=False)
    k, left = s[0] / s[-1], np.linalg.norm(y - A @ certified)
    return min(MOST, -np.log10(EPS * (k + k**2 * left / (s[0] * np.linalg.norm(certified * size)))))


@pytest.mark.parametrize("name", MOMENTS)
def test_means_and_standard_deviations(name: str) -> None:
    mean, sd, x = MOMENTS[name]
    where = location(x[:, None], ddof=1)
    assert lre(where.origin[0] + where.offset[0], mean) >= 14
    assert lre(where.sd[0], sd) >= min(MOST, -np.log10(EPS * (1 + mean / sd))) - 1


@pytest.mark.parametrize("name", REGRESSIONS)
def test_least_squares(name: str) -> None:
    X, y, certified = REGRESSIONS[name]
    D = design(X)
    found = D.back @ (D.columns.T @ y)
    assert digits(X, found, certified) >= allowed(X, y, certified) - 1
    assert lre(found, certified) >= LEAST.get(name, 9)


def test_the_digits_are_counted() -> None:
    """Against a count that would pass everything: the textbook formulas lose what is known to be lost."""
    _, sd, x = MOMENTS["NumAcc4"]
    with np.errstate(invalid="ignore"):
        naive = np.sqrt((np.sum(x**2) - np.sum(x) ** 2 / len(x)) / (len(x) - 1))
    assert np.isnan(naive) or lre(naive, sd) < 7
    X, y, certified = REGRESSIONS["Longley"]
    A = np.column_stack([np.ones(len(X)), X])
    assert digits(X, np.linalg.solve(A.T @ A, A.T @ y), certified) < allowed(X, y, certified) - 1
