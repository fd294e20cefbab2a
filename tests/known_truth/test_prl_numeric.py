"""Probabilistic linkage of numbers against the rates that Yancey, Winkler and Creecy (2002), table 2, print for the Census file."""

import numpy as np
import pytest
from support.data import CENSUS_PATH, requires_census

import pyfcrm as pf
from pyfcrm.linkage.numeric import numeric_linkage

PUBLISHED = {5: 96.20, 10: 72.87, 15: 34.44}  # per cent re-identified, metric l, after rank swapping of p per cent


@requires_census
@pytest.mark.slow
@pytest.mark.parametrize("form", ["argus", "sdcmicro"])
@pytest.mark.parametrize("p", PUBLISHED)
def test_it_links_at_least_what_was_published(p, form):
    """Grade: statistical, three seeds; their random draws are not known."""
    frame = pf.datasets.census(CENSUS_PATH)
    roles = pf.Roles(dependent=list(frame.columns))
    for seed in (1, 2, 3):
        released = pf.protect(frame, pf.RankSwapping(p, form), roles, seed, allow_unprotected=True, shuffle=False)
        assert pf.evaluate(frame, released.frame, measures="prl_numeric")["prl_numeric"] >= PUBLISHED[p] - 3


def test_links_of_unrelated_files_are_chance():
    """Grade: statistical. Over 40 pairs of independent files the mean is within four standard errors of 1 of 60."""
    rng = np.random.default_rng(1)
    shares = [numeric_linkage(*rng.normal(size=(2, 60, 4))).shares().mean() for _ in range(40)]
    assert abs(np.mean(shares) - 1 / 60) < 4 * np.std(shares) / np.sqrt(40)


def test_missing_values_count_neither_way():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 5))
    Z = X + rng.normal(size=X.shape) / 10
    Z[:, 4] = np.nan
    with_gap = numeric_linkage(X, Z).shares()
    np.testing.assert_array_equal(with_gap, numeric_linkage(X[:, :4], Z[:, :4]).shares())
    assert with_gap.mean() > 0.9
