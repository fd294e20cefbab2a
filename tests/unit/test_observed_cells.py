"""missing="protect": what users compute from the observed cells of a release is what they compute from the original's."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.methods.gaps import gap_indicators, without_few_cells
from pyfcrm.protection.completed import regression_draw

N = 600
METHODS = [pf.Calibrated(pf.Sequential()), pf.Calibrated(pf.IPSO("C"))]


def with_gaps(n=N, seed=1):
    """Wages curved in age, which few of the old and many of the others have, and a column 0/1 with gaps of its own."""
    rng = np.random.default_rng(seed)
    age = 20.0 + 10 * rng.integers(0, 6, n)
    sex = rng.integers(0, 2, n).astype(float)
    wage = np.round(np.exp(1.5 + 0.06 * age - 0.0006 * age**2 + 0.2 * sex + 0.4 * rng.normal(size=n)), 2)
    wage[rng.random(n) < np.where(age > 50, 0.8, 0.2)] = np.nan
    owner = (rng.random(n) < 0.2 + 0.005 * age).astype(float)
    owner[rng.random(n) < 0.1] = np.nan
    return pd.DataFrame({"age": age, "sex": sex, "wage": wage, "owner": owner})


def estimates(frame, name):
    """Mean, and slopes on age and sex with their standard errors, of the observed cells of a column."""
    part = frame[frame[name].notna()]
    y = part[name].to_numpy(dtype=float)
    A = np.column_stack([np.ones(len(y)), part["age"], part["sex"]])
    b, sum_of_squares = np.linalg.lstsq(A, y, rcond=None)[:2]
    se = np.sqrt(sum_of_squares / (len(y) - 3) * np.diag(np.linalg.inv(A.T @ A)))
    return np.append(b, y.mean()), np.append(se, y.std() / np.sqrt(len(y)))


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_observed_means_and_slopes_stay(method):
    """A fixed defect: slopes of observed wages were those of the completed file. Within a tenth of a standard error: swaps
    restore sums nearly, and margins are rounded."""
    frame = with_gaps()
    roles = pf.Roles(["age", "sex"], ["wage", "owner"])
    released = pf.protect(frame, method, roles, seed=3, missing="protect", shuffle=False).frame
    assert released.isna().equals(frame.isna())
    for name in ("wage", "owner"):
        value, se = estimates(frame, name)
        assert np.abs((estimates(released, name)[0] - value) / se).max() < 0.1
    assert not (released["wage"] == frame["wage"]).mean() > 0.02


def test_gaps_are_predictors_of_a_method_that_does_not_swap():
    """Oracle: IPSO-C by hand on the completed file, with the indicator of the gaps beside X. Identical."""
    frame = with_gaps().drop(columns="owner")
    released = pf.protect(
        frame, pf.IPSO("C"), pf.Roles(["age", "sex"], ["wage"]), seed=5, missing="protect", variables="numbers"
    ).frame
    stream, A = pf.RStream(5), frame.to_numpy()
    gap = np.isnan(A[:, 2])
    B = regression_draw(A, stream)
    Z = pf.IPSO("C").protect(np.column_stack([B[:, :2], gap]), B[:, 2:], stream)
    np.testing.assert_array_equal(released["wage"], np.where(gap, np.nan, Z[:, 0]))


def test_rare_patterns_of_gaps_count_with_the_nearest():
    """Oracle: nine records with a pattern of their own have the indicators of the pattern one cell away. Identical."""
    gaps = np.zeros((100, 3), dtype=bool)
    gaps[:40, 0] = True
    gaps[:20, 1] = True
    gaps[91:, 1] = True  # only these nine have a gap in the second column alone
    found = gap_indicators(gaps)
    expected = np.column_stack([gaps[:, 0], gaps[:, 0] & gaps[:, 1]]).astype(float)
    assert sorted(map(tuple, found.T)) == sorted(map(tuple, expected.T))
    assert gap_indicators(np.zeros((50, 2), dtype=bool)).shape == (50, 0)


def test_sums_of_few_observed_cells_are_not_kept():
    """Oracle: least squares. No class with fewer than 10 observed cells is a linear combination of the columns that stay."""
    rng = np.random.default_rng(4)
    level = np.repeat(np.arange(5), 40)
    D = np.column_stack([level, *((level == k) for k in (1, 2, 3))]).astype(float)
    classes = np.equal(level[:, None], np.arange(5))
    observed = rng.random(200) < 0.9
    observed[level == 4] = np.arange(40) < 5  # a class without a column of its own
    kept = without_few_cells(D, classes, observed)
    assert 0 < len(kept) < D.shape[1]
    A = np.column_stack([np.ones(observed.sum()), D[np.ix_(observed, kept)]])
    indicator = classes[observed, 4].astype(float)
    assert np.abs(indicator - A @ np.linalg.lstsq(A, indicator, rcond=None)[0]).max() > 0.01
    assert without_few_cells(D, classes, np.ones(200, dtype=bool)) == [0, 1, 2, 3]
