"""The analyst's check: normal equations as the oracle, intervals by hand, and formulas that are refused."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pyfcrm as pf
from pyfcrm.errors import InvalidParameter
from pyfcrm.evaluation.utility.regression import Analysis, interval_overlap
from pyfcrm.numerics.least_squares import Fit, least_squares


def frame(n=60, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n) * 1000 + 5e4, rng.gamma(2.0, size=n)
    return pd.DataFrame({"y": 3 + 0.01 * a - 2 * b + noise * rng.normal(size=n), "a": a, "odd name": b})


def test_equals_the_normal_equations():
    """Oracle: (1, X) with numpy's inverse, textbook standard errors, scipy's t. Close: that inverse."""
    data = frame()
    fit = pf.analyse(data, data, "y ~ a + `odd name`").original
    D = np.column_stack([np.ones(60), data["a"], data["odd name"]])
    inverse = np.linalg.inv(D.T @ D)
    coef = inverse @ D.T @ data["y"].to_numpy()
    left = data["y"].to_numpy() - D @ coef
    se = np.sqrt(np.diag(inverse) * (left @ left) / 57)
    np.testing.assert_allclose(fit.coef, coef, rtol=1e-7)
    np.testing.assert_allclose(fit.se, se, rtol=1e-7)
    np.testing.assert_allclose(fit.high - fit.coef, stats.t(57).ppf(0.975) * se, rtol=1e-7)
    assert (fit.records, fit.freedom) == (60, 57)


def test_overlap_by_hand():
    """[0, 4] and [2, 10] share [2, 4]: (2/4 + 2/8)/2. Apart: 0. No width: in or out. Close."""
    none = np.zeros(4)
    first = Fit(none, none, np.array([0.0, 0, 1, np.nan]), np.array([4.0, 1, 1, np.nan]), 9, 7, np.eye(4))
    other = Fit(none, none, np.array([2.0, 2, 0, 0]), np.array([10.0, 3, 2, 1]), 9, 7, np.eye(4))
    np.testing.assert_allclose(interval_overlap(first, other)[:3], [37.5, 0, 50])
    assert np.isnan(interval_overlap(first, other)[3])


def test_aliased_regressors_have_no_coefficient():
    """As in R's lm: the later of two that say the same, and a constant, are NaN. Oracle: the fit without them."""
    data = frame()
    data["twice"], data["one"] = 2 * data["a"] + 1, 1.0
    result = pf.analyse(data, data, "y ~ a + twice + one + `odd name`")
    without = pf.analyse(data, data, "y ~ a + `odd name`").original
    assert np.isnan(result.original.coef).tolist() == [False, False, True, True, False]
    np.testing.assert_allclose(result.original.coef[[0, 1, 4]], without.coef, rtol=1e-9)
    np.testing.assert_allclose(result.original.se[[0, 1, 4]], without.se, rtol=1e-9)
    assert np.isnan(result.overlap[[2, 3]]).all()
    assert "original: `twice` is constant, or determined by the terms before it: no coefficient" in result.notes


def test_an_exact_fit_and_a_constant_response():
    """No residuals: intervals without width, or nearly. By hand."""
    x = np.arange(10.0)
    fit = least_squares("t", x[:, None], 3 + 2 * x)
    np.testing.assert_allclose(fit.coef, [3, 2])
    np.testing.assert_allclose(fit.se, 0, atol=1e-12)
    constant = least_squares("t", x[:, None], np.full(10, 7.0))
    assert constant.coef.tolist() == [7, 0]


def test_weights_that_name_no_column_are_refused():
    data = frame()
    for weights in (np.array([1, 2]), pd.NA):  # ValueError and TypeError before
        with pytest.raises(InvalidParameter, match="`weights` must be the name of one column, or None"):
            pf.analyse(data, data, "y ~ a", weights=weights)


def test_missing_values():
    data, gaps = frame(), frame()
    gaps.loc[[3, 4], "a"] = np.nan
    result = pf.analyse(data, gaps, "y ~ a")
    assert result.protected.records == 58
    assert result.notes == ("protected: 2 of 60 records have missing values and are left out",)


def test_distances_are_in_standard_errors_of_the_original():
    """By hand: coefficients 3 and 1 apart, standard errors 2 and 0.5 in the original, 7 in the release."""
    none = np.zeros(2)
    original = Fit(np.array([1.0, 5.0]), np.array([2.0, 0.5]), none, none, 9, 7, np.diag([4.0, 0.25]))
    released = Fit(np.array([4.0, 4.0]), np.array([7.0, 7.0]), none, none, 9, 7, np.diag([49.0, 49.0]))
    found = Analysis("y ~ a", ("(Intercept)", "a"), original, released, none)
    assert found.distance.tolist() == [1.5, 2]
    assert "to 2 standard errors" in found.describe()
