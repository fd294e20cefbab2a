"""Measures of records with survey weights: equal weights give what no weights give; variances by finite differences."""

import numpy as np
import pytest
from scipy.special import erf
from support.measured import judge

import pyfcrm as pf
from pyfcrm.numerics.moments import bandwidth, effective, quantiles, unit_density, weighted_location

COLUMNS = ["wage", "rent", "tax"]


@pytest.fixture(scope="module")
def files():
    frame = pf.datasets.survey(300)
    roles = pf.Roles(["age", "hours"], COLUMNS, identifiers=["name"])
    return frame, pf.protect(frame, pf.Noise(amount=60), roles, seed=3).frame


def covariances(A, w):
    C = np.cov(A.T, aweights=w, ddof=0)
    return C, np.sqrt(np.diag(C))


OFF = np.triu_indices(3, 1)
STATISTICS = {
    "mean": lambda A, w: w @ A / w.sum(),
    "variance": lambda A, w: np.diag(covariances(A, w)[0]),
    "covariance": lambda A, w: covariances(A, w)[0][OFF],
    "correlation": lambda A, w: (covariances(A, w)[0] / np.outer(*[covariances(A, w)[1]] * 2))[OFF],
}


@pytest.mark.parametrize("name", STATISTICS)
def test_variances_by_finite_differences(name):
    """Oracle: how a statistic moves with each record's weight, squared and summed. Close: the step's own error, 1e-6."""
    rng = np.random.default_rng(1)
    X = rng.gamma(2.0, size=(80, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.3], [0, 0, 1]]) + 5
    Z, w, statistic, step = X + rng.normal(0, 0.3, X.shape), np.exp(rng.normal(size=80)), STATISTICS[name], 1e-5
    moves = [(statistic(X, w + step * one) - statistic(X, w - step * one)) / (2 * step) for one in np.eye(80)]
    variance = (w**2) @ np.square(moves)
    expected = 100 * erf(np.abs(statistic(Z, w) - statistic(X, w)) / np.sqrt(2 * variance)).mean()
    report = judge(X, Z, "abc", ["pil"], weights=w)
    assert {part.name: part.value for part in report.results["pil"].parts}[name] == pytest.approx(expected, rel=1e-6)


def test_shares_are_of_the_population():
    """By hand: two records of four keep their values; what they stand for is linked and inside every interval."""
    X = np.array([[0.0], [100.0], [200.0], [300.0]])
    Z = np.array([[0.0], [100.0], [300.0], [200.0]])
    w = np.array([5.0, 3.0, 1.0, 1.0])
    report = judge(X, Z, ["x"], ["dbrl", "id"], weights=w)
    assert [report["dbrl"], report["id"]] == pytest.approx([80, 80], abs=1e-9)
    assert report.results["id"].baseline == pytest.approx(25)  # each value is that of one record of the release


def test_weights_are_worth():
    """By hand: a record of all the weight is one record. A weight of next to nothing moves no quantile."""
    assert effective(np.array([1.0, 1e-12])) == pytest.approx(1)
    x, w = np.array([1.0, 2.0, 3.0, 1e9]), np.array([1.0, 1.0, 1.0, 1e-14])
    assert quantiles(x, np.array([0.4]), w)[0] == pytest.approx(2, abs=0.01)
    constant = np.full((5, 1), 2.5)
    assert weighted_location(constant, np.arange(1.0, 6)).sd[0] == 0
    assert bandwidth(constant[:, 0], np.ones(5)) > 0
    assert np.isfinite(unit_density(np.array([2.5, 1e300]), constant[:, 0], np.ones(5), 0.1)).all()


@pytest.mark.slow
def test_informative_weights_show_what_plain_measures_hide(files):
    """Known truth: the records of large weight alone are changed, so the population loses more than the file."""
    frame = files[0].copy()
    heavy = frame["weight"] == frame["weight"].max()
    released = frame.copy()
    released.loc[heavy, "rent"] = released.loc[heavy, "rent"] * 3
    plain = pf.evaluate(frame, released, COLUMNS)
    weighted = pf.evaluate(frame, released, COLUMNS, weights="weight")
    assert weighted["pil"] > plain["pil"]
    assert weighted["id"] < plain["id"]
