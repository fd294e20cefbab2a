"""What changed by variable, and which records are linked: pandas' own words and loops as the oracle."""

import numpy as np
import pandas as pd
import pytest
from support import brute

import pyfcrm as pf
from pyfcrm.evaluation.risk.linked_records import RecordsAtRisk
from pyfcrm.report.context import with_mean_changes


def two(n=40, seed=0, digits=2):
    rng = np.random.default_rng(seed)
    X = rng.gamma(2.0, size=(n, 3))
    Z = X + np.where(rng.random(X.shape) < 0.5, 0, 0.5 * rng.normal(size=X.shape))
    return tuple(pd.DataFrame(np.round(A, digits), columns=["a", "b", "c"]) for A in (X, Z))


def test_changes_equal_pandas():
    """Oracle: describe() and corr(method="spearman"). Close."""
    X, Z = two()
    table = pf.variable_changes(X, Z).to_frame().set_index("variable")
    for which, frame in (("original", X), ("protected", Z)):
        described = frame.describe()
        for ours, theirs in (("mean", "mean"), ("sd", "std"), ("min", "min"), ("lower_quartile", "25%"),
                             ("median", "50%"), ("upper_quartile", "75%"), ("max", "max")):  # fmt: skip
            np.testing.assert_allclose(table[f"{ours}_{which}"], described.loc[theirs], rtol=1e-12)
    np.testing.assert_allclose(table["changed"], 100 * (X != Z).mean())
    np.testing.assert_allclose(table["rank_correlation"], [X[c].rank().corr(Z[c].rank()) for c in "abc"])


def test_a_mean_moves_in_standard_errors_of_the_values_there_are():
    """Oracle: pandas' sem() of a column with gaps. Close. The page took the records of the file, also those without a value."""
    X, Z = two()
    X.loc[:9, "a"] = np.nan
    Z.loc[:9, "a"] = np.nan
    rows = {row["variable"]: row for row in with_mean_changes(pf.variable_changes(X, Z).variables)}
    assert (rows["a"]["records"], rows["b"]["records"]) == (len(X) - 10, len(X))
    for name in "ab":
        assert rows[name]["moved"] == pytest.approx((Z[name].mean() - X[name].mean()) / X[name].sem(), rel=1e-9)


def test_records_at_risk_equal_the_loops():
    """Oracle: all pairs of the standardised files. Close; and their mean is what dbrl and prl_tolerance report."""
    X, Z = two(digits=1)
    result = pf.records_at_risk(X, Z)
    xs, zs = (np.array(brute.standardised(A.to_numpy())) for A in (X, Z))
    d = np.sqrt(((xs[:, None] - zs) ** 2).sum(axis=2))
    np.testing.assert_allclose(result.distance, np.diag(d))
    others = d + np.where(np.eye(len(d)) == 1, np.inf, 0)
    np.testing.assert_allclose(result.other_distance, others.min(axis=1))
    report = pf.evaluate(X, Z, measures=["dbrl", "prl_tolerance"])
    assert 100 * result.dbrl.mean() == pytest.approx(report["dbrl"])
    assert 100 * result.prl.mean() == pytest.approx(report["prl_tolerance"])
    assert result.agreement == "agreement within 0.1 sd"


def test_the_list_an_agency_acts_on():
    """Only linked records, the clearest first, by their own labels. By what was asked."""
    X, Z = two()
    X.index = [f"r{k}" for k in range(len(X))]
    Z.index = X.index
    shuffled = Z.sample(frac=1, random_state=1)
    result = pf.records_at_risk(X, shuffled)
    table = result.to_frame()
    assert set(table["record"]) == {f"r{k}" for k in np.flatnonzero(pf.records_at_risk(X, Z).linked)}
    assert table["dbrl"].is_monotonic_decreasing
    first = table.iloc[0]
    assert first["margin"] == pytest.approx(first["other_distance"] - first["distance"])
    assert len(result.to_frame(every=True)) == 40
    assert len(table) == result.linked.sum() < 40


def test_the_clearest_link_is_first():
    """By hand: both files have the same values, those of the first two records swapped. The others are linked at distance 0.
    Their margins are the distances to the nearest other value: 90, 200 and 700, over one standard deviation."""
    original = pd.DataFrame({"x": [0.0, 10.0, 100.0, 300.0, 1000.0]})
    released = pd.DataFrame({"x": [10.0, 0.0, 100.0, 300.0, 1000.0]})
    table = pf.records_at_risk(original, released).to_frame()
    assert table["record"].tolist()[:3] == [4, 3, 2]
    np.testing.assert_allclose(table["margin"][:3] * original["x"].std(), [700, 200, 90], rtol=1e-12)


def test_tied_records_are_not_linked():
    """1,997 equal records and three that stand alone, of which two tie: by hand. One in 1,997 is expected among the tied."""
    frame = pd.DataFrame({"a": [0.0] * 1997 + [50.0, 50.0, 900.0]})
    result = pf.records_at_risk(frame, frame)
    assert np.flatnonzero(result.linked).tolist() == [1997, 1998, 1999]
    assert result.expected == pytest.approx(1 + 2 * 0.5 + 1)
    assert len(result.to_frame()) == 3
    assert str(result).startswith("3 of 2,000 records are linked")
    assert "expected number of re-identifications: 3.0" in " ".join(str(result).split())


def test_many_records_take_exact_agreement(monkeypatch):
    """Oracle: prl's links of exact agreement; linkage by distance as before. Identical."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(120, 5)), columns=list("abcde"))
    Z = X + 0.3 * rng.normal(size=X.shape)
    Z.iloc[::2, :3] = X.iloc[::2, :3]
    few = pf.records_at_risk(X, Z)
    monkeypatch.setattr("pyfcrm.evaluation.records_at_risk.MOST_RECORDS", 100)
    many = pf.records_at_risk(X, Z)
    np.testing.assert_array_equal(many.other_distance, few.other_distance)
    np.testing.assert_array_equal(many.dbrl, few.dbrl)
    assert 100 * many.prl.mean() == pytest.approx(pf.evaluate(X, Z, measures=["prl"])["prl"])
    assert any("exact agreement" in note for note in many.notes)


@pytest.mark.parametrize("turned", [False, True])
def test_the_expected_number_is_that_of_the_linkage_that_finds_most(turned):
    """By hand: three links by one linkage, 1 1/2 by the other; a record that is one of two counts as linked, one of three not."""
    most, fewest = np.array([1.0, 1.0, 0.5, 0.5]), np.array([1 / 3, 0.5, 1 / 3, 1 / 3])
    dbrl, prl = (fewest, most) if turned else (most, fewest)
    found = RecordsAtRisk((0, 1, 2, 3), dbrl, prl, np.zeros(4), np.ones(4), "rule")
    assert found.expected == 3
    assert found.linked.tolist() == [True] * 4
    assert RecordsAtRisk((0, 1), np.array([1 / 3, 0.5]), np.zeros(2), np.zeros(2), np.ones(2), "").linked.tolist() == [
        False,
        True,
    ]
