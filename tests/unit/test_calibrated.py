"""Calibrated: the map against its formula, what holds after it, and what is said and refused."""

import numpy as np
import pytest
from scipy.linalg import sqrtm
from support.data import cloud
from support.moments import assert_moments_kept, residuals, standardised

import pyfcrm as pf
from pyfcrm import FCRM, IPSO, Calibrated, Noise, Permutation, RStream
from pyfcrm.methods.regression import with_moments
from pyfcrm.methods.text import make_candidates, make_method
from pyfcrm.methods.work import Run

METHODS = [IPSO("A"), IPSO("B"), FCRM(2, release="draw"), Noise("uncorrelated", 50), Permutation(5)]


def test_the_map_is_its_formula():
    """Oracle: M = T^-1/2 (T^1/2 S T^1/2)^1/2 T^-1/2 by scipy's matrix roots. Close: T and S have condition below 1e3."""
    X, Y = cloud(80, 2, 3, 1)
    Z = Y[np.random.default_rng(1).permutation(80)] + 3
    E, R = residuals(X, Z), residuals(X, Y)  # each in its own sd
    E = E * (standardised(Z, Y).std(axis=0))
    T, S = E.T @ E, R.T @ R
    root = sqrtm(T)
    back = np.linalg.inv(root)
    M = back @ sqrtm(root @ S @ root) @ back
    release, rank, _ = with_moments(X, Y, Z)
    expected = standardised(Y, Y) - R + E @ M
    np.testing.assert_allclose(standardised(release, Y), expected, rtol=0, atol=1e-10)
    assert rank == 3


@pytest.mark.parametrize("margins", ["smooth", "original"])
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_moments_come_home_by_swaps(method, margins):
    """Close: 1e-4 of a correlation; 150 records leave few swaps to choose from, and the note gives the gap, here by numpy."""
    X, Y = cloud(150, 2, 3, 2)
    notes = []
    Z = Calibrated(method, margins=margins).protect(X, Y, RStream(1), notes.append)
    assert_moments_kept(X, Y, Z, atol=1e-4)
    (note,) = (one for one in notes if one.kind == "calibrated")
    A, B = (np.corrcoef(np.hstack([X, V]), rowvar=False) for V in (Y, Z))
    assert note.facts["gap"] == pytest.approx(np.abs(A - B).max(), rel=1e-3)
    assert note.count > 0
    assert note.total == 200 * 450


@pytest.mark.parametrize("near", [0.0, 1e-6])
def test_moments_are_exact_for_collinear_columns(near):
    """x3 = x1 + x2 and y3 = y1 + y2, exactly or nearly. Close: as above; the sum itself holds as well as it did."""
    X, Y = cloud(150, 2, 2, 3)
    noise = near * np.random.default_rng(1).normal(size=(150, 2))
    X = np.column_stack([X, X.sum(axis=1) + noise[:, 0]])
    Y = np.column_stack([Y, Y.sum(axis=1) + noise[:, 1] * Y.std()])
    Z = Calibrated(IPSO("C"), margins=None).protect(X, Y, RStream(1))
    assert_moments_kept(X, Y, Z)
    if not near:
        np.testing.assert_allclose(Z[:, 2], Z[:, 0] + Z[:, 1], rtol=0, atol=1e-9 * Y.std())


def mixed(n, seed):
    """X and Y of all kinds: heaps of zeros, whole numbers, ties, both signs, a tight ratio and a near-identity."""
    X, Y = cloud(n, 2, 3, seed)
    rng = np.random.default_rng(seed)
    revenue = np.where(rng.random(n) < 0.4, 0.0, np.rint(np.exp(3 + Y[:, 0])))
    costs = np.rint(0.8 * revenue * rng.normal(1, 0.01, n))
    return X, np.column_stack(
        [Y[:, 1], revenue, costs, revenue - costs + np.rint(rng.normal(size=n)), np.rint(Y[:, 2])]
    )


