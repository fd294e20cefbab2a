"""The analyst's check: normal equations as the oracle, intervals by hand, and formulas that are refused."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.optimize import minimize

import pyfcrm as pf
from pyfcrm.errors import InvalidInput, InvalidParameter
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


def test_a_console_shows_both_files_of_a_curve():
    """By hand: with four digits the release's interval of a square has no room beside the original's; with three both have."""
    rng = np.random.default_rng(3)
    age = rng.integers(16, 90, 400).astype(float)
    wage = 2 + 0.9 * age - 0.0089 * age**2 + rng.normal(0, 3, 400)
    original = pd.DataFrame({"age": age, "education": rng.gamma(9.0, 1.3, 400).round(1), "wage": wage.round(2)})
    released = original.assign(wage=(wage + rng.normal(0, 1, 400)).round(2))
    lines = str(pf.analyse(original, released, "wage ~ age + I(age**2) + education")).splitlines()
    assert lines[1].split() == ["term", "original", "protected"]
    square = next(line for line in lines if line.startswith("I(age^2)"))
    assert square.count("(-") == 2
    assert len(square) <= 79


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


def test_powers_are_columns():
    """Oracle: the same regression on a column of squares. Close: two names of one column."""
    data = frame()
    data["squared"] = (data["odd name"]) ** 2
    expected = pf.analyse(data, data, "y ~ a + `odd name` + squared").original
    for text in ("y ~ a + `odd name` + I(`odd name`^2)", "y ~ a + `odd name` + I( `odd name` ** 2 )"):
        found = pf.analyse(data, data, text)
        assert found.terms[-1] == "I(odd name^2)"
        np.testing.assert_allclose(found.original.coef, expected.coef, rtol=1e-12)


def test_polynomials_are_orthogonal_on_the_original_and_the_same_functions_in_the_release():
    """Oracle: QR of the powers, as R's help of poly says. Close: 1e-8. A release of other values is fitted by the same functions."""
    data = frame()
    x = data["a"].to_numpy()
    Q, R = np.linalg.qr(np.vander(x - x.mean(), 4, increasing=True))
    basis = Q[:, 1:] * np.sign(np.diag(R))[1:]
    columns = data.assign(**{f"p{k}": basis[:, k - 1] for k in (1, 2, 3)})
    expected = pf.analyse(columns, columns, "y ~ p1 + p2 + p3").original
    found = pf.analyse(data, data[:40], "y ~ poly(a, 3)")
    assert found.terms[1:] == ("poly(a, 3)1", "poly(a, 3)2", "poly(a, 3)3")
    np.testing.assert_allclose(found.original.coef, expected.coef, rtol=1e-8)
    part = pf.analyse(columns[:40], columns[:40], "y ~ p1 + p2 + p3").original
    np.testing.assert_allclose(found.protected.coef, part.coef, rtol=1e-8)


def test_a_logistic_regression_by_its_likelihood():
    """Oracle: scipy's minimum of the negative log likelihood, and the inverse of its second derivative.

    Close: 1e-3, standard errors are of the last weights but one.
    """
    data = frame(200)
    data["member"] = data["odd name"] + np.random.default_rng(1).logistic(size=200) > 2
    z = (data["a"] - 5e4) / 1000
    D = np.column_stack([np.ones(200), z, data["odd name"]])
    y = data["member"].to_numpy(float)
    found = minimize(lambda b: np.logaddexp(0, D @ b).sum() - y @ (D @ b), np.zeros(3), tol=1e-10)
    mean = 1 / (1 + np.exp(-D @ found.x))
    se = np.sqrt(np.diag(np.linalg.inv(D.T @ (D * (mean * (1 - mean))[:, None]))))
    fit = pf.analyse(data.assign(z=z), data.assign(z=z), "member ~ z + `odd name`", family="binomial").original
    np.testing.assert_allclose(fit.coef, found.x, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(fit.se, se, rtol=1e-3)
    np.testing.assert_allclose(fit.high - fit.coef, stats.norm.ppf(0.975) * fit.se, rtol=1e-12)


def test_separated_responses_are_noted():
    data = pd.DataFrame({"y": [0, 0, 0, 0, 1, 1, 1, 1], "x": np.arange(8.0)})
    notes = pf.analyse(data, data, "y ~ x", family="binomial").notes
    assert [note.kind for note in notes] == ["not_converged"] * 2


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("y ~ cos(a)", r"knows no function cos\(\), only log\(\), sqrt\(\), exp\(\), I\(a\^2\) and poly\(a, 2\)"),
        ("y ~ a**2", "must be like"),
        ("y ~ I(a)", "must be like"),
        ("y ~ poly(a)", "must be like"),
        ("y ~ log(a, 2)", "must be like"),
        ("y ~ __import__('os')", "must be like"),
        ("poly(y, 2) ~ a", "one column as response"),
    ],
)
def test_what_is_no_formula_is_refused(formula, words):
    data = frame()
    with pytest.raises(InvalidParameter, match=words):
        pf.analyse(data, data, formula)


def test_what_a_regression_cannot_use_is_refused():
    data = frame().assign(sex="f", few=1.0)
    for formula, words in (
        ("y ~ poly(sex, 2)", "needs a column of numbers"),
        ("y ~ poly(few, 2)", "more different values than its degree"),
    ):
        with pytest.raises(InvalidInput, match=words):
            pf.analyse(data, data, formula)
    with pytest.raises(InvalidInput, match="must be 0 or 1 in every record"):
        pf.analyse(data, data, "y ~ a", family="binomial")
    with pytest.raises(InvalidParameter, match="one of 'gaussian', 'binomial'"):
        pf.analyse(data, data, "y ~ a", family="poisson")
