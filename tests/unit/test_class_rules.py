"""Levels of a category of which none has an amount: a depression has no hurricane diameter. By hand. Identical."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf

MEASURES = ["wind", "storm", "hurricane"]


def storms(gaps=False):
    """Records of three statuses. Only hurricanes have a hurricane diameter; in half of the records both diameters are missing."""
    rng = np.random.default_rng(8)
    n = 900
    status = rng.choice(["depression", "hurricane", "storm"], n, p=[0.25, 0.3, 0.45])
    wind = rng.normal(40, 8, n) + 15 * (status == "storm") + 25 * (status == "hurricane")
    storm = np.where(status == "depression", 0, np.rint(rng.lognormal(4, 0.6, n)) + 1)
    hurricane = np.where(status == "hurricane", np.rint(storm * rng.uniform(0.1, 0.6, n)) + 1, 0)
    frame = pd.DataFrame(
        {
            "month": rng.integers(5, 12, n),
            "status": status,
            "wind": wind.round(1),
            "storm": storm,
            "hurricane": hurricane,
        }
    )
    if gaps:
        frame.loc[rng.random(n) < 0.5, ["storm", "hurricane"]] = np.nan
    return frame


def wrong(Z):
    depressions = int((Z["storm"][Z["status"] == "depression"] > 0).sum())
    return depressions + int((Z["hurricane"][Z["status"] != "hurricane"] > 0).sum())


METHODS = [
    pf.Calibrated(pf.IPSO("C")),
    pf.FCRM(1, release="model"),
    pf.Sequential(),
    pf.ARF(trees=3, rounds=1),
]


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_levels_of_an_unmodified_category_have_no_amounts(method):
    """The defect: fills of gaps gave 22 of 166 depressions a hurricane diameter, and joint zeros moved some to storms."""
    frame = storms(gaps=True)
    roles = pf.Roles(["month", "status"], MEASURES)
    Z = pf.protect(frame, method, roles, seed=1, missing="protect", shuffle=False).frame
    assert wrong(frame) == wrong(Z) == 0
    assert (Z["hurricane"].isna() == frame["hurricane"].isna()).all()


def test_levels_of_a_confidential_category_have_no_amounts():
    """The category is drawn before the numbers, whose class is the level that is drawn."""
    frame = storms(gaps=True)
    roles = pf.Roles(["month"], ["status", *MEASURES])
    Z = pf.protect(frame, pf.Sequential(), roles, seed=1, missing="protect", shuffle=False).frame
    assert (Z["status"] != frame["status"]).mean() > 0.3
    assert wrong(Z) == 0
