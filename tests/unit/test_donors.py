"""Donors near in X: against a brute-force table of chances, with ties shared. FCRM's draw by hand."""

import numpy as np
import pytest
from support.data import cloud

from pyfcrm import FCRM, RStream
from pyfcrm.methods.donors import donors_near
from pyfcrm.methods.work import Run

rng = np.random.default_rng(0)
FILES = {
    "continuous": (rng.normal(size=(30, 2)), 5),
    "lattice": (rng.integers(0, 4, size=(30, 2)).astype(float), 5),
    "line": (np.arange(12.0)[:, None], 3),
    "two categories": (rng.integers(0, 2, size=(20, 1)).astype(float), 3),
    "few records": (rng.normal(size=(4, 2)), 50),
    "two records": (np.array([[0.0], [1.0]]), 50),
    "no columns": (np.zeros((7, 0)), 3),
    "constant": (np.ones((6, 2)), 2),
    # Six neighbours at one distance, four wanted: more places tie than the tree is asked for.
    "cube": (np.array(np.meshgrid(*[range(4)] * 3), dtype=float).reshape(3, -1).T, 4),
}


def chances(X, k):
    """(n, n) the chance of each donor: 1/k for the nearer ones, what is left of 1 shared by those tied for last place."""
    n, sd = len(X), X.std(axis=0, ddof=1)
    Z, k = X / np.where(sd > 0, sd, 1), min(k, len(X) - 1)
    P = np.zeros((n, n))
    for i in range(n):
        d = np.sqrt(((Z - Z[i]) ** 2).sum(axis=1))
        d[i] = np.inf
        last = np.sort(d)[k - 1]
        nearer, tied = d < last - 1e-9, np.abs(d - last) <= 1e-9
        P[i, nearer] = 1 / k
        P[i, tied] = (1 - nearer.sum() / k) / tied.sum()
    return P


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_every_donor_has_its_chance(name):
    """Oracle: `chances`. Statistical: 400 rounds, 5 standard errors (1 in 10^6 each); where the chance is 0, never."""
    X, k = FILES[name]
    P, stream, rounds = chances(X, k), RStream(1), 400
    seen = np.zeros_like(P)
    for _ in range(rounds):
        seen[np.arange(len(X)), donors_near("FCRM", X, k, stream)] += 1
    assert not seen[P == 0].any()
    # Half a draw more, for the normal approximation at small chances.
    assert (np.abs(seen / rounds - P) <= 5 * np.sqrt(P * (1 - P) / rounds) + 1 / rounds).all()


@pytest.mark.slow
@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("basis", ["linear", "rbf"])
def test_a_draw_is_the_donors_prediction_here_and_its_residual(joint, intercept, basis):
    """Oracle: the fits and donors of the same stream, put together with loops. Close: another order of sums."""
    X, Y = cloud(60, 2, 2, 1)
    method = FCRM(3, joint=joint, intercept=intercept, basis=basis, release="draw", donors=7)
    released = method.protect(X, Y, RStream(5))
    stream = RStream(5)
    fits = method.fits(X, Y, Run(stream))
    donor = donors_near("FCRM", X, 7, stream)
    A = X if basis == "linear" else fits[0].radial.columns(X)
    A = np.column_stack([np.ones(60), A]) if intercept else A
    expected = np.empty_like(Y)
    for i, d in enumerate(donor):
        for j in range(2):
            fit = fits[0 if joint else j]
            line = fit.coef[fit.labels[d]][:, j if joint else 0]
            expected[i, j] = A[i] @ line + (Y[d, j] - A[d] @ line)
    np.testing.assert_allclose(released, expected, rtol=0, atol=1e-8 * Y.std(axis=0).max())


def test_its_own_value_does_not_decide():
    """Two groups of y at the same x: the release says no more of a record's group than chance. Statistical.

    2000 records, 8 values of x; as published every record keeps its group, by a draw half of them do (4 sd: 0.045).
    """
    maker = np.random.default_rng(2)
    X = maker.integers(0, 8, size=(2000, 1)).astype(float)
    group = maker.integers(0, 2, size=2000)
    Y = (X[:, 0] + 100 * group + maker.normal(size=2000))[:, None]

    def kept(release):
        Z = FCRM(2, release=release).protect(X, Y, RStream(1))
        return ((Z[:, 0] > 53) == (group == 1)).mean()

    assert kept("predict") > 0.99
    assert abs(kept("draw") - 0.5) < 0.045


def test_whole_donors_are_noted():
    """Where x has few values a donor is as its receiver: its values leave whole, and that is said."""
    X, Y = np.repeat([[0.0], [1.0]], 30, axis=0), cloud(60, 1, 2, 1)[1]
    notes = []
    Z = FCRM(2, release="draw", donors=5).protect(X, Y, RStream(1), notes.append)
    assert "60 of 60 records have a donor with the same independent values, and take its values whole" in notes
    assert all((np.isclose(z, Y)).all(axis=1).any() for z in Z)
