"""Interval disclosure and its closed-form baselines against loops over all pairs."""

import numpy as np
import pytest
from support import brute

from pyfcrm.measures.interval import (
    compiled_pairs_within,
    interval_disclosure,
    interval_disclosure_rank,
    plain_pairs_within,
)
from pyfcrm.numerics.location import location


def rows(parts):
    return [(part.value, part.baseline) for part in parts.parts]


def test_value_and_baseline_decide_alike_at_the_ends():
    """Protected values at x + width and a few last digits around it, where x + width and z - x round differently.

    Oracle: the value's own comparison on every pair. Identical counts.
    """
    x = np.random.default_rng(20).normal(size=60) * 7
    widths = np.arange(1, 11) / 100 * location(x[:, None]).sd
    at_ends = [x[i] + sign * widths[i % 10] for i in range(60) for sign in (-1, 1)]
    digits = [np.nextafter(end, end + step) for end in at_ends for step in (-1, 0, 1)]
    for start in range(0, len(digits), 60):
        z = np.array(digits[start : start + 60])
        pairs = sum(int((np.abs(x[:, None] - z) <= width).sum()) for width in widths)
        made = interval_disclosure(x[:, None], z[:, None])
        assert made.baseline == 100 * pairs / (10 * 60 * 60)


def test_tied_protected_values_reach_from_their_lowest_to_their_highest_rank():
    """Whatever the order of equal records, the same. Oracle: the loops. Identical."""
    Z = np.repeat([1.0, 2, 3, 4], 10)[:, None]
    X = np.linspace(0.5, 4.5, 40)[:, None]
    order = np.random.default_rng(0).permutation(40)
    made = rows(interval_disclosure_rank(X, Z))
    assert made == rows(interval_disclosure_rank(X[order], Z[order]))
    assert made[0] == pytest.approx(brute.interval_rank(X, Z)[0], abs=1e-9)


@pytest.mark.parametrize("digits", [0, 1, 9])
@pytest.mark.parametrize(("n", "scale"), [(1, 1.0), (40, 1.0), (100, 1e-200), (100, 1e9)])
def test_pairs_are_those_of_a_loop(n, scale, digits):
    """The compiled count and numpy's against a loop. Identical."""
    rng = np.random.default_rng(n + digits)
    x, z = np.round(rng.normal(size=(2, n)), digits) * scale
    for widths in (np.array([0.0]), np.array([0.1, 0.3, 1.0, 3.0]) * scale):
        expected = sum(abs(float(b) - float(a)) <= w for a in x for b in z for w in widths)
        assert compiled_pairs_within(x, z, widths) == plain_pairs_within(x, z, widths) == expected
