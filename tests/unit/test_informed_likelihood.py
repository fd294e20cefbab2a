"""Linkage by who knows the model of a release: regression on the kept columns, noise of known size, groups of records."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from support.data import (
    S1_DEPENDENT,
    S1_INDEPENDENT,
    S2_DEPENDENT,
    S2_INDEPENDENT,
    census_columns,
    cloud,
    requires_census,
)

import pyfcrm as pf
from pyfcrm.linkage.informed import Attack, MixtureLikelihood, NormalLikelihood, linked
from pyfcrm.methods.method import NO_ROLES
from pyfcrm.rstream import RStream

NORMAL = [
    (pf.IPSO("C"), 0.0, lambda S: S),
    (pf.EGADP(), 0.0, lambda S: S),
    (pf.Hybrid("regression", 0.4), 0.4, lambda S: (1 - 0.16) * S),
    (pf.Noise("correlated", 50), 1.0, None),
    (pf.Noise("uncorrelated", 50), 1.0, None),
]


def share_of(scores):
    """1/t by original, pair by pair; ties to 1e-7."""
    top = scores >= scores.max(axis=1, keepdims=True) - 1e-7
    return np.diag(top) / top.sum(axis=1)


def regression(X, Y):
    D = np.column_stack([np.ones(len(X)), X])
    P = D @ np.linalg.lstsq(D, Y, rcond=None)[0]
    return P, (Y - P).T @ (Y - P) / len(X)


def total(Y):
    return np.cov(Y.T, ddof=0)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "kept", "noise"), NORMAL, ids=lambda one: "" if callable(one) else str(one))
def test_normal_likelihoods_by_scipy(method, kept, noise):
    """Oracle: scipy's density of (y, z) given x over that of z given x, pair by pair. Identical links."""
    X, Y = cloud(70, 2, 3, seed=1)
    Z = method.protect(X, Y, RStream(2))
    P, S_z = regression(X, Z)
    if noise is not None:
        S_y = S_z if kept else S_z / 1.0
        N = noise(S_y)
    else:
        T = total(Z) / (1 + 0.25)
        N = 0.25 * (T if method.kind == "correlated" else np.diag(np.diag(T)))
        S_y = S_z - N
    both = np.block([[S_y, kept * S_y], [kept * S_y, kept * kept * S_y + N]])
    joint, alone = (multivariate_normal(cov=C, allow_singular=True) for C in (both, kept * kept * S_y + N))
    S = np.array(
        [[joint.logpdf(np.r_[y - p, z - p]) - alone.logpdf(z - p) for p, z in zip(P, Z, strict=True)] for y in Y]
    )
    found = linked(method.facts(NO_ROLES).attacks[0].scores(X, Y, Z), len(Y))
    np.testing.assert_allclose(found.share, share_of(S))
    np.testing.assert_array_equal(found.candidates, (S.max(axis=1, keepdims=True) - np.log(100) <= S).sum(axis=1))


@pytest.mark.slow
def test_x_alone_by_leaving_each_record_out():
    """Oracle: n regressions, each without one record, and scipy's normal density. Identical."""
    X, Y = cloud(60, 2, 3, seed=3)
    n, hits = len(X), 0.0
    for i in range(n):
        others = np.arange(n) != i
        D = np.column_stack([np.ones(n), X])
        B = np.linalg.lstsq(D[others], Y[others], rcond=None)[0]
        R = Y[others] - D[others] @ B
        S = np.array([multivariate_normal(D[k] @ B, R.T @ R / (n - 1)).logpdf(Y[i]) for k in range(n)])
        hits += (S[i] >= S.max() - 1e-9) / (S.max() - 1e-9 <= S).sum()
    assert Attack().baseline(X, Y) == pytest.approx(100 * hits / n, abs=1e-9)
    assert Attack().baseline(np.empty((n, 0)), Y) == 0


def test_laplace_and_factors_by_hand():
    """Oracle: sums of absolute differences; signs, zeros and a normal prior of logarithms, pair by pair. Identical."""
    rng = np.random.default_rng(5)
    Y = np.column_stack([rng.normal(size=50), np.exp(rng.normal(size=50)) * rng.choice([-1, 0, 1], size=50)])
    method = pf.Noise("laplace", 40)
    Z = method.protect(np.empty((50, 0)), Y, RStream(1))
    scale = 0.4 * Y.std(axis=0, ddof=1) / np.sqrt(2)
    S = np.array([[-np.abs((y - z) / scale).sum() for z in Z] for y in Y])
    np.testing.assert_allclose(linked(method.facts(NO_ROLES).attacks[0].scores(Y[:, :0], Y, Z), 50).share, share_of(S))
    method, v = pf.Noise("multiplicative", 30), np.log1p(0.09)
    Z = method.protect(np.empty((50, 0)), Y, RStream(1))
    prior = []
    for z in Z.T:
        own = np.log(np.abs(z[z != 0]))
        prior.append((own.mean() + v / 2, own.var() - v, own.mean()))

    def of(y, z):
        if (np.sign(y) != np.sign(z)).any():
            return -np.inf
        value = 0.0
        for a, b, (mean, spread, middle) in zip(y, z, prior, strict=True):
            if a:
                w = spread / (spread + v)
                value -= (np.log(abs(a)) - mean - w * (np.log(abs(b)) - middle)) ** 2 / (2 * w * v)
        return value

    found = linked(method.facts(NO_ROLES).attacks[0].scores(Y[:, :0], Y, Z), 50)
    np.testing.assert_allclose(found.share, share_of(np.array([[of(y, z) for z in Z] for y in Y])))


