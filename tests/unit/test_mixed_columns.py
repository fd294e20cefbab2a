"""Methods of numbers on roles with categorical confidential columns: the categories are drawn first. Statistical, and identical."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    n = 600
    group = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    x = rng.normal(size=n)
    wage = 10 + 2 * (group == "b") + 4 * (group == "c") + x + rng.normal(size=n)
    return pd.DataFrame({"x": x, "group": group, "flag": wage + rng.normal(size=n) > 11, "wage": wage})


ROLES = pf.Roles("x", ["group", "flag", "wage"])


def test_relations_with_drawn_categories_survive(frame):
    """Known truth: group effects 0, 2 and 4. Statistical: four standard errors of the released means."""
    released = pf.protect(frame, pf.IPSO("C"), ROLES, seed=1).frame
    means = released.groupby("group").wage.agg(["mean", "sem"])
    expected = frame.groupby("group").wage.mean()
    assert (abs(means["mean"] - expected) < 4 * means["sem"] + 0.1).all()
    assert 0.2 < (released["group"] == frame["group"]).mean() < 0.9
    assert (released.dtypes == frame.dtypes).all()


def test_the_release_is_that_of_the_steps_and_its_audit_belongs_to_it(frame):
    """Oracle: the Steps by hand. Identical."""
    released = pf.protect(frame, pf.IPSO("C"), ROLES, seed=1)
    first = pf.Sequential(), pf.Roles(["x", "wage"], ["group", "flag"])
    by_hand = pf.Steps([first, (pf.IPSO("C"), pf.Roles(["x", "group", "flag"], "wage"))])
    pd.testing.assert_frame_equal(released.frame, pf.protect(frame, by_hand, seed=1).frame)
    audit = pf.audit(frame, pf.IPSO("C"), ROLES, shadows=0, repeats=1)
    assert pf.evaluate(frame, released, audit=audit).verdict["audit"].status in ("pass", "hold")


def test_without_a_number_the_remedy_is_named(frame):
    with pytest.raises(pf.errors.InvalidParameter, match="Sequential"):
        pf.protect(frame, pf.IPSO("C"), pf.Roles("x", "group"))
