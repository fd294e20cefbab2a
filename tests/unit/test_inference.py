"""The inference baseline: against a regression refitted without each record, and what evaluate() makes of it."""

import numpy as np
import pandas as pd
import pytest
from support.data import cloud
from support.data import frame as make_frame

from pyfcrm import FCRM, Roles, RStream, evaluate, protect
from pyfcrm.errors import InvalidInput, InvalidParameter
from pyfcrm.evaluation import inference
from pyfcrm.evaluation.inference import NEIGHBOURS, inference_baseline
from pyfcrm.evaluation.report import Report
from pyfcrm.measures import MEASURES
from pyfcrm.measures.measure import Parts
from pyfcrm.methods.donors import donors_near

ROLES = Roles(["a", "b"], ["y", "whole"])


@pytest.mark.parametrize("collinear", [False, True])
def test_equals_a_regression_refitted_without_each_record(collinear):
    """Oracle: lstsq on the other n - 1 records, one by one. Close: one solve against a rank-one update."""
    X, Y = cloud(50, 2, 3, seed=1)
    X = np.column_stack([X, X.sum(axis=1)]) if collinear else X
    donor = donors_near("", X, NEIGHBOURS, RStream(5))
    A = np.column_stack([np.ones(50), X])
    expected = np.empty_like(Y)
    for i in range(50):
        rest = np.arange(50) != i
        b = np.linalg.lstsq(A[rest], Y[rest], rcond=None)[0]
        expected[i] = Y[donor[i]] + (A[i] - A[donor[i]]) @ b
    np.testing.assert_allclose(inference_baseline(X, Y, RStream(5)), expected, rtol=1e-8, atol=1e-8)


def test_a_records_own_values_decide_nothing_of_its_draw():
    """Identical but for rounding: record 7's y moved by 1000 sd."""
    X, Y = cloud(60, 2, 2, seed=2)
    other = Y.copy()
    other[7] += 1000 * Y.std(axis=0)
    one, two = (inference_baseline(X, A, RStream(1)) for A in (Y, other))
    np.testing.assert_allclose(one[7], two[7], rtol=1e-7)
    assert np.abs(one - two).max() > Y.std()


def test_without_x_it_is_another_records_values():
    _, Y = cloud(30, 1, 2, seed=3)
    draw = inference_baseline(np.empty((30, 0)), Y, RStream(1))
    donor = donors_near("", np.empty((30, 0)), NEIGHBOURS, RStream(1))
    np.testing.assert_allclose(draw, Y[donor], rtol=1e-12)
    assert (donor != np.arange(30)).all()


def test_a_record_alone_in_its_direction_takes_a_donors_values():
    X = np.zeros((20, 1))
    X[4] = 1.0
    Y = np.random.default_rng(4).normal(size=(20, 1))
    draw = inference_baseline(X, Y, RStream(2))
    assert np.abs(np.delete(Y, 4) - draw[4]).min() < 1e-12


def test_whole_numbers_stay_whole_and_nothing_is_modified():
    X, Y = cloud(30, 2, 2, seed=5)
    Y[:, 1] = np.rint(Y[:, 1])
    X.setflags(write=False)
    Y.setflags(write=False)
    draw = inference_baseline(X, Y, RStream(1))
    assert (draw[:, 1] == np.rint(draw[:, 1])).all()
    assert not (draw[:, 0] == np.rint(draw[:, 0])).all()


def test_two_records_and_one():
    assert np.isfinite(inference_baseline(np.array([[1.0], [2.0]]), np.array([[3.0], [5.0]]), RStream(1))).all()
    with pytest.raises(InvalidInput, match="two records"):
        inference_baseline(np.ones((1, 1)), np.ones((1, 1)), RStream(1))


def released(method=None, n=200):
    frame = make_frame(n)
    return frame, protect(frame, method or FCRM(8), ROLES, seed=1).frame


