"""IPSO with differential privacy: what its releases are worth, and an audit of its noise.

`python benchmarks/studies/guarantee.py` prints both as they stand in docs/guarantee.md; status 1 where a goal is missed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri
from scipy.stats import norm

import pyfcrm as pf
from pyfcrm.methods.noisy_sums import PublicDesign, gaussian_delta, noise_multiplier, noisy

RECORDS, EPSILONS, DELTA = (10**3, 10**4, 10**5, 10**6), (0.1, 0.3, 1.0, 3.0, 10.0), 1e-6
NAMES, RELEASES = ("y1", "y2", "y3"), 5
GOAL = 2.0  # per cent, at n = 1e5 and epsilon 1
RUNS, LEVEL = 100_000, 1e-3  # of the auditor's lower bound


def simulated(n: int, kind: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """X (n, 3), uniform or normal, and Y (n, 3) at mean 0 and sd 1, each with correlations of at least .5 with the columns of X."""
    X = rng.uniform(-np.sqrt(3), np.sqrt(3), (n, 3)) if kind == "uniform" else rng.normal(size=(n, 3))
    slopes = np.array([[0.58, 0.53, 0.51], [0.51, 0.58, 0.53], [0.53, 0.51, 0.58]])
    return X, X @ slopes + rng.normal(size=(n, 3)) * np.sqrt(1 - (slopes**2).sum(axis=0))


def slopes_and_correlations(X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of the regression of Y on (1, X), and among the columns of Y."""
    coefficients = np.linalg.lstsq(np.column_stack([np.ones(len(X)), X]), Y, rcond=None)[0]
    return coefficients[1:], np.corrcoef(Y.T)[np.triu_indices(3, 1)]


def errors(n: int, kind: str, epsilon: float | None, width: float = 5.0) -> tuple[float, float]:
    """Median errors over RELEASES files: of a slope in per cent of it, and of a correlation. epsilon : None for plain IPSO-C."""
    of_slopes, of_correlations = [], []
    for k in range(RELEASES):
        X, Y = simulated(n, kind, np.random.default_rng(k))
        options = (
            {}
            if epsilon is None
            else {"epsilon": epsilon, "delta": DELTA, "clip": dict.fromkeys(NAMES, (-width, width))}
        )
        Z = pf.IPSO("C", **options).protect(X, Y, pf.RStream(k + 1))
        (b, r), (b_new, r_new) = slopes_and_correlations(X, Y), slopes_and_correlations(X, Z)
        of_slopes.append(100 * np.abs(b_new / b - 1).ravel())
        of_correlations.append(np.abs(r_new - r))
    return float(np.median(of_slopes)), float(np.median(of_correlations))


def utility() -> bool:
    """Prints the table; whether the goal is met."""
    met = True
    head = [*(f"epsilon {epsilon:g}" for epsilon in EPSILONS), "plain IPSO-C", "sampling"]
    print(f"| X, n | {' | '.join(head)} |\n|{' --- |' * (len(head) + 1)}")
    for kind in ("uniform", "normal"):
        for n in RECORDS:
            cells = [errors(n, kind, epsilon) for epsilon in (*EPSILONS, None)]
            if n == 10**5:
                met &= cells[EPSILONS.index(1.0)][0] <= GOAL
            sampling = 100 * ndtri(0.75) * np.sqrt(0.125 / n) / 0.53  # of a slope: median error against the population
            text = [f"{slope:.2g} / {correlation:.1g}" for slope, correlation in cells]
            print(f"| {kind}, {n:,} | {' | '.join(text)} | {sampling:.2g} |", flush=True)
    return met


def worst_neighbours(n: int, t: int) -> tuple[PublicDesign, np.ndarray, np.ndarray]:
    """A design, and values of two files that differ in the record of largest leverage, at opposite corners."""
    rng = np.random.default_rng(1)
    design = PublicDesign.of(rng.normal(size=(n, 1)))
    y = rng.uniform(-1, 1, (n, t))
    other, k = y.copy(), int((design.columns**2).sum(axis=1).argmax())
    y[k], other[k] = 1.0, -1.0
    return design, y, other


def audited_epsilon(
    runs: int, epsilon: float, delta: float, mechanism: Callable[..., np.ndarray] = noisy, t: int = 1
) -> float:
    """A lower bound, at level LEVEL, on the epsilon of the noisy sums at this delta, from their releases for worst neighbours.

    The area under the ROC of the likelihood ratio of the two files has an interval by DeLong; the Gaussian mechanism whose ROC
    has this area has the epsilon.
    """
    design, *files = worst_neighbours(50, t)
    sums = [design.sums(y) for y in files]
    direction = (sums[0] - sums[1]) / np.linalg.norm(sums[0] - sums[1])
    fixed = (design.sensitivity(t), design.rounding(t), noise_multiplier(epsilon, delta))
    scores = [np.array([mechanism(v, *fixed) @ direction for _ in range(runs)]) for v in sums]
    low = area_bound(*scores)
    mu = np.sqrt(2) * ndtri(low)  # the separation of two normals with this area
    if mu <= 0 or gaussian_delta(0.0, 1 / mu) <= delta:
        return 0.0
    return float(brentq(lambda e: gaussian_delta(e, 1 / mu) - delta, 0.0, 60.0))


def area_bound(above: np.ndarray, below: np.ndarray) -> float:
    """The lower bound of the area under the ROC, by DeLong's variance."""
    over = np.searchsorted(np.sort(below), above) / len(below)
    under = 1 - np.searchsorted(np.sort(above), below) / len(above)
    sd = np.sqrt(over.var(ddof=1) / len(above) + under.var(ddof=1) / len(below))
    return float(over.mean() - norm.isf(LEVEL) * sd)


def third_of_the_noise(vector: np.ndarray, sensitivity: float, rounding: float, multiplier: float) -> np.ndarray:
    """The mechanism with a planted error."""
    return noisy(vector, sensitivity, rounding, multiplier / 3)


def main() -> None:
    """Prints the audit and the table of utility."""
    met = True
    for epsilon in (0.1, 1.0, 3.0):
        found = audited_epsilon(RUNS, epsilon, DELTA)
        planted = audited_epsilon(RUNS // 10, epsilon, DELTA, third_of_the_noise)
        met &= found <= epsilon < planted
        print(
            f"stated epsilon {epsilon:g}: audited at least {found:.3f}; with a third of the noise {planted:.3f}",
            flush=True,
        )
    met &= utility()
    sys.exit(not met)


if __name__ == "__main__":
    main()
