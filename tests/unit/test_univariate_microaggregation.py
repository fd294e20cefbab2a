"""Groups along one line: ranking and projections, by hand and textbook form; tests/property has optimal groups."""

import numpy as np
import pytest

from pyfcrm.methods.grouping.univariate import first_component, ranked_groups, sum_of_zscores

# --- ranking ---------------------------------------------------------------------------------------------------------


def test_ties_stay_in_file_order_in_a_long_file():
    """Identical: 3000 records of 3 values, oracle Python's sort, which is stable."""
    x = np.random.default_rng(0).integers(0, 3, size=3000).astype(float)
    order = sorted(range(3000), key=lambda i: x[i])
    assert ranked_groups(x, 3)[order].tolist() == [i // 3 for i in range(3000)]


# --- projections -----------------------------------------------------------------------------------------------------


def test_zscores_by_hand():
    """Identical: both columns have one sd when the second is in hundreds; the sums are 0, -1, 1, 0, -2, 2 of it."""
    A = np.array([[0, 300], [1, 100], [2, 200], [1, 200], [0, 100], [2, 300]], dtype=float)
    assert ranked_groups(sum_of_zscores(A), 2).tolist() == [1, 0, 2, 1, 0, 2]


@pytest.mark.parametrize("scale", ["variance", None])
def test_first_component_is_the_singular_vectors_score(scale):
    """Close (1e-9): oracle, numpy's singular value decomposition of the centred data; the sign is free."""
    A = np.random.default_rng(7).normal(size=(80, 4)) @ np.diag([1, 2, 3, 40.0]) + 7
    Z = A - A.mean(axis=0)
    Z = Z / Z.std(axis=0) if scale == "variance" else Z / np.abs(Z).max()
    u, d, _ = np.linalg.svd(Z, full_matrices=False)
    expected, score = u[:, 0] * d[0], first_component(A, scale)
    np.testing.assert_allclose(score * np.sign(score @ expected), expected, rtol=1e-9, atol=1e-9)


def test_the_sign_of_the_component_does_not_hang_on_a_last_digit():
    """Identical: with two attributes both loadings have one size; the first is positive."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        A = rng.normal(size=(15, 2)) @ np.array([[1, -0.5], [0, 1]])
        if np.corrcoef(A.T)[0, 1] < 0:
            assert np.corrcoef(first_component(A), A[:, 0])[0, 1] > 0


def test_the_first_loading_is_positive():
    """As R's princomp has it: the score rises with the first attribute, whether or not it runs against the others. Sign only."""
    x = np.random.default_rng(8).normal(size=50)
    noise = np.random.default_rng(9).normal(size=(50, 4))
    for against in range(4):
        signs = np.where(np.arange(4) == against, -1, 1)
        A = x[:, None] * signs + np.where(np.arange(4) == against, 0.8, 0.2) * noise
        assert np.corrcoef(first_component(A), A[:, 0])[0, 1] > 0.7


@pytest.mark.parametrize("score", [sum_of_zscores, first_component])
def test_equal_records_stay_neighbours_and_constants_do_nothing(score):
    """Identical: duplicates of a record get one score, to the bit; a constant column is passed over."""
    A = np.repeat(np.random.default_rng(9).normal(size=(37, 3)), 3, axis=0)
    labels = ranked_groups(score(A), 3)
    assert (labels.reshape(37, 3) == labels[::3, None]).all()
    assert ranked_groups(score(np.column_stack([A, np.full(111, 0.1)])), 3).tolist() == labels.tolist()
    assert ranked_groups(score(np.full((5, 2), 0.1)), 2).tolist() == [0, 0, 1, 1, 1]