def test_evaluate_is_the_mean_of_three_draws_of_the_seed():
    """Oracle: the draws and the measures one by one. Identical but for the mean's rounding."""
    before, after = released()
    report = evaluate(before, after, ROLES.dependent, independent=ROLES.independent, seed=9)
    X, Y = (before[list(c)].to_numpy(float) for c in (ROLES.independent, ROLES.dependent))
    stream = RStream(9)
    draws = [inference_baseline(X, Y, stream) for _ in range(3)]
    assert set(report.inference) == {"dbrl", "prl", "id", "dr"}
    for key in ("dbrl", "prl", "id"):
        assert report.inference[key] == pytest.approx(np.mean([MEASURES[key].compute(Y, Z).total for Z in draws]))
        assert report.leak(key) == report[key] - report.inference[key]
    assert report.inference["dr"] == pytest.approx(
        (report.inference["dbrl"] + report.inference["prl"]) / 4 + report.inference["id"] / 2
    )


def test_it_is_rows_beside_the_others_and_changes_none_of_them():
    before, after = released()
    plain = evaluate(before, after, ROLES.dependent).to_frame()
    table = evaluate(before, after, ROLES.dependent, independent=["a", "b"], seed=1).to_frame()
    extra = table["part"] == "inference baseline"
    assert list(table["measure"][extra]) == ["dbrl", "prl", "id", "dr"]
    pd.testing.assert_frame_equal(table[~extra].reset_index(drop=True), plain)
    dbrl = table[extra].iloc[0]
    assert dbrl["baseline"] == pytest.approx(100 / 200)
    assert dbrl["excess"] == dbrl["value"] - dbrl["baseline"]


def test_the_published_fcrm_leaks_and_the_draw_itself_does_not():
    """Statistical: a cluster chosen by the record's own y is far above what X tells; a fourth draw is within noise,
    sd of a DBRL of 400 records near 1 % being 0.5 point."""
    before = make_frame(400)
    leaky = protect(before, FCRM(8), ROLES, seed=1).frame
    assert evaluate(before, leaky, ROLES.dependent, independent=ROLES.independent, seed=2).leak("dbrl") > 5
    X, Y = (before[list(c)].to_numpy(float) for c in (ROLES.independent, ROLES.dependent))
    fourth = before.copy()
    fourth[list(ROLES.dependent)] = inference_baseline(X, Y, RStream(77))
    report = evaluate(before, fourth, ROLES.dependent, independent=ROLES.independent, seed=2)
    assert abs(report.leak("dbrl")) < 2
    assert abs(report.leak("id")) < 4


def test_missing_values_in_x():
    before, after = released()
    before.loc[3, "a"] = np.nan
    report = evaluate(before, after, ROLES.dependent, independent=ROLES.independent, seed=1)
    assert report.records == 200
    assert "1 of 200" in " ".join(report.notes)


def test_what_is_refused():
    before, after = released()
    with pytest.raises(InvalidParameter, match="independent"):
        evaluate(before, after, ["y", "a"], independent=["a"])
    with pytest.raises(InvalidInput, match="no inference baseline"):
        evaluate(before, after, ROLES.dependent, independent=["a"], seed=1).leak("pil")


def test_only_risks_of_pairs_have_one():
    before, after = released()
    report = evaluate(before, after, ["y"], measures=["pil", "um"], independent=["a"], seed=1)
    assert report.inference == {}


def test_the_example_of_the_docstring():
    """By hand, as it stands there: a risk, its excess over chance, and its leak over inference."""
    made = Report({"dbrl": Parts(5.0, baseline=0.1)}, ("y",), 1000, inference={"dbrl": 4.2})
    table = [(row["part"], row["value"], row["baseline"], round(row["excess"], 9)) for row in made.rows()]
    assert table == [("total", 5.0, 0.1, 4.9), ("inference baseline", 4.2, 0.1, 4.1)]
    assert made.leak("dbrl") == pytest.approx(0.8)
    for part, *numbers in table:
        line = next(line for line in inference.__doc__.splitlines() if "dbrl     " + part in line)
        assert [float(word) for word in line.split(part)[1].split()[:3]] == numbers
