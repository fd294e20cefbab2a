"""combine(): 95 per cent intervals from copies of simulated files must cover the truth that made the files 95 times in 100.

Oracle: the coefficients that the files are simulated with. Statistical: of 1,000 files 930 to 970 intervals cover, which is
2.9 standard errors either way; by hand `python tests/known_truth/test_combine.py` counts them for every row of CASES.
"""

import numpy as np
import pytest

import pyfcrm as pf
from pyfcrm.evaluation.utility.combining import Estimates, combined
from pyfcrm.numerics.least_squares import least_squares

SLOPES = np.array([[1.0, -0.5], [0.5, 2.0]])  # of two dependents on two independents
NOISE = np.array([[1.0, 0.6], [0.6, 2.0]])
TERMS = ("(Intercept)", "a", "b")


def simulated(n, rng):
    X = rng.normal(size=(n, 2)) + 3
    return X, 1 + X @ SLOPES + rng.multivariate_normal([0, 0], NOISE, size=n)


def on_x(X, Y):
    return least_squares("test", X, Y[:, 0]), np.array([1.0, *SLOPES[:, 0]])


def on_y(X, Y):
    """The first dependent on the second, X being left out of the file: its slope in the population."""
    cross = SLOPES.T @ SLOPES + NOISE
    slope = cross[0, 1] / cross[1, 1]
    means = 1 + 3 * SLOPES.sum(axis=0)
    return least_squares("test", Y[:, 1:], Y[:, 0]), np.array([means[0] - slope * means[1], slope])


class Proper:
    """GADP with its parameters drawn from their posterior (a flat one), as proper synthesis does."""

    def protect(self, X, Y, stream):
        A = np.column_stack([np.ones(len(X)), X])
        B, *_ = np.linalg.lstsq(A, Y, rcond=None)
        R, free, t = Y - A @ B, len(A) - A.shape[1], Y.shape[1]
        normals = stream.rnorm(free * t).reshape(free, t) @ np.linalg.cholesky(np.linalg.inv(R.T @ R)).T
        L = np.linalg.cholesky(np.linalg.inv(normals.T @ normals))  # of an inverse Wishart
        T = np.linalg.cholesky(np.linalg.inv(A.T @ A))
        B = B + T @ stream.rnorm(A.shape[1] * t).reshape(-1, t) @ L.T
        return A @ B + stream.rnorm(len(A) * t).reshape(-1, t) @ L.T


# method, records, copies, analysis, rule, whether X explains in the synthesis
CASES = {
    "partial, GADP, 5 copies": (pf.GADP(), 200, 5, on_x, "partial", True),
    "partial, GADP, 20 copies": (pf.GADP(), 200, 20, on_x, "partial", True),
    "partial, IPSO-B keeps the fit": (pf.IPSO("B"), 200, 3, on_x, "partial", True),
    "partial, IPSO-C keeps the fit": (pf.IPSO("C"), 200, 3, on_x, "partial", True),
    "partial, nothing kept": (pf.GADP(), 200, 10, on_y, "partial", False),
    "simple, 1 copy": (pf.GADP(), 200, 1, on_x, "simple", True),
    "simple, 1 copy, nothing kept": (pf.GADP(), 200, 1, on_y, "simple", False),
    "simple, 3 copies, nothing kept": (pf.GADP(), 200, 3, on_y, "simple", False),
    "proper, 1 copy": (Proper(), 200, 1, on_x, "proper", True),
    "proper, 5 copies": (Proper(), 200, 5, on_x, "proper", True),
    "exact, 1 copy of 12 records": (pf.GADP(), 12, 1, on_x, "exact", True),
    "exact, 1 copy of 60 records": (pf.GADP(), 60, 1, on_x, "exact", True),
    "exact, 4 copies of 12 records": (pf.GADP(), 12, 4, on_x, "exact", True),
}


def coverage(case, files, seed=1):
    """For each coefficient how many per cent of intervals cover, over so many files."""
    method, n, copies, analysis, rule, explained = CASES[case]
    rng, stream, hits = np.random.default_rng(seed), pf.RStream(seed), 0
    for _ in range(files):
        X, Y = simulated(n, rng)
        value = X if explained else np.empty((n, 0))
        drawn = [method.protect(value, Y, stream) for _ in range(copies)]
        fits = [analysis(X, Z)[0] for Z in drawn]
        truth = analysis(X, Y)[1]
        result = [Estimates(TERMS[: len(truth)], fit.coef, fit.se, fit.records, fit.freedom) for fit in fits]
        output = combined(result, rule, by_default=False)
        hits = hits + ((output.low <= truth) & (truth <= output.high))
    return 100 * hits / files


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CASES if "20 copies" not in case])
def test_intervals_cover(case):
    """300 files: 95 +- 3 standard errors of 1.26."""
    assert (np.abs(coverage(case, 300) - 95) < 3.8).all(), case


def test_without_the_rule_intervals_would_not_cover():
    """The copy's own intervals, as if it were the original, cover about 83 in 100 for one GADP copy (1.96 / sqrt(2) sd)."""
    rng, stream, hits = np.random.default_rng(3), pf.RStream(3), 0
    for _ in range(200):
        X, Y = simulated(60, rng)
        fit, truth = on_x(X, pf.GADP().protect(X, Y, stream))
        hits = hits + ((fit.low <= truth) & (truth <= fit.high))
    assert (100 * hits / 200 < 91).all()


if __name__ == "__main__":
    for case in CASES:
        print(f"{case:35s}", *(f"{share:5.1f}" for share in coverage(case, 1000)), flush=True)
