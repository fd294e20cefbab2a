"""pMSE and SPECKS: a general minimiser as the oracle, closed forms, and the cases that break logistic regression."""

import numpy as np
import pytest
from support import brute_measures

from pyfcrm.measures.propensity import logistic_propensity, pmse, specks


def two(n: int, N: int, p: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.gamma(2.0, size=(n, p)), rng.gamma(2.2, size=(N, p)) + 0.3


def part(made, name):
    return next(line.value for line in made.parts if line.name == name)


@pytest.mark.parametrize(("n", "N", "p"), [(40, 40, 1), (60, 60, 2), (80, 50, 3)])
def test_equals_a_general_minimiser(n, N, p):
    """Oracle: scipy's BFGS on the likelihood without a ridge. Close: its gradient tolerance."""
    X, Z = two(n, N, p, seed=n)
    value, scores = brute_measures.pmse(X, Z)
    made = logistic_propensity(X, Z)
    np.testing.assert_allclose(np.concatenate([made.original, made.protected]), scores, atol=1e-6)
    assert pmse(X, Z).total == pytest.approx(value, abs=1e-7)
    assert specks(X, Z).total == pytest.approx(brute_measures.ks(made.original, made.protected))


def test_one_binary_attribute_by_hand():
    """Shares of 1: 1/4 in X, 3/4 in Z. The scores are 1/4 and 3/4, pMSE (1/4)^2, SPECKS 1/2. Close: the ridge."""
    X, Z = np.array([[1.0], [0], [0], [0]]), np.array([[1.0], [1], [1], [0]])
    assert pmse(X, Z).total == pytest.approx(1 / 16, abs=1e-8)
    assert specks(X, Z).total == pytest.approx(1 / 2)


@pytest.mark.slow
def test_the_null_expectation_is_what_draws_from_the_original_give():
    """A release drawn from the original's own records, 100 times: the mean ratio is 1. Statistical: 4 standard errors.

    Two files drawn from one population differ by twice as much, which Snoke et al. say as well.
    """
    rng = np.random.default_rng(1)
    own, other = [], []
    for _ in range(100):
        X = rng.normal(size=(600, 3))
        for ratios, Z in ((own, X[rng.integers(600, size=600)]), (other, rng.normal(size=X.shape))):
            ratios.append(part(pmse(X, Z), "logistic, ratio to its null expectation"))
    assert abs(np.mean(own) - 1) < 4 * np.std(own) / 10
    assert abs(np.mean(other) - 2) < 4 * np.std(other) / 10


def test_null_expectation_by_hand():
    """3 attributes have 7 parameters: E = 6 (1 - c)^2 c / N. Close."""
    X, Z = two(60, 40, 3, seed=2)
    assert part(pmse(X, Z), "logistic, null expectation") == pytest.approx(6 * 0.6**2 * 0.4 / 100)


def test_separable_files_are_told_apart_completely():
    """No finite maximum without the ridge. By hand: pMSE 1/4, SPECKS 1. Close: the ridge."""
    X = np.random.default_rng(3).normal(size=(30, 2))
    made = pmse(X, X + 100)
    assert made.total == pytest.approx(0.25, abs=1e-6)
    assert not any("converged" in note for note in made.notes)
    assert specks(X, X + 100).total == 1


def test_collinear_terms_are_not_counted():
    """A copy, a sum and a constant add no parameter. Oracle: the files without them. Close: but products remain."""
    X, Z = two(50, 50, 1, seed=4)
    more = [np.column_stack([A, 2 * A + 1, np.ones(len(A))]) for A in (X, Z)]
    # x and x^2: three parameters with the intercept.
    assert logistic_propensity(*more).parameters == 3
    squared = [np.column_stack([A, A**2]) for A in (X, Z)]
    # Without the product of the two, which would be a cube.
    assert logistic_propensity(*squared).parameters == 4


def test_identity_is_exact_even_with_awkward_values():
    """Identical: both halves of the design are the same to the last bit."""
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.gamma(1.0, size=997), 1e9 + rng.normal(size=997), np.round(rng.normal(size=997))])
    assert pmse(X, X.copy()).total == 0
    assert specks(X, X.copy()).total == 0


def test_units_do_not_matter():
    """Each attribute moved and scaled, in both files alike. Close: standardised first."""
    X, Z = two(50, 50, 3, seed=6)
    unit, shift = np.array([1e-9, 1.0, 1e9]), np.array([0.0, 7.0, -1e9])
    assert pmse(X * unit + shift, Z * unit + shift).total == pytest.approx(pmse(X, Z).total, rel=1e-6)


def test_the_tree():
    """A difference that no product shows: the sign of a sine. The tree sees it. By design."""
    x = np.random.default_rng(7).uniform(0, 20, size=4000)
    X, Z = x[np.sin(x) > 0, None], x[np.sin(x) <= 0, None]
    assert part(pmse(X, Z), "tree, held out") > 0.23
    assert part(specks(X, Z), "tree, held out") > 0.97
    assert pmse(X, Z).total < 0.1


@pytest.mark.slow
def test_the_tree_rewards_no_copies():
    """A perfect release, drawn anew, reads as a copy does, a shuffled copy too. By design: a tree that had seen the
    records gave 0.14 and 0.69 to the new draw, 0 to the copy. Statistical: 1000 x 6, twice its spread over seeds."""
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(1000, 6)), rng.normal(size=(1000, 6))
    for Z in (X, X[rng.permutation(1000)], new):
        assert part(pmse(X, Z), "tree, held out") < 0.004
        assert part(specks(X, Z), "tree, held out") < 0.07
    assert part(pmse(X, new + 0.5), "tree, held out") > 0.02
