"""pMSE and SPECKS: a general minimiser as the oracle, closed forms, and the cases that break logistic regression."""

import numpy as np
import pytest

from pyfcrm.measures import propensity
from pyfcrm.measures.propensity import logistic_propensity, pmse, specks


def part(result, name):
    return next(line.value for line in result.parts if line.name == name)


def test_identity_is_exact_even_with_awkward_values():
    """Identical: both halves of the design are the same to the last bit."""
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.gamma(1.0, size=997), 1e9 + rng.normal(size=997), np.round(rng.normal(size=997))])
    assert pmse(X, X.copy()).total == 0
    assert specks(X, X.copy()).total == 0


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


@pytest.mark.slow(3)
def test_the_null_expectation_is_what_draws_from_the_original_give(monkeypatch):
    """A release drawn from the original's own records, 80 times: the mean ratio is 1. Statistical: 4 standard errors.

    Two files drawn from one population differ by twice as much, which Snoke et al. say as well.
    """
    monkeypatch.setattr(propensity, "tree_propensity", logistic_propensity)  # whose scores are not looked at
    rng = np.random.default_rng(1)
    own, other = [], []
    for _ in range(80):
        X = rng.normal(size=(400, 3))
        for ratios, Z in ((own, X[rng.integers(400, size=400)]), (other, rng.normal(size=X.shape))):
            ratios.append(part(pmse(X, Z), "logistic, ratio to its null expectation"))
    assert abs(np.mean(own) - 1) < 4 * np.std(own) / np.sqrt(80)
    assert abs(np.mean(other) - 2) < 4 * np.std(other) / np.sqrt(80)