@pytest.mark.parametrize("kind", ["mdav", "vmdav", "zscores", "pca"])
@pytest.mark.parametrize("scale", ["variance", None])
def test_centroids_by_hand(kind, scale):
    """Oracle: the nearest released record of all, pair by pair, its group as large as the copies of it. Identical."""
    _, Y = cloud(60, 2, 3, seed=4)
    method = pf.Microaggregation(4, kind=kind, scale=scale)
    Z = method.protect(np.empty((60, 0)), Y, RStream(1))
    unit = Y.std(axis=0) if scale or kind == "zscores" else np.ones(3)
    d = np.array([[(((y - z) / unit) ** 2).sum() for z in Z] for y in Y])
    nearest = [np.flatnonzero((Z[row.argmin()] == Z).all(axis=1)) for row in d]
    found = linked(method.facts(NO_ROLES).attacks[0].scores(Y[:, :0], Y, Z), 60)
    np.testing.assert_allclose(found.share, [(i in group) / len(group) for i, group in enumerate(nearest)])
    np.testing.assert_array_equal(found.candidates, [len(group) for group in nearest])


def test_residuals_from_predictions_by_hand():
    """Oracle: squared differences over what the predictions leave of each variance, pair by pair. Identical."""
    X, Y = cloud(80, 2, 3, seed=7)
    method = pf.FCRM(2)
    Z = method.protect(X, Y, RStream(1))
    left = Y.var(axis=0, ddof=1) - Z.var(axis=0, ddof=1)
    S = np.array([[-(((y - z) ** 2) / left).sum() / 2 for z in Z] for y in Y])
    np.testing.assert_allclose(linked(method.facts(NO_ROLES).attacks[-1].scores(X, Y, Z), 80).share, share_of(S))


@pytest.mark.slow
def test_a_mixture_of_two_regressions():
    """Oracle: the density of the mixture that the file is drawn from, by scipy. Statistical: as many links, within 5
    points, and more than one regression finds; with one component it is that regression. The yardstick, of which each
    record is left out, finds no more than the mixture fitted to all."""
    rng, n = np.random.default_rng(9), 400
    X, which = rng.normal(size=(n, 1)), rng.random(n) < 0.5
    sd = np.where(which, 0.05, 1.0)[:, None]
    Y = np.where(which[:, None], 3 * X, -X) + sd * rng.normal(size=(n, 2))
    pairs = ((3, 0.05**2), (-1, 1.0))
    close, wide = (
        np.column_stack([multivariate_normal([b * x] * 2, v * np.eye(2)).logpdf(Y) for x in X[:, 0]]) for b, v in pairs
    )
    truth = 100 * share_of(np.logaddexp(close, wide)).mean()
    found = linked(MixtureLikelihood(2).scores(X, Y, Y), n).linked
    assert found == pytest.approx(truth, abs=5)
    single = linked(MixtureLikelihood(1).scores(X, Y, Y), n)
    assert single.linked == pytest.approx(linked(NormalLikelihood().scores(X, Y, Y), n).linked, abs=1)
    assert found > single.linked + 5
    assert MixtureLikelihood(2).baseline(X, Y) == pytest.approx(truth, abs=5)


@requires_census
@pytest.mark.parametrize(
    ("which", "printed"), [((S1_INDEPENDENT, S1_DEPENDENT), 11), ((S2_INDEPENDENT, S2_DEPENDENT), 10)]
)
def test_ipso_on_the_census(which, printed):
    """The yardstick's figures. Close: within 2 points; what X alone tells is as much."""
    X, Y = census_columns(*which[0]), census_columns(*which[1])
    method = pf.IPSO("C")
    found = linked(method.facts(NO_ROLES).attacks[0].scores(X, Y, method.protect(X, Y, RStream(1))), len(Y))
    assert found.linked == pytest.approx(printed, abs=2)
    assert Attack().baseline(X, Y) == pytest.approx(printed, abs=2)
