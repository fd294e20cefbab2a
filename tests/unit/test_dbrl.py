"""Distance-based linkage against loops over all pairs, and by hand on ties and constants."""

import numpy as np
import pytest
from support import brute

from pyfcrm.linkage.nearest import nearest_share
from pyfcrm.measures.dbrl import dbrl
from pyfcrm.numerics import location as distance
from pyfcrm.numerics.location import location, standardise


@pytest.mark.parametrize(("n", "p", "digits"), [(2, 1, 0), (15, 1, 0), (40, 2, 0), (60, 3, 1), (60, 4, 8)])
def test_equals_the_loops_with_ties(n, p, digits):
    """Oracle: math.dist over all pairs. Close: shares are sums of 1/t."""
    rng = np.random.default_rng(n * p)
    X = np.round(rng.normal(size=(n, p)) * 1.5, digits)
    Z = np.round(X + rng.normal(size=(n, p)) * 0.7, digits)
    assert dbrl(X, Z).total == pytest.approx(brute.dbrl(X, Z), abs=1e-9)
    assert dbrl(X, Z).baseline == 100 / n


def test_a_tie_of_t_counts_one_in_t():
    """Two pairs of duplicates and a single record: (4/2 + 1)/5. Close."""
    X = np.array([[0.0, 0], [0, 0], [3, 1], [3, 1], [9, 2]])
    assert dbrl(X, X).total == pytest.approx(60)
    # The file order earns nothing.
    assert dbrl(X, X[[1, 0, 3, 2, 4]]).total == pytest.approx(60)


def test_equal_distances_are_ties_up_to_rounding_but_no_further():
    """0.1 + 0.2 and 0.3 are the same distance; 0.3 (1 + 1e-9) is farther. Identical."""
    X = np.zeros((1, 1))
    assert nearest_share(X, np.array([[0.1 + 0.2], [-0.3]]), own=np.array([0])) == [0.5]
    assert nearest_share(X, np.array([[0.3 * (1 + 1e-9)], [-0.3]]), own=np.array([0])) == [0]
    # Distances, not squares: a square differs twice as much.
    assert nearest_share(X, np.array([[1 + 0.8e-12], [1.0]]), own=np.array([0])) == [0.5]


def test_each_file_has_its_own_units():
    """Z = 7 X + 3 is X once each is standardised. Close: none needed, every record finds itself."""
    X = np.random.default_rng(2).normal(size=(50, 3))
    assert dbrl(X, 7 * X + 3).total == 100


def test_a_constant_column_adds_nothing():
    """Oracle: the same files without the column. Identical."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 2))
    Z = X + rng.normal(size=(30, 2))
    constant = np.full((30, 1), 0.1)
    assert dbrl(np.hstack([X, constant]), np.hstack([Z, constant * 3])).total == dbrl(X, Z).total


def test_all_constant_or_one_record():
    assert dbrl(np.ones((4, 2)), np.zeros((4, 2))).total == 25
    assert dbrl(np.ones((1, 3)), np.zeros((1, 3))).total == 100


def test_own_gives_each_original_its_place():
    """Shuffling Z and telling where each record went changes nothing. Identical."""
    rng = np.random.default_rng(8)
    X = np.round(rng.normal(size=(25, 2)), 1)
    Z = np.round(X + rng.normal(size=(25, 2)) / 4, 1)
    order = rng.permutation(25)
    shuffled = nearest_share(X, Z[order], own=np.argsort(order))
    assert shuffled.tolist() == nearest_share(X, Z).tolist()


def test_blocks_do_not_show(monkeypatch):
    """Oracle: the same in one block. Identical."""
    rng = np.random.default_rng(6)
    X, Z = rng.normal(size=(2, 37, 3))
    whole = nearest_share(X, Z)
    monkeypatch.setattr(distance, "PAIRS_AT_ONCE", 100)
    assert nearest_share(X, Z).tolist() == whole.tolist()


@pytest.mark.parametrize("scale", [1e-200, 1e-90, 1.0, 1e90, 1e200])
def test_standardise(scale):
    """Oracle: numpy's mean and std on harmless values. Close."""
    A = np.random.default_rng(4).gamma(2.0, size=(20, 3))
    expected = (A - A.mean(axis=0)) / A.std(axis=0, ddof=1)
    np.testing.assert_allclose(standardise(A * scale), expected, rtol=0, atol=1e-13)


def test_a_column_constant_up_to_rounding_has_no_sd():
    """0.3 and 0.1 * 3 differ in the last bit only; one part in a million is a real difference. By the rule."""
    assert location(np.array([[0.3], [0.1 * 3], [0.3]])).sd == 0
    assert location(np.array([[1.0], [1.000001], [1.0]])).sd == pytest.approx(1e-6 / np.sqrt(3))
