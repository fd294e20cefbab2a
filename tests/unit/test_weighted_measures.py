"""Measures of records with survey weights: equal weights give what no weights give, and whole ones what as many copies give."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidInput, InvalidParameter
from pyfcrm.evaluation.report import judge
from pyfcrm.measures.pil import weighted_statistics
from pyfcrm.numerics.weighted import (
    effective,
    weighted_bandwidth,
    weighted_density,
    weighted_location,
    weighted_quantiles,
)

KEYS = ("pil", "dbrl", "prl", "prl_tolerance", "id", "dr", "score")
COLUMNS = ["wage", "rent", "tax"]


@pytest.fixture(scope="module")
def files():
    frame = pf.datasets.survey(300)
    roles = pf.Roles(["age", "hours"], COLUMNS, identifiers=["name"])
    return frame, pf.protect(frame, pf.Noise(amount=60), roles, seed=3).frame


def test_equal_weights_change_nothing(files):
    """Oracle: the plain measures. Close: sums in another order, quantiles by another interpolation, 1e-8 per cent."""
    X, Z = (frame[COLUMNS].to_numpy(float) for frame in files)
    plain, weighted = judge(X, Z, COLUMNS, KEYS), judge(X, Z, COLUMNS, KEYS, weights=np.full(len(X), 7.0))
    for a, b in zip(plain.rows(), weighted.rows(), strict=True):
        assert (a["measure"], a["part"]) == (b["measure"], b["part"])
        assert a["value"] == pytest.approx(b["value"], abs=1e-8)
        assert a["baseline"] == pytest.approx(b["baseline"], abs=1e-8)


def test_whole_weights_are_copies():
    """Oracle: moments of the file with each record so often. Close: sums in another order, 1e-12."""
    rng = np.random.default_rng(1)
    A, w = rng.lognormal(size=(40, 3)), rng.integers(1, 6, 40)
    found, fourth = weighted_statistics(A, w.astype(float))
    B = np.repeat(A, w, axis=0)
    S = (B - B.mean(axis=0)) / B.std(axis=0)
    np.testing.assert_allclose(found.where.origin + found.where.offset, B.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.where.sd, B.std(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.r, np.corrcoef(B.T), rtol=1e-12)
    np.testing.assert_allclose(fourth.m22, (S**2).T @ S**2 / len(B), rtol=1e-12)
    np.testing.assert_allclose(fourth.m31, (S**3).T @ S / len(B), rtol=1e-12)
    assert found.n == pytest.approx(w.sum() ** 2 / (w**2).sum())


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
    x, w = np.array([3.0, 1.0, 2.0, 1e9]), np.array([1.0, 1.0, 1.0, 1e-14])
    assert weighted_quantiles(x, w, np.array([0.4]))[0] == pytest.approx(2, abs=0.01)
    constant = np.full((5, 1), 2.5)
    assert weighted_location(constant, np.arange(1.0, 6)).sd[0] == 0
    assert weighted_bandwidth(constant[:, 0], np.ones(5)) > 0
    assert np.isfinite(weighted_density(np.array([2.5, 1e300]), constant[:, 0], np.ones(5), 0.1)).all()


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


def test_evaluate_says_which_measures_heed_them(files):
    frame, released = files
    report = pf.evaluate(
        frame, released, COLUMNS, [*KEYS, "um"], weights="weight", independent=["age"], domains="stratum", seed=1
    )
    (note,) = (note for note in report.notes if getattr(note, "kind", "") == "by_weights")
    assert note == "counted by the weights of `weight`, for the population: " + ", ".join(KEYS) + "; not so: um"
    assert {"dbrl", "id"} <= set(report.inference)
    informed = pf.evaluate(frame, released, COLUMNS, weights="weight", method=pf.Noise(amount=60), guesses=0)
    assert "linkage_informed" in " ".join(informed.notes)
    assert informed["linkage_informed"] >= informed["dbrl"]


def test_refused(files):
    frame, released = files
    for error, words, more in (
        (InvalidInput, "no column is called", {"weights": "nope"}),
        (InvalidParameter, "must be the name of one column", {"weights": 3}),
        (InvalidParameter, "where strata are judged", {"weights": "weight", "strata": "stratum"}),
        (InvalidParameter, "do not pair", {"weights": "weight", "method": pf.Dummy()}),
    ):
        with pytest.raises(error, match=words):
            pf.evaluate(frame, released, COLUMNS, **more)
    with pytest.raises(InvalidInput, match="pair one to one"):
        pf.evaluate(frame, released.iloc[:100].reset_index(drop=True), COLUMNS, "pil", weights="weight")
    with pytest.raises(InvalidInput, match="above 0"):
        pf.evaluate(frame.assign(weight=-1.0), pd.DataFrame(released), COLUMNS, weights="weight")