@pytest.mark.parametrize("margins", ["smooth", "original"])
def test_group_means_hold_where_a_level_determines_a_column(margins):
    """Close, by numpy: 0.1 standard errors of each of a predictor's three groups, and zeros stay in theirs.

    Hours are 0 without work; age is above 65 for those who are retired, the first level, which has no column."""
    rng = np.random.default_rng(4)
    status = rng.integers(0, 3, 400)
    age = np.rint(np.where(status == 0, rng.normal(78, 5, 400).clip(66), rng.normal(35, 9, 400).clip(18, 64)))
    hours = np.where(status == 1, rng.integers(10, 60, 400), 0.0)
    Y = np.column_stack([age, hours, age + 30 * rng.normal(size=400)])
    X, notes = np.column_stack([status == 1, status == 2]).astype(float), []
    Z = Calibrated(IPSO("C"), margins=margins).release(X, Y, Run(RStream(4), notes.append, terms=[[0, 1]]))
    for group in range(3):
        y, z = Y[status == group], Z[status == group]
        assert (np.abs(z.mean(axis=0) - y.mean(axis=0)) <= 0.1 * y.std(axis=0) / np.sqrt(len(y))).all()
    assert_moments_kept(X, Y, Z, atol=2e-3)
    assert [one.columns for one in notes if one.kind == "by_strata"] == [(0, 1)]


@pytest.mark.parametrize("moments", [True, False])
def test_original_margins_are_the_observed_values(moments):
    """Identical: every sorted column, so whole numbers are whole and heaps as they were."""
    X, Y = mixed(400, 5)
    Z = Calibrated(IPSO("C"), margins="original", moments=moments).protect(X, Y, RStream(1))
    np.testing.assert_array_equal(np.sort(Z, axis=0), np.sort(Y, axis=0))


def test_without_moments_the_margins_are_the_observed_values():
    """Identical; the ranks are the wrapped release's, and a note warns that the values are verbatim."""
    X, Y = cloud(60, 2, 2, 6)
    notes = []
    Z = Calibrated(IPSO("C"), moments=False, margins="original").protect(X, Y, RStream(1), notes.append)
    np.testing.assert_array_equal(np.sort(Z, axis=0), np.sort(Y, axis=0))
    plain = IPSO("C").protect(X, Y, RStream(1))
    np.testing.assert_array_equal(np.argsort(Z, axis=0), np.argsort(plain, axis=0))
    (note,) = (one for one in notes if one.kind == "risk")
    assert note.total == 120
    assert Calibrated(IPSO("C"), margins="original").facts(pf.Roles()).reissues_values
    assert not Calibrated(pf.Shuffling()).facts(pf.Roles()).reissues_values


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_smooth_margins_hand_out_nothing(method):
    """Identical: no observed value, and neither end is the original's."""
    X, Y = cloud(200, 2, 2, 7)
    Z = Calibrated(method).protect(X, Y, RStream(1))
    assert not any(np.isin(Z[:, j], Y[:, j]).any() for j in range(2))
    assert (Z.max(axis=0) != Y.max(axis=0)).all()
    assert (Z.min(axis=0) != Y.min(axis=0)).all()


def test_point_masses_are_noted():
    """By hand: 90 of 300 values of the second column are zero; no value of the first is shared."""
    X, Y = cloud(300, 1, 2, 7)
    Y[:90, 1] = 0
    notes = []
    Z = Calibrated(IPSO("C")).protect(X, Y, RStream(1), notes.append)
    (note,) = (one for one in notes if one.kind == "observed_values")
    assert (note.count, note.total, note.columns) == (90, 600, (1,))
    assert (Z[:, 1] == 0).sum() == 90


def test_equal_values_are_ranked_by_the_stream():
    """A release of one value a column: the order of the file must not become the order of the release."""
    Y = cloud(300, 1, 1, 8)[1]
    Z = Calibrated(pf.FCRM(1), moments=False).protect(np.zeros((300, 0)), Y, RStream(1))
    assert abs(np.corrcoef(Z[:, 0], np.arange(300))[0, 1]) < 0.2  # 3.5 standard errors


def test_the_command_line_writes_a_method_in_brackets():
    """Oracle: the constructors. Identical."""
    expected = Calibrated(FCRM(2, release="draw"), margins="original")
    words = ["method={fcrm:c=2:release=draw}", "margins=original"]
    assert make_method("calibrated", words) == make_method("calibrated", [",".join(words)]) == expected
    assert make_method("calibrated", ["method=ipso", "margins=none"]) == Calibrated(IPSO(), margins=None)
    text = "calibrated:method={fcrm:c=2:release=draw}|{ipso:kind=A}:margins=original|none,ipso"
    assert [str(m) for m in make_candidates(text)] == [
        "Calibrated(method=FCRM(c=2, release=draw), margins=original)",
        "Calibrated(method=FCRM(c=2, release=draw), margins=None)",
        "Calibrated(method=IPSO(kind=A), margins=original)",
        "Calibrated(method=IPSO(kind=A), margins=None)",
        "IPSO(kind=C)",
    ]
