"""UM, CM3, correlations, eigenvalues and dRisk where they are delicate. Their formulas: test_every_measure.py."""

import numpy as np
import pytest

from pyfcrm.measures.cm3 import cm3
from pyfcrm.measures.um import um


def two(n, p, seed, noise=0.7):
    rng = np.random.default_rng(seed)
    X = rng.gamma(2.0, size=(n, p)) * np.arange(1, p + 1) + rng.normal(size=(n, 1))
    return X, X + noise * rng.normal(size=(n, p))


def test_um_does_not_hang_on_which_eigenvectors_were_found():
    """Two attributes of X vary alike, two not at all: any rotation within each pair says the same. Close: rounding."""
    X = np.array([[2.0, 1, 0, 0], [-2, 1, 0, 0], [1, -2, 0, 0], [-1, -2, 0, 0], [0, 2, 0, 0], [0, 0, 0, 0]])
    X[:, :2] = np.linalg.qr(X[:, :2] - X[:, :2].mean(axis=0))[0]
    Z = np.random.default_rng(3).normal(size=(30, 4)) * [1, 2, 3, 4]
    turn = np.kron(np.eye(2), [[0.6, -0.8], [0.8, 0.6]])
    assert um(X, Z @ turn).total == pytest.approx(um(X, Z).total, abs=1e-9)


def test_cm3_on_ranks_forgets_margins():
    """Any increasing map of the release leaves the part on ranks as it is, and moves the part on values. Identical."""
    X, Z = two(60, 3, seed=4)
    one, other = cm3(X, Z), cm3(X, np.exp(Z))
    assert other.parts[1].value == pytest.approx(one.parts[1].value)
    assert abs(other.parts[0].value - one.parts[0].value) > 1e-3
