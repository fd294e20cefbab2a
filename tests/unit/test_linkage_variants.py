"""Linkage by Mahalanobis distance, by weighted means and on the first attributes: loops, and cases by hand."""

from itertools import permutations

import numpy as np
import pytest
from support import brute, brute_measures

from pyfcrm.errors import InvalidParameter
from pyfcrm.linkage.distances import weighted_share, whitened
from pyfcrm.linkage.nearest import nearest_share
from pyfcrm.measures.dbrl import dbrl, dbrl_mahalanobis, dbrl_subsets


def two(n: int, p: int, seed: int, noise: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.gamma(2.0, size=(n, p)) + rng.normal(size=(n, 1))
    return X, X + noise * rng.normal(size=(n, p)) @ rng.normal(size=(p, p))


@pytest.mark.parametrize(("n", "p"), [(10, 1), (40, 2), (60, 4)])
def test_mahalanobis_equals_the_loops(n, p):
    """Oracle: numpy's cov and inv, every pair. Close: shares."""
    X, Z = two(n, p, seed=n)
    assert dbrl_mahalanobis(X, Z).total == pytest.approx(brute_measures.mahalanobis(X, Z), abs=1e-9)


def test_mahalanobis_distances_are_what_they_should_be():
    """Oracle: (a - b)' S^-1 (a - b). Close: one inverse."""
    X, Z = two(20, 3, seed=1)
    S = np.cov((X - Z).T)
    A, B = whitened(X, Z)
    for i, k in ((0, 0), (3, 7), (19, 2)):
        d = X[i] - Z[k]
        assert np.sum((A[i] - B[k]) ** 2) == pytest.approx(d @ np.linalg.inv(S) @ d, rel=1e-9)


def test_mahalanobis_does_not_depend_on_the_attributes_chosen_to_say_the_same():
    """Any regular linear map of both files, by its definition. Close: shares."""
    X, Z = two(50, 3, seed=2)
    M = np.array([[1.0, 2, 0], [0, 1, 0.5], [3, 0, 1e3]])
    assert dbrl_mahalanobis(X @ M, Z @ M).total == pytest.approx(dbrl_mahalanobis(X, Z).total)


def test_mahalanobis_with_an_attribute_that_others_determine():
    """v5 = v8 + v10 in both files: the same as without it. Oracle: the loops without it. Close."""
    X, Z = two(40, 2, seed=3)
    whole = [np.column_stack([A, A.sum(axis=1), np.full(len(A), 7.0)]) for A in (X, Z)]
    assert dbrl_mahalanobis(*whole).total == pytest.approx(brute_measures.mahalanobis(X, Z))


def test_mahalanobis_uses_what_was_released_unchanged():
    """An attribute kept as it was gives every record away; the pseudo-inverse would give it weight 0. By hand."""
    X, Z = two(40, 2, seed=4)
    Z[:, 0] = X[:, 0]
    assert dbrl_mahalanobis(X, Z).total == 100
    assert dbrl_mahalanobis(X, X.copy()).total == 100
    S = np.linalg.pinv(np.cov((X - Z).T), rcond=1e-10)
    assert np.abs(S[0]).max() < 1e-10


def test_mahalanobis_ties_of_equal_records_are_shared():
    """Two groups of two, each replaced by its mean: 1/2 a record. Identical."""
    X = np.array([[0.0, 0], [1, 0.5], [10, 8], [11, 9.5]])
    Z = np.repeat([[0.5, 0.25], [10.5, 8.75]], 2, axis=0)
    assert dbrl_mahalanobis(X, Z).total == 50
    # At identity duplicates tie even where their differences weigh most.
    twice = np.repeat(np.random.default_rng(5).normal(size=(9, 3)), 2, axis=0)
    assert dbrl_mahalanobis(twice, twice.copy()).total == 50


def test_weighted_equals_the_loops_and_equal_weights_are_dbrl():
    """Close; and identical for equal weights, whatever their size."""
    X, Z = two(50, 3, seed=6)
    w = np.array([0.2, 0.0, 0.8])
    assert 100 * weighted_share(X, Z, w).mean() == pytest.approx(brute_measures.weighted(X, Z, w))
    for size in (1.0, 1 / 3, 1e-9):
        assert 100 * weighted_share(X, Z, np.full(3, size)).mean() == dbrl(X, Z).total


@pytest.mark.parametrize("w", [[1.0], [0, 0, 0], [1, -1, 1], [1, np.nan, 1]])
def test_weights_that_will_not_do(w):
    X, Z = two(5, 3, seed=7)
    with pytest.raises(InvalidParameter, match="`w` must be 3 numbers of at least 0, not all 0"):
        weighted_share(X, Z, np.array(w, dtype=float))


@pytest.mark.parametrize("p", [1, 3, 6, 9])
def test_subsets_are_dbrl_on_the_first_attributes(p):
    """Oracle: the loops on every subset. Close."""
    X, Z = two(25, p, seed=p, noise=0.3)
    by_hand = [brute.dbrl(X[:, :q], Z[:, :q]) for q in range(1, p + 1)]
    made = dbrl_subsets(X, Z)
    assert made.total == pytest.approx(np.mean(by_hand[:7]))
    shown = {part.name: part.value for part in made.parts}
    assert [f"first {q}" in shown for q in (3, 5, 8)] == [q <= p for q in (3, 5, 8)]
    for q in (3, 5, 8):
        if q <= p:
            assert shown[f"first {q}"] == pytest.approx(by_hand[q - 1])


def test_learned_distances_have_the_baseline_of_a_held_one():
    """The mean over all 5! pairings with S held is 100/n. Oracle: every pairing. Close."""
    X, Z = two(5, 2, seed=8)
    A, B = whitened(X, Z)
    mean = np.mean([nearest_share(A, B[list(order)]).mean() for order in permutations(range(5))])
    assert 100 * mean == pytest.approx(dbrl_mahalanobis(X, Z).baseline)
