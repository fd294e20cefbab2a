"""Tests of missing cells of units that are protected together."""

import numpy as np
import pandas as pd

import pyfcrm as pf


def panel() -> pd.DataFrame:
    """Three periods of 400 units; of `job` a tenth is missing, of `wage` a tenth, and a few have a code."""
    rng = np.random.default_rng(1)
    unit = np.repeat(np.arange(400), 3)
    n = len(unit)
    base = rng.normal(size=400)[unit]
    job = np.where(base + rng.normal(size=n) > 0, "blue", "white").astype(object)
    job[rng.random(n) < 0.1] = None
    wage = np.exp(7 + 0.5 * base + 0.2 * rng.normal(size=n)).round(2)
    frame = pd.DataFrame({"id": unit, "year": np.tile([1, 2, 3], 400), "job": job, "wage": wage})
    frame.loc[rng.random(n) < 0.1, "wage"] = np.nan
    frame.loc[rng.choice(n, 30, replace=False), "wage"] = -9.0
    return frame


def released_panel() -> pd.DataFrame:
    roles = pf.Roles(dependent=["job", "wage"], unit="id", time="year")
    codes = {"wage": pf.Variable(missing_codes=[-9])}
    options = {"missing": "protect", "shuffle": False, "variables": codes, "seed": 3}
    return pf.protect(panel(), pf.Sequential(), roles, **options).frame


def test_a_record_of_a_unit_whose_category_is_drawn_as_missing_has_a_missing_cell() -> None:
    """Oracle: about as many cells are missing as in the original. Records kept their own cell instead. Grade: statistical."""
    frame, new = panel(), released_panel()
    expected = frame["job"].isna().sum()
    assert abs(new["job"].isna().sum() - expected) < 4 * np.sqrt(2 * expected)
