"""What microaggregation promises, on any finite files: ties, constants, collinear columns, two records, any units."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import grouping

from pyfcrm.methods import Microaggregation
from pyfcrm.methods.grouping.mdav import mdav_groups
from pyfcrm.methods.grouping.univariate import optimal_groups
from pyfcrm.rstream import RStream

TOGETHER, APART = ["mdav", "vmdav", "zscores", "pca"], ["individual", "optimal"]


@st.composite
def files(draw, most=24, units=True):
    """Small whole numbers, or continuous ones; a constant and a collinear column at times; then any units."""
    n, t = draw(st.integers(1, most)), draw(st.integers(1, 4))
    cell = st.integers(-3, 3) if draw(st.booleans()) else st.floats(-10, 10, allow_subnormal=False)
    Y = np.array(draw(st.lists(cell, min_size=n * t, max_size=n * t)), dtype=float).reshape(n, t)
    Y[np.abs(Y) < 1e-9] = 0.0  # below 1e-100 is refused, and units below reach that
    if t > 1 and draw(st.booleans()):
        Y[:, 1] = draw(st.sampled_from([0.0, 0.1, -999.0])) if draw(st.booleans()) else 3 * Y[:, 0] + 1
    if units:
        power = draw(st.lists(st.sampled_from([-80, -12, 0, 12, 80]), min_size=t, max_size=t))
        Y = (Y + draw(st.sampled_from([0.0, 0.1, 1e6]))) * 10.0 ** np.array(power, dtype=float)
    return Y, draw(st.integers(1, n))


def released(Y, **settings):
    return Microaggregation(**settings).protect(np.empty((len(Y), 0)), Y, RStream(1))


@pytest.mark.parametrize("scale", ["variance", None])
@pytest.mark.parametrize("kind", TOGETHER + APART)
@given(data=files())
def test_groups_of_k_and_the_same_means(kind, scale, data):
    """Every released value stands in at least k records, whole records too where they are grouped whole; the mean of
    each attribute stays (close: n roundings of the largest value); nothing leaves the attribute's range."""
    Y, k = data
    Z = released(Y, k=k, kind=kind, scale=scale)
    for y, z in zip(Y.T, Z.T, strict=True):
        assert np.unique(z, return_counts=True)[1].min() >= k
        rounding = len(Y) * np.finfo(float).eps * np.abs(y).max()
        assert abs(z.mean() - y.mean()) <= rounding
        assert y.min() - rounding <= z.min()
        assert z.max() <= y.max() + rounding
    if kind in TOGETHER:
        assert np.unique(Z, axis=0, return_counts=True)[1].min() >= k


@pytest.mark.parametrize("kind", TOGETHER + APART)
@given(data=files(units=False), power=st.integers(-300, 300))
def test_units_do_not_matter(kind, data, power):
    """Identical: a power of two changes no digit, so no tie either."""
    Y, k = data
    moved = released(Y * 2.0**power, k=k, kind=kind)
    np.testing.assert_array_equal(moved, released(Y, k=k, kind=kind) * 2.0**power)


@given(data=files(units=False))
def test_mdav_is_the_description_word_for_word(data):
    """Identical groups, in raw units and by variance: oracle, loops over Python floats that add in the same order."""
    Y, k = data
    assert mdav_groups(Y, k, None).tolist() == grouping.mdav(Y, k, np.ones(Y.shape[1]))
    variance = np.ascontiguousarray(Y.T).var(axis=1)
    assert mdav_groups(Y, k).tolist() == grouping.mdav(Y, k, 1 / np.where(variance > 0, variance, 1))


@given(data=files(most=7, units=False))
def test_optimal_has_the_least_sum_of_squares(data):
    """Close (1e-12 relative, or of the values' squares): every partition into sets of at least k, exactly."""
    Y, k = data
    x = Y[:, 0]
    found = grouping.within(x, grouping.as_lists(optimal_groups(x, k)))
    best = min(grouping.within(x, groups) for groups in grouping.set_partitions(list(range(len(x))), k))
    assert float(found) <= float(best) * (1 + 1e-12) + 1e-28 * float(np.ptp(x)) ** 2
