"""UM, CM3, correlations, IL1, IL1s and eigenvalues: numpy's plainest words, and cases by hand."""

import math

import numpy as np
import pytest
from support import brute_measures
from support.brute import columns, sd

from pyfcrm.measures.cm3 import cm3
from pyfcrm.measures.correlation import correlation_difference, eigen
from pyfcrm.measures.il1 import il1, il1s
from pyfcrm.measures.um import um


def two(n: int, p: int, seed: int, noise: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.gamma(2.0, size=(n, p)) * np.arange(1, p + 1) + rng.normal(size=(n, 1))
    return X, X + noise * rng.normal(size=(n, p))


@pytest.mark.parametrize(("n", "p"), [(5, 2), (50, 3), (50, 6)])
def test_um_equals_the_formula(n, p):
    """Oracle: numpy's cov and eig. Close."""
    X, Z = two(n, p, seed=p, noise=3)
    assert um(X, Z).total == pytest.approx(brute_measures.um(X, Z), abs=1e-9)
    assert um(X, Z[::-1]).total == pytest.approx(um(X, Z).total)


def test_um_by_hand():
    """Variances (3, 1) become (1, 3) along the same axes: a = (3/4, 1/4), b = (1/4, 3/4), so 1 - min(1, 4) = 0. Close."""
    X = np.array([[-1.0, 0], [1, 0], [0, -1], [0, 1]]) * [math.sqrt(3), 1]
    assert um(X, X[:, ::-1]).total == pytest.approx(0)
    # (3, 1) to (2, 2): off 2/16, room 2/16; to (5, 3): a - b = 1/8, off 2/64.
    assert um(X, X / [math.sqrt(3), 1]).total == pytest.approx(0)
    assert um(X, X * [math.sqrt(5 / 3), math.sqrt(3)]).total == pytest.approx(1 - (2 / 64) / (2 / 16))


def test_um_does_not_hang_on_which_eigenvectors_were_found():
    """Two attributes of X vary alike, two not at all: any rotation within each pair says the same. Close: rounding."""
    X = np.array([[2.0, 1, 0, 0], [-2, 1, 0, 0], [1, -2, 0, 0], [-1, -2, 0, 0], [0, 2, 0, 0], [0, 0, 0, 0]])
    X[:, :2] = np.linalg.qr(X[:, :2] - X[:, :2].mean(axis=0))[0]
    Z = np.random.default_rng(3).normal(size=(30, 4)) * [1, 2, 3, 4]
    turn = np.kron(np.eye(2), [[0.6, -0.8], [0.8, 0.6]])
    assert um(X, Z @ turn).total == pytest.approx(um(X, Z).total, abs=1e-9)


def test_um_where_nothing_varies():
    """A release without variance says nothing, by the rule; a file against itself is 1. Identical."""
    X, _ = two(20, 3, seed=1)
    nothing = np.zeros((20, 3))
    assert um(X, nothing).total == 0
    assert um(nothing, nothing).total == 1
    assert um(nothing, X).total == 0


@pytest.mark.slow
@pytest.mark.parametrize(("n", "p"), [(6, 2), (7, 3)])
def test_cm3_equals_the_mean_over_all_orders_of_ties(n, p):
    """Oracle: every order of tied records, canonical correlations by two solves. Close."""
    X, Z = two(n, p, seed=n, noise=1)
    X[:, 0], Z[:, 0] = np.round(X[:, 0] / 3), np.round(Z[:, 0] / 3)
    made, expected = cm3(X, Z), brute_measures.cm3(X, Z)
    by_attribute = [part.value for part in made.parts if part.attribute is not None]
    np.testing.assert_allclose(by_attribute, expected, atol=1e-9)
    assert made.total == pytest.approx(min(expected), abs=1e-9)


def test_cm3_of_the_original_itself_is_nought_and_of_noise_near_one():
    """Identity up to rounding; independent data: each rho^2 is about 1/n. Close, statistical."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2000, 4))
    assert cm3(X, X.copy()).total == pytest.approx(0, abs=1e-12)
    assert cm3(X, rng.normal(size=(2000, 4))).total > 0.98


def test_cm3_on_ranks_forgets_margins():
    """Any increasing map of the release leaves the part on ranks as it is, and moves the part on values. Identical."""
    X, Z = two(60, 3, seed=4)
    one, other = cm3(X, Z), cm3(X, np.exp(Z))
    assert other.parts[1].value == pytest.approx(one.parts[1].value)
    assert abs(other.parts[0].value - one.parts[0].value) > 1e-3


def test_cm3_of_files_of_two_lengths():
    """Each record of one file twice changes nothing, being the same distribution. Close."""
    X, Z = two(30, 3, seed=5)
    assert cm3(np.repeat(X, 2, axis=0), Z).total == pytest.approx(cm3(X, Z).total)


def test_correlations_equal_numpys():
    """Oracle: corrcoef and inv. Close."""
    X, Z = two(50, 4, seed=6)
    R, S = np.corrcoef(X.T), np.corrcoef(Z.T)
    d = np.abs(R - S)
    made = correlation_difference(X, Z)
    assert made.total == pytest.approx(d[np.triu_indices(4, 1)].mean())
    assert made.parts[0].value == pytest.approx(d.max())
    assert [part.value for part in made.parts[1:5]] == pytest.approx(d.sum(axis=0) / 3)
    u, v = (np.diag(np.linalg.inv(C)) for C in (R, S))
    mlodak = np.linalg.norm(u / np.linalg.norm(u) - v / np.linalg.norm(v)) / math.sqrt(2)
    assert made.parts[5].value == pytest.approx(mlodak)


def test_collinear_correlations_have_no_inverse():
    X, Z = two(50, 2, seed=7)
    both = [np.column_stack([A, A.sum(axis=1)]) for A in (X, Z)]
    assert all("inverse" not in part.name for part in correlation_difference(*both).parts)


def test_il1_by_loops_and_by_hand():
    """Oracle: loops. Close; and 10 of 100 is 10 per cent, 2 of 4 is 50."""
    X, Z = two(20, 2, seed=8)
    loop = sum(100 * abs(x - z) / abs(x) for x, z in zip(X.ravel(), Z.ravel(), strict=True))
    assert il1(X, Z).total == pytest.approx(loop)
    made = il1(np.array([[100.0], [-4.0]]), np.array([[110.0], [-2.0]]))
    assert made.total == pytest.approx(60)
    assert made.parts[0].value == pytest.approx(30)


def test_il1_of_noughts():
    """0 that stays 0 is no loss; 0 that changes has no relative change and is said. By the rule."""
    X, Z = np.array([[0.0], [0.0], [10.0]]), np.array([[0.0], [5.0], [11.0]])
    made = il1(X, Z)
    assert made.total == pytest.approx(10)
    assert made.notes == ("il1: 1 changed cell whose original is 0 has no relative change and is left out",)
    assert il1(X, X).notes == ()


def test_il1s_by_loops():
    """Oracle: loops. Close. A constant original is left out."""
    X, Z = two(20, 2, seed=9)
    loop = sum(
        abs(a - b) / (math.sqrt(2) * sd(x))
        for x, z in zip(columns(X), columns(Z), strict=True)
        for a, b in zip(x, z, strict=True)
    )
    assert il1s(X, Z).total == pytest.approx(loop)
    constant = il1s(np.column_stack([X, np.ones(20)]), np.column_stack([Z, np.zeros(20)]))
    assert constant.total == pytest.approx(loop)
    assert "20 changed cells" in constant.notes[0]


def test_eigen_equals_numpys():
    """Oracle: eigvalsh of corrcoef. Close."""
    X, Z = two(50, 4, seed=10)
    e, e_ = (np.linalg.eigvalsh(np.corrcoef(A.T)) for A in (X, Z))
    assert eigen(X, Z).total == pytest.approx(np.sum(np.abs(e - e_) / e))


def test_eigen_of_collinear_attributes_leaves_out_what_is_nought():
    """sdcMicro divides by its rounding error: the same formula gives millions. Oracle: the components that exist."""
    X, Z = two(50, 3, seed=11)
    both = [np.column_stack([A, A[:, 0] + A[:, 1]]) for A in (X, Z)]
    both[1] = both[1] + 0.1 * np.random.default_rng(12).normal(size=both[1].shape)
    e, e_ = (np.linalg.eigvalsh(np.corrcoef(A.T))[::-1] for A in both)
    assert np.sum(np.abs(e - e_) / np.abs(e)) > 1e6
    made = eigen(*both)
    assert made.total == pytest.approx(np.sum(np.abs(e - e_)[:3] / e[:3]))
    assert made.notes == ("eigen: 1 of 4 eigenvalues of the original is 0 and is left out",)
