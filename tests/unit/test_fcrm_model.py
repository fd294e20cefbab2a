"""FCRM(release="model"): what it draws, says and refuses. Identical unless a test says otherwise."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm import FCRM, RStream

MODEL = FCRM(c=None, release="model")


def notes_of(X, Y, method=MODEL, seed=1):
    notes = []
    return method.protect(X, Y, RStream(seed), notes.append), [str(note) for note in notes]


def heaped(n=600, seed=1):
    """Zeros together, whole numbers, a negative column and a near identity."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 5, n)])
    none = rng.random(n) < 1 / (1 + np.exp(X[:, 0]))
    sales = np.where(none, 0.0, np.rint(np.exp(5 + X[:, 0] + 0.5 * rng.normal(size=n))))
    cost = np.where(none, 0.0, np.rint(sales * (0.5 + 0.1 * rng.random(n))) + 1)
    return X, np.column_stack([sales, cost, rng.normal(size=n) - X[:, 1], sales - cost + np.rint(rng.normal(size=n))])


@pytest.mark.slow
def test_heaps_stand_together_as_often_as_in_the_original():
    X, Y = heaped()
    Z, notes = notes_of(X, Y)
    assert ((Z[:, 0] == 0) == (Z[:, 1] == 0)).all()
    assert (Z[:, 0] == 0).sum() == (Y[:, 0] == 0).sum()
    assert any("point masses, drawn" in note for note in notes)
    assert any("clusters chosen by BIC" in note for note in notes)


@pytest.mark.parametrize("n", [20, 29, 38, 60])
@pytest.mark.parametrize("c", [None, 2])
def test_a_column_of_two_values_keeps_both_counts(n, c):
    """Identical: where every original is on a point mass, no released record is off both. An IndexError before."""
    y = np.resize([0.0, 1.0], n)
    Z, _ = notes_of(np.random.default_rng(0).normal(size=(n, 1)), y[:, None], FCRM(c, release="model"))
    np.testing.assert_array_equal(np.sort(Z[:, 0]), np.sort(y))


def test_the_model_forgets_whose_y_was_whose():
    """Y in another order among records of one x: the same model (c = 1: the sums are the same but for rounding)."""
    X, Y = heaped()
    X = np.repeat(X[:300], 2, axis=0)
    Y = Y[:, 2:3]
    twin = Y.reshape(300, 2)[:, ::-1].reshape(600, 1)
    one, other = (FCRM(1, release="model").protect(X, each, RStream(3)) for each in (Y, twin))
    np.testing.assert_allclose(one, other, atol=1e-9)


@pytest.mark.parametrize("n", [3, 4, 5, 7, 11, 30])
@pytest.mark.parametrize("c", [None, 5])
def test_few_records_get_fewer_clusters_and_a_note(n, c):
    rng = np.random.default_rng(n)
    Z, notes = notes_of(rng.normal(size=(n, 2)), rng.normal(size=(n, 3)), FCRM(c, release="model"))
    assert np.isfinite(Z).all()
    assert c is None or any("5 clusters requested" in note for note in notes)


@pytest.mark.slow
@pytest.mark.parametrize(
    "spoil",
    [
        lambda X, Y: (X[:, :0], Y),
        lambda X, Y: (np.ones_like(X), Y),
        lambda X, Y: (np.hstack([X, 2 * X, X.sum(axis=1, keepdims=True)]), Y),
        lambda X, Y: (X, np.hstack([Y, Y, -3 * Y])),
        lambda X, Y: (X, np.ones_like(Y)),
        lambda X, Y: (X, (Y > 0).astype(float)),
        lambda X, Y: (X, np.where(Y > 2.5, Y, 0.0)),
        lambda X, Y: (X, X.copy()),
        lambda X, Y: (X * 1e90, Y * 1e95),
        lambda X, Y: (X * 1e-90, Y * 1e-95),
    ],
)
@pytest.mark.parametrize("c", [None, 3])
def test_odd_columns_are_no_special_case(spoil, c):
    rng = np.random.default_rng(7)
    X, Y = spoil(rng.normal(size=(200, 2)), rng.normal(size=(200, 2)))
    Z, _ = notes_of(X, Y, FCRM(c, release="model"))
    assert Z.shape == Y.shape
    assert np.isfinite(Z).all()
    constant = np.ptp(Y, axis=0) == 0
    assert (Z[:, constant] == Y[:, constant]).all()


@pytest.mark.slow
def test_strata_whole_numbers_and_calibration_go_with_it():
    X, Y = heaped(400)
    frame = pd.DataFrame({"x": X[:, 0], "k": X[:, 1].astype(int), "part": np.arange(400) % 2})
    frame = frame.assign(sales=Y[:, 0].astype(int), cost=Y[:, 1].astype(int), net=Y[:, 2])
    roles = pf.Roles(["x", "k"], ["sales", "cost", "net"])
    for method in (MODEL, pf.Calibrated(MODEL, margins="original")):
        release = pf.protect(frame, method, roles, seed=1, strata=["part"]).frame
        again = pf.protect(frame, method, roles, seed=1, strata=["part"]).frame
        pd.testing.assert_frame_equal(release, again)
        assert (release.dtypes == frame.dtypes).all()
        assert np.isfinite(release.to_numpy(float)).all()
