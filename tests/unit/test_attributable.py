"""Reference releases and attributable risk: against a regression refitted without each record, and the formula by hand."""

import numpy as np
import pandas as pd
import pytest
from support.data import cloud
from support.data import frame as make_frame

import pyfcrm as pf
from pyfcrm.engine import Local
from pyfcrm.evaluation.risk.attributable import Attributable, Sample, attributable_risk
from pyfcrm.evaluation.risk.reference_releases import (
    CHANCE_DRAWS,
    References,
    SampledRecords,
    count_unchanged,
    regression_model,
    spread,
)
from pyfcrm.measures import MEASURES

ROLES = pf.Roles(["a", "b"], ["y", "whole"])


@pytest.mark.parametrize("collinear", [False, True])
def test_predictions_equal_a_regression_refitted_without_each_record(collinear):
    """Oracle: lstsq on the other n - 1 records. Close: one solve against a rank-one update."""
    X, Y = cloud(50, 2, 3, seed=1)
    X = np.column_stack([X, X.sum(axis=1)]) if collinear else X
    A, expected = np.column_stack([np.ones(50), X]), np.empty_like(Y)
    for i in range(50):
        rest = np.arange(50) != i
        expected[i] = A[i] @ np.linalg.lstsq(A[rest], Y[rest], rcond=None)[0]
    np.testing.assert_allclose(regression_model(X, Y)[0], expected, rtol=1e-8, atol=1e-8)


def test_unchanged_cells_by_hand():
    """Oracle: counted by hand. Record 0 keeps both cells, record 1 one; record 2 keeps its only observed cell."""
    Y = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, np.nan], [np.nan, np.nan]])
    Z = np.array([[1.0, 10.0], [2.0, 25.0], [3.0, np.nan], [np.nan, np.nan]])
    counted = count_unchanged(zip(Y.T, Z.T, 1e-3 * spread(Y), strict=True))
    np.testing.assert_allclose(counted, [2, 1.0, 0.5])


def records_of(X, Y, C=None, unit=None):
    C = np.empty((len(Y), 0)) if C is None else C
    return SampledRecords(X=X, Y=Y, C=C, groups=(np.arange(len(Y)),), unit=unit)


def references_of(X, Y, seed, C=None, unit=None):
    return References.of(records_of(X, Y, C, unit), pf.RStream(seed))


def test_expected_unchanged_cells_are_those_of_draws():
    """Oracle: a column of zeros in half of the records, independent of X: near records share a quarter of all zeros."""
    rng = np.random.default_rng(1)
    n = 2000
    X, zero = rng.normal(size=(n, 1)), rng.random(n) < 0.5
    Y = np.where(zero, 0.0, rng.lognormal(size=n))[:, None]
    expected = references_of(X, Y, 1).expected[0]
    # Standard error of the mean of 20 draws of a share near 0.25: below 0.003.
    assert expected[1] == pytest.approx(zero.mean() ** 2, abs=0.015)
    assert CHANCE_DRAWS == 20


def test_attributable_risk_is_the_formula_of_its_components():
    """Oracle: the measures one by one on the reference releases, and the formula by hand. Close: order of sums."""
    X, Y = cloud(120, 2, 2, seed=4)
    Z = Y + 0.05 * np.random.default_rng(2).normal(size=Y.shape)
    references = references_of(X, Y, 1)
    sample = Sample(
        records=records_of(X, Y),
        references=references,
        Z=Z,
        D=np.empty((120, 0)),
        rows=np.arange(120),
        originals=np.arange(120),
        total=120,
    )
    found = attributable_risk(sample, ["y1", "y2"], [], Local())

    def mean(key, kind):
        return np.mean([MEASURES[key](Y, release).total for release in references.releases[kind]])

    base = {key: max(mean(key, 0), mean(key, 1)) for key in ("dbrl", "prl")}
    parts = [[[p.value for p in MEASURES["id"](Y, release).parts] for release in kind] for kind in references.releases]
    columns = np.max(np.mean(parts, axis=1), axis=0)
    own = np.array([p.value for p in MEASURES["id"](Y, Z).parts])
    above = {key: max(MEASURES[key](Y, Z).total - base[key], 0) for key in base}
    expected = above["dbrl"] / 4 + above["prl"] / 4 + np.maximum(own - columns, 0).mean() / 2
    assert found.inference["dbrl"] == pytest.approx(base["dbrl"])
    assert found.of("dr") == pytest.approx(expected)
    near = np.mean(parts[0])
    assert found.floor == pytest.approx(mean("dbrl", 0) / 4 + mean("prl", 0) / 4 + near / 2)
    assert found.row("id", "y2") == pytest.approx((columns[1], max(own[1] - columns[1], 0)))


