"""Linkage by the boxes of fuzzy c-regression's predictions. Oracle: the fit that made the release, which the attack does
not see, and loops over pairs."""

import numpy as np
import pytest
from support.data import cloud

import pyfcrm as pf
from pyfcrm.linkage.informed import PredictionBoxes, PredictionLikelihood, linked
from pyfcrm.linkage.informed.mixture import intervals
from pyfcrm.methods.work import Run
from pyfcrm.numerics.design import design
from pyfcrm.rstream import RStream


def clustered(n, t):
    """Records about two lines far apart."""
    X, Y = cloud(n, 2, t, seed=1)
    rng = np.random.default_rng(2)
    side = rng.random((n, t)) < 0.5
    return X, np.where(side, 5 + X[:, :1], -5 - 2 * X[:, 1:]) + 0.5 * Y


@pytest.mark.parametrize("whole", [False, True])
def test_the_intervals_are_those_of_the_fits(whole):
    """Oracle: which prediction of the true fits is nearest. Close: what the intervals
    are widened by, 1e-7 of a sd, which is some 20 000; where values are rounded one unit, and what the lines then miss."""
    X, Y = clustered(150, 2)
    Y = 1000 * Y
    method, Q = pf.FCRM(2), design(X).columns
    Z = method.protect(X, Y, RStream(3))
    fits = method.fits(X, Y, Run(RStream(3)))
    for j, fit in enumerate(fits):
        P = np.column_stack([np.column_stack([np.ones(len(X)), X]) @ b[:, 0] for b in fit.coef])
        z = np.rint(Z[:, j]) if whole else Z[:, j]
        middle = P.mean(axis=1)
        upper = P.argmax(axis=1) == fit.labels
        apart = np.abs(P[:, 0] - P[:, 1]) > 10
        low, high = intervals(Q, z, 2, np.arange(150))
        close = {"rtol": 0, "atol": 3.0 if whole else 1e-2}
        np.testing.assert_allclose(low[upper & apart], middle[upper & apart], **close)
        np.testing.assert_allclose(high[~upper & apart], middle[~upper & apart], **close)
        assert np.isneginf(low[~upper & apart]).all()
        assert np.isposinf(high[upper & apart]).all()
        assert ((low <= Y[:, j]) & (Y[:, j] <= high)).all(), "an original lies outside of its own box"


def test_links_by_loops():
    """Oracle: the likeliest residuals among the records in whose boxes an original lies, pair by pair. Identical."""
    X, Y = clustered(120, 2)
    Z = pf.FCRM(2).protect(X, Y, RStream(3))
    S = PredictionLikelihood().scores(X, Y, Z).block(slice(0, 120))
    boxes = [intervals(design(X).columns, z, 2, np.arange(120)) for z in Z.T]
    for i in range(120):
        for k in range(120):
            if not all(low[k] <= Y[i, j] <= high[k] for j, (low, high) in enumerate(boxes)):
                S[i, k] = -np.inf
    top = S.max(axis=1, keepdims=True) - 1e-9 <= S
    found = linked(PredictionBoxes(2).scores(X, Y, Z), 120)
    np.testing.assert_allclose(found.share, np.diag(top) / top.sum(axis=1))
    alone = linked(PredictionLikelihood().scores(X, Y, Z), 120)
    assert found.linked >= alone.linked
    assert found.candidates.sum() < alone.candidates.sum()
