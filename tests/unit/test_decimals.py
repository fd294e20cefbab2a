"""Digits behind the point: found, and kept by smooth margins, by derived columns and under constraints."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.methods.margins import smooth_margin


def farm(n=400):
    """Amounts in cents, with zeros, whose sums no float adds up exactly."""
    rng = np.random.default_rng(2)
    x = np.exp(rng.normal(size=n))
    part = np.round(100 * x * np.exp(rng.normal(size=n)), 2)
    rest = np.where(rng.random(n) < 0.5, 0.0, np.round(80 * x * np.exp(rng.normal(size=n)), 2))
    cost = np.round(90 * x * np.exp(rng.normal(size=n)), 2)
    total = np.round(part + rest, 2)
    values = {"x": x, "part": part, "rest": rest, "cost": cost, "total": total, "gain": np.round(total - cost, 2)}
    return pd.DataFrame(values)


ROLES = pf.Roles(["x"], ["part", "rest", "cost", "total", "gain"])


@pytest.mark.slow
@pytest.mark.parametrize("margins", ["original", "smooth"])
def test_cents_stay_cents_under_identities(margins):
    """Identical to the last bit: parts are permutations of their margins, zeros zeros; sums are those of cents."""
    frame = farm()
    assert (frame.total != frame.part + frame.rest).any()
    method = pf.Calibrated(pf.IPSO("C"), margins=margins)
    release = pf.protect(frame, method, ROLES, seed=1, structure="find").frame
    for name in ("part", "rest", "cost"):
        expected = np.sort(frame[name]) if margins == "original" else smooth_margin(frame[name].to_numpy())
        np.testing.assert_array_equal(np.sort(release[name]), expected)
    np.testing.assert_array_equal(release.total, np.round(release.part + release.rest, 2))
    np.testing.assert_array_equal(release.gain, np.round(release.total - release.cost, 2))
    assert (release.rest == 0).sum() == (frame.rest == 0).sum()


def test_cents_that_break_a_constraint_are_moved_by_cents():
    """By hand: 10.01 is 0.31 more than the parts, in cents; nothing else moves."""
    frame = farm(40)
    other = frame.assign(total=frame.total + np.where(np.arange(40) == 3, 0.31, 0.0)).round(2)
    release = pf.protect(
        other, pf.RankSwapping(15), pf.Roles([], ["part", "rest", "total"]), 1, constraints="total == part + rest"
    )
    np.testing.assert_allclose(release.frame.total, release.frame.part + release.frame.rest, rtol=1e-14)
    for name in ("part", "rest", "total"):
        np.testing.assert_array_equal(release.frame[name], np.round(release.frame[name], 2))