def test_values_of_a_reference_come_from_other_units():
    """Oracle: periods of a unit share all values, which no other unit has. Grade: identical."""
    unit = np.repeat(np.arange(30), 6)
    X, Y, C = unit[:, None] + 0.0, unit[:, None] + 100.0, unit[:, None] + 0.0
    references = references_of(X, Y, 1, C, unit)
    assert references.expected[0, 0] == 0
    assert not any((draw == C).any() for kind in references.categories for draw in kind)


@pytest.mark.slow
def test_a_reference_release_has_no_attributable_risk_and_fcrm_as_published_has():
    """Statistical: DR of 400 records by two fresh draws differs by less than 2 points."""
    frame = make_frame(400)
    X, Y = (frame[list(c)].to_numpy(float) for c in (ROLES.independent, ROLES.dependent))
    draw = frame.copy()
    draw[list(ROLES.dependent)] = references_of(X, Y, 77).releases[0][0]
    published = pf.protect(frame, pf.FCRM(8), ROLES, seed=1).frame
    clean, leaky = (pf.evaluate(frame, one, roles=ROLES).attributable for one in (draw, published))
    assert clean.of("dr") < 2
    assert leaky.of("dr") > 5
    assert leaky.of("dbrl") > 5


def test_rows_of_a_report_have_baseline_and_attributable_risk():
    frame = make_frame(150)
    released = pf.protect(frame, pf.FCRM(4), ROLES, seed=1).frame
    table = pf.evaluate(frame, released, ROLES.dependent, independent=ROLES.independent).to_frame()
    rows = table.set_index(["measure", "part"])
    assert rows.loc[("dbrl", "total"), ["inference", "attributable"]].notna().all()
    assert rows.loc[("id", "y"), "attributable"] >= 0
    assert rows.loc[("pil", "total"), ["inference", "attributable"]].isna().all()
    report = pf.evaluate(frame, released, ROLES.dependent, independent=ROLES.independent)
    assert report.floors["score"] == report.floors["dr"] / 2
    assert f"SCORE {report.floors['score']:.2f}" in str(report)
    assert pf.evaluate(frame, released, ROLES.dependent, ["pil"]).inference == {}


def test_strata_of_one_record_have_no_attributable_risk():
    """Oracle: the definition, no reference release without the record's own values exists. Grade: identical."""
    frame = pd.DataFrame({"x": [0.0, 0.0], "y": [0.0, -1.0], "z": [1.0, 0.0], "word": ["b", "a"]})
    report = pf.evaluate(frame, frame, roles=pf.Roles(["z"], ["x", "y"]), strata="word")
    assert report.attributable is None
    assert report.verdict["risk"].status == "not examined"


def test_attributable_risk_by_hand():
    """Interval disclosure is compared column by column: 10 - 4 counts, 0 - 6 does not. Linkages below their baseline are 0."""
    values = {"dbrl": 20.0, "prl": 5.0, "id": 5.0, "linkage_informed": 30.0}
    inference = {"dbrl": 8.0, "prl": 7.0, "id": 5.0, "linkage_informed": 10.0}
    found = Attributable(
        columns=("y", "z"),
        values=values,
        inference=inference,
        id_values=np.array([10.0, 0.0]),
        id_inference=np.array([4.0, 6.0]),
        records=50,
    )
    assert [found.of(key) for key in ("dbrl", "prl", "id")] == [12, 0, 3]
    assert found.of("dr") == 12 / 4 + 0 / 4 + 3 / 2
    assert found.of("dr_informed") == 20 / 4 + 0 / 4 + 3 / 2
    assert found.row("id", "y") == (4, 6)
    assert found.row("id", "z") == (6, 0)
    assert found.row("dbrl", "total") == (8, 12)
    assert found.row("pil", "total") == (None, None)


def test_risks_by_strata_are_weighted_by_records():
    """Oracle: the report by strata, of 40 records and 25, which differ in how near the release is. Close: sums of two floats."""
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(rng.gamma(2.0, size=(65, 4)), columns=list("abyz"))
    frame["g"] = np.repeat(["p", "q"], [40, 25])
    released = frame.copy()
    released[["y", "z"]] += np.repeat([0.02, 1.0], [40, 25])[:, None] * rng.normal(size=(65, 2))
    roles = pf.Roles(["a", "b"], ["y", "z"])
    report = pf.evaluate(frame, released, measures=["dbrl", "prl", "id"], roles=roles, strata="g")
    for key in ("dbrl", "prl", "id"):
        assert report.attributable.values[key] == pytest.approx(report[key], rel=1e-12)
    first, second = (np.flatnonzero(frame["g"] == g) for g in "pq")
    parts = [pf.evaluate(frame.iloc[rows], released.iloc[rows], ["y", "z"], "dbrl")["dbrl"] for rows in (first, second)]
    assert report["dbrl"] == pytest.approx((40 * parts[0] + 25 * parts[1]) / 65, rel=1e-12)
    assert abs(parts[0] - parts[1]) > 20
