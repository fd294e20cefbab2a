"""dRisk and the values handed out again: loops, and cases by hand."""

import numpy as np
import pytest
from support import brute_measures

from pyfcrm.measures.drisk import drisk, reissued


@pytest.mark.parametrize(("n", "p"), [(1, 1), (30, 1), (40, 3)])
def test_drisk_equals_the_loops(n, p):
    """Oracle: loops over all pairs. Close."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, p))
    Z = X + 0.05 * rng.normal(size=(n, p))
    made = drisk(X, Z)
    for line, k in zip(made.parts[:2], (0.05, 0.01), strict=True):
        assert (line.value, line.baseline) == pytest.approx(brute_measures.drisk(X, Z, k))
    for j in range(p):
        expected = brute_measures.drisk(X[:, [j]], Z[:, [j]], 0.05)
        assert (made.parts[2 + j].value, made.parts[2 + j].baseline) == pytest.approx(expected)
    assert (made.total, made.baseline) == (made.parts[0].value, made.parts[0].baseline)


def test_drisk_says_something_of_many_attributes():
    """All 13 at once is 0 for noise of 10 %, as in sdcMicro; each attribute alone is near 2 Phi(1/2) - 1 = 38 %. Statistical."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1000, 13))
    made = drisk(X, X + 0.1 * rng.normal(size=X.shape))
    assert made.total == 0
    assert all(abs(line.value - 38.3) < 5 for line in made.parts[2:])


def test_drisk_of_a_constant_release():
    """sd 0: only equal values are inside. By hand: 1 of 3 on its own, 3 of 9 pairs."""
    made = drisk(np.array([[1.0], [2], [3]]), np.full((3, 1), 2.0))
    assert (made.total, made.baseline) == (pytest.approx(100 / 3), pytest.approx(100 / 3))


def test_reissued_by_hand():
    """2 of 3 values and 1 of 3; one whole record, wherever it stands. Identical."""
    X = np.array([[1.0, 5], [2, 6], [3, 7]])
    Z = np.array([[2.0, 6], [2, 9], [8, 9]])
    made = reissued(X, Z)
    assert [line.value for line in made.parts] == pytest.approx([100 / 3, 200 / 3, 100 / 3])
    assert made.total == pytest.approx(50)


def test_reissued_takes_minus_nought_for_nought():
    assert reissued(np.array([[0.0]]), np.array([[-0.0]])).total == 100
    assert reissued(np.array([[0.0]]), np.array([[-0.0]])).parts[0].value == 100


def test_a_permutation_hands_out_all_values_and_hardly_a_record():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 3))
    made = reissued(X, np.column_stack([rng.permutation(x) for x in X.T]))
    assert made.total == 100
    assert made.parts[0].value < 1
