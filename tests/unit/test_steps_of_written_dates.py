"""Dates in text or whole numbers that are all first days of months, or one weekday, are released so. Known truth: made here."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf

N = 300
RNG = np.random.default_rng(7)
FIRST_DAYS = pd.Series(pd.period_range("1990-01", periods=300, freq="M").to_timestamp()[RNG.integers(0, 300, N)])
MONDAYS = pd.Series(pd.to_datetime("1990-01-01") + pd.to_timedelta(7 * RNG.integers(0, 1000, N), "D"))
ANY_DAYS = pd.Series(pd.to_datetime("1990-01-01") + pd.to_timedelta(RNG.integers(0, 9000, N), "D"))
CASES = {"month": FIRST_DAYS, "week": MONDAYS, "day": ANY_DAYS}


@pytest.mark.filterwarnings("ignore:.*uncertain")
@pytest.mark.parametrize("as_number", [False, True])
@pytest.mark.parametrize("step", CASES)
def test_written_dates_keep_their_step(step, as_number):
    """The defect: first days of months in text became any day. Dates that fall on any day still do."""
    dates = CASES[step]
    written = dates.dt.strftime("%Y%m%d").astype(int) if as_number else dates.dt.strftime("%Y-%m-%d")
    x = dates.dt.year + RNG.integers(-3, 4, N)
    frame = pd.DataFrame({"x": x, "y": written})
    assert pf.describe(frame)["y"].step == step
    method = pf.Calibrated(pf.IPSO("C"))
    released = pf.protect(frame, method, pf.Roles(["x"], ["y"]), seed=1, allow_unprotected=True).frame["y"]
    after = pd.to_datetime(released.astype(str), format="%Y%m%d" if as_number else "%Y-%m-%d")
    assert (after.dt.day == 1).all() == (step == "month")
    assert (after.dt.day_of_week == 0).all() == (step == "week")
