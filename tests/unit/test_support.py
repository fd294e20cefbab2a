"""The support of discrete columns: grids, shared values, and the margins on them. Oracle: by hand."""

import numpy as np
import pytest

from pyfcrm import RStream
from pyfcrm.methods.margins import point_masses, smooth_margin
from pyfcrm.methods.support import Support, shared_values


def support(y):
    return Support.of(*np.unique(y, return_counts=True))


@pytest.mark.parametrize(
    ("y", "step"),
    [
        (np.arange(100.0), 1),
        (np.r_[10 * np.arange(97.0), 5, 7, 9], 10),
        (np.r_[2 * np.arange(97.0), 5, 7, 9], 2),
        (np.r_[2 * np.arange(90.0), 2 * np.arange(10.0) + 1], 1),
        (np.arange(100) / 100, 1),
        (np.arange(100) / 2, 8),
    ],
    ids=["whole", "nearly tens", "nearly even", "not quite", "cents", "halves"],
)
def test_the_grid_is_the_coarsest_that_nearly_all_records_have(y, step):
    """A step is in units of the last decimal; halves have none, and count in sixteenths."""
    found = support(y)
    assert (found.step, found.shared) == (step, None)
    np.testing.assert_array_equal(found.values(np.rint(found.places(y[:3]))), y[:3])


def test_numbers_without_a_unit_have_no_support():
    assert support(np.random.default_rng(1).normal(size=50)) is None


def test_values_of_many_records_with_gaps_between_them_are_the_support():
    """Seven values of 20 records in 19 places; five records with others count as the nearest."""
    shared = np.array([10, 13, 15, 17, 20, 24, 28.0])
    y = np.r_[np.repeat(shared, 20), 11, 12, 16, 26, 27]
    np.testing.assert_array_equal(support(y).shared, shared)
    assert set(smooth_margin(y, RStream(1))) <= set(shared)
    assert len(point_masses(y)[0]) == 0


@pytest.mark.parametrize("step", [0.5, 2.0, 1.0])
def test_frequent_neighbours_on_a_grid_are_no_point_masses_and_margins_stay_on_it(step):
    rng = np.random.default_rng(2)
    y = step * np.rint(40 + 4 * rng.normal(size=600))
    assert len(point_masses(y)[0]) == 0
    z = smooth_margin(y, RStream(1))
    np.testing.assert_array_equal(z / step, np.rint(z / step))
    assert z.mean() == pytest.approx(y.mean(), abs=0.05 * y.std())
    assert z.std() == pytest.approx(y.std(), rel=0.05)


def test_a_dominating_record_does_not_set_the_range_of_smoothed_frequencies():
    """The largest of 400 counts, 30, is moved to 60: the margin stays below 45."""
    y = np.sort(np.floor(np.exp(1 + 0.7 * np.random.default_rng(3).normal(size=400))))
    y[-1] = 60
    assert smooth_margin(y, RStream(1)).max() < 45


def years_of_school(n=4000):
    """Years with few below 6, heaps at whole years, and some at tenths between."""
    rng = np.random.default_rng(4)
    y = np.clip(np.round(rng.normal(12, 3, n), 1), 0, 20)
    return np.where(rng.random(n) < 0.7, np.rint(y), y)


def test_a_column_of_shared_values_keeps_its_tail():
    """Close: the count, within 3 of its standard errors. The defect: no value was below the first one that ten records share."""
    y = years_of_school()
    shared = support(y).shared
    beyond = (y < shared[0]).sum()
    assert beyond >= 10
    z = smooth_margin(y, RStream(1))
    assert (z < shared[0]).sum() == pytest.approx(beyond, abs=3 * np.sqrt(beyond))
    assert z.min() >= 0
    assert z.std() == pytest.approx(y.std(), rel=0.005)


def test_round_numbers_keep_their_heaps():
    """Close: the counts of whole numbers and of halves. The defect: 16 per cent of whole numbers where 38 per cent are."""
    rng = np.random.default_rng(5)
    y = np.round(rng.normal(40, 2, 3000), 1)
    y = np.where(rng.random(3000) < 0.3, np.rint(y), y)
    z = smooth_margin(y, RStream(1), masses=y[:0])
    for step in (1.0, 0.5):
        own = (y % step == 0).mean()
        assert (z % step == 0).mean() == pytest.approx(own, abs=0.02)


def test_shared_values_are_those_of_ten_records_where_nearly_all_have_one():
    shared = np.arange(6.0)
    y = np.r_[np.repeat(shared, 10), np.arange(0.5, 6)]
    np.testing.assert_array_equal(shared_values(y), shared)
    assert len(shared_values(np.r_[y, np.arange(0.25, 20)])) == 0
    assert len(shared_values(np.repeat(shared[:5], 50))) == 0
