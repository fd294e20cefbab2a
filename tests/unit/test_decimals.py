"""Digits behind the point: found, and kept under constraints; test_derived_margins.py has derived columns."""

import numpy as np
import pandas as pd

import pyfcrm as pf


def farm(n=40):
    """Amounts in cents, with zeros, whose sums no float adds up exactly."""
    rng = np.random.default_rng(2)
    x = np.exp(rng.normal(size=n))
    part = np.round(100 * x * np.exp(rng.normal(size=n)), 2)
    rest = np.where(rng.random(n) < 0.5, 0.0, np.round(80 * x * np.exp(rng.normal(size=n)), 2))
    return pd.DataFrame({"part": part, "rest": rest, "total": np.round(part + rest, 2)})


def test_cents_that_break_a_constraint_are_moved_by_cents():
    """By hand: 10.01 is 0.31 more than the parts, in cents; nothing else moves."""
    frame = farm()
    other = frame.assign(total=frame.total + np.where(np.arange(40) == 3, 0.31, 0.0)).round(2)
    release = pf.protect(
        other, pf.RankSwapping(15), pf.Roles([], ["part", "rest", "total"]), 1, constraints="total == part + rest"
    )
    np.testing.assert_allclose(release.frame.total, release.frame.part + release.frame.rest, rtol=1e-14)
    for name in ("part", "rest", "total"):
        np.testing.assert_array_equal(release.frame[name], np.round(release.frame[name], 2))
