"""Extremes and totals of files whose records pair with no original ones: the test `totals`. Known truth: a planted record."""

import numpy as np
import pandas as pd
import pytest
from support.generators import Given
from support.school_file import school_file

import pyfcrm as pf


def enterprises(times, seed, n=300):
    """A file of n enterprises, one of which has `times` the median of turnover."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"turnover": np.exp(7 + 0.6 * rng.standard_normal(n)), "staff": rng.normal(50, 8, n)}).round()
    frame.loc[7, "turnover"] = np.round(times * frame["turnover"].median())
    return frame


def totals_of(file, method, **given):
    released = pf.protect(file, method, pf.suggest_roles(file, product="public"), seed=pf.RStream(1), **given)
    return pf.evaluate(file, released, measures=["pil"]).verdict["totals"]


@pytest.mark.slow
def test_arf_of_a_whole_file_is_examined_and_passes():
    """Known truth: 300 students, no score dominates."""
    assert totals_of(school_file(300), pf.ARF(trees=5)).status == "pass"


@pytest.mark.slow
@pytest.mark.parametrize("times", [20, 50])
def test_arf_does_not_follow_a_planted_record_or_is_held(times):
    """Known truth: the planted value. It is not within 10 per cent of a released one, or the file is held."""
    file = enterprises(times, 1)
    released = pf.protect(file, pf.ARF(trees=5), pf.suggest_roles(file, product="public"), seed=pf.RStream(1))
    off = np.abs(released.frame["turnover"] / file.loc[7, "turnover"] - 1).min()
    assert off > 0.1 or pf.evaluate(file, released, measures=["pil"]).verdict["totals"].status == "hold"


def test_a_generator_that_returns_the_planted_record_does_not_pass():
    """Known truth: the release has the planted value, and its total is the original's, which the value dominates."""
    file = enterprises(2000, 1)
    test = totals_of(file, pf.External(Given(file.sample(frac=1, random_state=1))))
    assert test.status == "hold"
    assert "turnover of all records" in test.reason


def test_a_generator_cannot_be_repeated_where_an_extreme_is_near_a_value():
    """Known truth: another total, and a maximum within 10 per cent of the planted value. Without it nothing is disclosed."""
    file = enterprises(50, 1)
    other = enterprises(46, 2)
    assert totals_of(file, pf.External(Given(other))).status == "not examined"
    narrow = other.clip(upper=pd.Series({"turnover": 3000, "staff": 55}), axis=1)
    assert totals_of(file, pf.External(Given(narrow))).status == "pass"
