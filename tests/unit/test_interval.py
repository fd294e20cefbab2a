"""Interval disclosure and its closed-form baselines against loops over all pairs."""

import numpy as np
import pytest
from support import brute

from pyfcrm.data.pairs import Pair
from pyfcrm.engine import Local
from pyfcrm.measures.interval import (
    PER_CENTS,
    interval_disclosure,
    interval_disclosure_rank,
    interval_shares,
    plain_pairs_within,
)
from pyfcrm.numerics.location import location

SHAPES = [(1, 1), (2, 2), (15, 1), (40, 3), (111, 2)]


def files(n, p):
    """Files of small whole numbers, full of ties and of values exactly at an interval's end."""
    rng = np.random.default_rng(n + p)
    X = np.round(rng.normal(size=(n, p)) * 12)
    return X, np.round(X + rng.normal(size=(n, p)) * 2)


def rows(parts):
    return [(part.value, part.baseline) for part in parts.parts]


def check(made, expected):
    assert rows(made) == pytest.approx([pytest.approx(row, abs=1e-9) for row in expected])
    assert [part.attribute for part in made.parts] == list(range(len(expected)))
    assert made.total == pytest.approx(np.mean([value for value, _ in expected]), abs=1e-9)
    assert made.baseline == pytest.approx(np.mean([baseline for _, baseline in expected]), abs=1e-9)


@pytest.mark.parametrize(("n", "p"), SHAPES)
def test_sd_intervals_equal_the_loops(n, p):
    X, Z = files(n, p)
    check(interval_disclosure(X, Z), brute.interval(X, Z))
    check(interval_shares(Pair.of(X, Z), Local(), widths=PER_CENTS / 200), brute.interval(X, Z, divisor=200))


@pytest.mark.parametrize(("n", "p"), SHAPES)
def test_rank_intervals_equal_the_loops(n, p):
    X, Z = files(n, p)
    check(interval_disclosure_rank(X, Z), brute.interval_rank(X, Z))


def test_by_hand():
    """sd of -10 0 10 is 10, so differences 0.95, 0.43, 2 are inside 1, 6 and 0 of the ten intervals. Close."""
    X = np.array([[-10.0], [0], [10]])
    Z = X + np.array([[0.95], [-0.43], [2]])
    assert interval_disclosure(X, Z).total == pytest.approx(100 * 7 / 30)
    assert interval_shares(Pair.of(X, Z), Local(), widths=PER_CENTS / 200).total == pytest.approx(100 * 2 / 30)


def test_a_constant_is_disclosed_only_if_equal():
    X = np.full((4, 1), 7.0)
    Z = np.array([[7.0], [7], [8], [7 + 1e-12]])
    assert interval_disclosure(X, Z).total == 50
    assert interval_disclosure(X, Z).baseline == 50


@pytest.mark.parametrize(
    ("x_unit", "z_unit"), [(1, 1e-300), (1, 1e-90), (1, 1e90), (1e90, 1e90), (1e-90, 1e-90), (1e-90, 1)]
)
def test_any_units(x_unit, z_unit):
    X, Z = files(40, 3)
    check(interval_disclosure(X * x_unit, Z * z_unit), brute.interval(X * x_unit, Z * z_unit))


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


def test_pairs_that_only_rounding_puts_inside():
    """|z - 1| rounds to 1 for every |z| of 1e-30, above 0 and below, far from where z = 1 - 1 sorts. Identical."""
    z = np.linspace(-1e-30, 1e-30, 50)
    assert plain_pairs_within(np.array([1.0, -1.0, 0.0]), z, np.array([1.0])) == 150
    assert plain_pairs_within(np.array([1.0, -1.0, 0.0]), z, np.array([1.0 - 2e-16])) == 50


def test_rank_intervals_by_hand():
    """n = 20: w is 0 for p < 5, 1 for p < 10, 2 for p = 10. Originals one and two ranks off. Identical."""
    X = np.arange(20.0)[:, None]
    one = np.roll(X, 1, axis=0)
    # 19 records are one rank off, inside for p = 5 .. 10; the twentieth is 19 ranks off, never inside.
    assert interval_disclosure_rank(X, one).total == pytest.approx(100 * 19 * 6 / 200)
    two = np.roll(X, 2, axis=0)
    assert interval_disclosure_rank(X, two).total == pytest.approx(100 * 18 * 1 / 200)


def test_tied_protected_values_reach_from_their_lowest_to_their_highest_rank():
    """Whatever the order of equal records, the same. Oracle: the loops. Identical."""
    Z = np.repeat([1.0, 2, 3, 4], 10)[:, None]
    X = np.linspace(0.5, 4.5, 40)[:, None]
    order = np.random.default_rng(0).permutation(40)
    made = rows(interval_disclosure_rank(X, Z))
    assert made == rows(interval_disclosure_rank(X[order], Z[order]))
    assert made[0] == pytest.approx(brute.interval_rank(X, Z)[0], abs=1e-9)
