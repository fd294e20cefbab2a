"""A planted mixture: what FCRM(release="model") must find and give back. Statistical, at fixed seeds."""

import numpy as np
import pytest
from support.data import switching

import pyfcrm as pf
from pyfcrm import FCRM, RStream


def test_a_model_keeps_the_mixture_and_forgets_the_record():
    """Two lines, y = x and y = 50 - x, a coin for each record: both lines in the same shares, a record keeps its own as
    often as a coin says (0.5, 4 sd = 0.05), and residuals are the true noise within a fifth: scores bend it a little."""
    data = switching(1600, [[0, 1], [50, -1]], 0.5, 1)
    notes = []
    Z = FCRM(None, release="model").protect(data.X, data.y[:, None], RStream(1), notes.append)[:, 0]
    away = np.abs(Z[:, None] - np.column_stack([np.ones(1600), data.X]) @ data.lines.T)
    line = away.argmin(axis=1)
    assert abs((line == data.labels).mean() - 0.5) < 0.05
    assert abs(line.mean() - data.labels.mean()) < 0.07
    assert np.median(away.min(axis=1)) < 2 * 0.67 * 0.5


@pytest.mark.slow
def test_the_gate_is_known_by_x():
    """Three groups of customers whose slopes differ in sign: the correlation of debt and deposits, and each one's with age,
    within 0.06 of the original's (4 standard errors at n = 4,000)."""
    frame = pf.datasets.accounts(4000)
    kept, amounts = ["AGE", "INCOME", "RISK"], ["DEPOSITS", "DEBT", "RETURN"]
    X, Y = frame[kept].to_numpy(float), frame[amounts].to_numpy(float)
    Z = FCRM(None, release="model").protect(X, Y, RStream(1))
    before, after = (np.corrcoef(np.hstack([X, A]).T) for A in (Y, Z))
    assert np.abs(before - after).max() < 0.06
    plain = pf.IPSO("C").protect(X, Y, RStream(1))

    def signs(A):
        return np.mean((A[:, 2] < 0) & (A[:, 1] > A[:, 0]))

    assert abs(signs(Z) - signs(Y)) < 0.03 < abs(signs(plain) - signs(Y))


@pytest.mark.slow
def test_members_are_not_nearer_than_strangers():
    """Half of a file is released: its records lie no nearer to the release, by ranks of Y, than those of the other half do.
    AUC 50 of 1,500 against 1,500 has a standard error of 1.1: below 53.5."""
    frame = pf.datasets.accounts(3000)
    X = frame[["AGE", "INCOME", "RISK"]].to_numpy(float)
    Y = frame[["DEPOSITS", "DEBT", "FLOW", "RETURN"]].to_numpy(float)
    Z = FCRM(None, release="model").protect(X[:1500], Y[:1500], RStream(1))
    ranks = np.column_stack([np.searchsorted(np.sort(y), np.r_[y, z]) for y, z in zip(Y.T, Z.T, strict=True)])
    every, out = ranks[:3000].astype(float), ranks[3000:].astype(float)
    nearest = np.array([((out - one) ** 2).sum(axis=1).min() for one in every])
    inside, outside = nearest[:1500], np.sort(nearest[1500:])
    auc = 1 - np.searchsorted(outside, inside).mean() / 1500
    assert auc < 0.535
