"""Interval disclosure and its closed-form baselines against loops over all pairs."""

import numpy as np
import pytest
from support import brute

from pyfcrm.measures.interval import interval_disclosure, interval_disclosure_rank
from pyfcrm.numerics.location import location


def rows(parts):
    return [(part.value, part.baseline) for part in parts.parts]


def test_tied_protected_values_reach_from_their_lowest_to_their_highest_rank():
    """Whatever the order of equal records, the same. Oracle: the loops. Identical."""
    Z = np.repeat([1.0, 2, 3, 4], 10)[:, None]
    X = np.linspace(0.5, 4.5, 40)[:, None]
    order = np.random.default_rng(0).permutation(40)
    result = rows(interval_disclosure_rank(X, Z))
    assert result == rows(interval_disclosure_rank(X[order], Z[order]))
    assert result[0] == pytest.approx(brute.interval_rank(X, Z)[0], abs=1e-9)


@pytest.mark.parametrize("digits", [0, 1, 9])
@pytest.mark.parametrize(("n", "scale"), [(1, 1.0), (40, 1.0), (100, 1e-200), (100, 1e9)])
def test_values_and_baselines_are_those_of_a_loop(n, scale, digits):
    """Ties, constants, and both ends of the range of floats. Identical counts."""
    x, z = np.round(np.random.default_rng(n + digits).normal(size=(2, n)), digits) * scale
    widths = np.arange(1, 11) / 100 * location(x[:, None]).sd
    own, pairs = (sum(int((np.abs(z - y) <= w).sum()) for w in widths) for y in (x, x[:, None]))
    assert rows(interval_disclosure(x[:, None], z[:, None])) == [(100 * own / (10 * n), 100 * pairs / (10 * n * n))]
