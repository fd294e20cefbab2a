"""Codes of missing values are gaps for every function that judges a release.

Oracle: the same files with gaps in place of the codes. Grade: identical.
"""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf

ROLES = pf.Roles(["age", "hours"], ["wage", "rent"])
DECLARED = {"wage": pf.Variable(missing_codes=[99999])}


@pytest.fixture(scope="module")
def files():
    """By kind of missing cell, original and release: NaN, the code 99999."""
    rng = np.random.default_rng(0)
    n = 300
    age = rng.integers(20, 70, n)
    hours = rng.integers(10, 60, n)
    wage = np.exp(5 + 0.01 * age + 0.03 * hours + rng.normal(0, 0.3, n)).round(2)
    frame = pd.DataFrame({"age": age, "hours": hours, "wage": wage})
    frame["rent"] = (200 + 0.3 * wage + rng.normal(0, 40, n)).round(2)
    frame.loc[::11, "wage"] = np.nan
    released = pf.protect(frame, pf.IPSO("C"), ROLES, seed=1, missing="protect").frame
    return {"gap": (frame, released), "code": (frame.fillna({"wage": 99999}), released.fillna({"wage": 99999}))}


FUNCTIONS = {
    "analyse": lambda old, new, **more: pf.analyse(old, new, "wage ~ age + log(rent)", **more).to_frame(),
    "variable_changes": lambda old, new, **more: pf.variable_changes(old, new, **more).to_frame(),
    "records_at_risk": lambda old, new, **more: pf.records_at_risk(old, new, roles=ROLES, **more).to_frame(),
    "dependence_test": lambda old, new, **more: pf.dependence_test(old, new, ROLES, **more).to_frame(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_code_is_a_gap(files, name):
    function = FUNCTIONS[name]
    with_codes = function(*files["code"], variables=DECLARED)
    pd.testing.assert_frame_equal(with_codes, function(*files["gap"]))
    assert not with_codes.equals(function(*files["code"], variables="numbers"))


def report(original, released, variables):
    """The report of two files whose roles are known."""
    return pf.evaluate(original, released, roles=ROLES, variables=variables)


def test_measures_and_verdict_are_those_of_gaps(files):
    by_code = report(*files["code"], DECLARED)
    by_gap = report(*files["gap"], None)
    pd.testing.assert_frame_equal(by_code.to_frame(), by_gap.to_frame())
    assert by_code.verdict == by_gap.verdict
    assert by_code.kept == by_gap.kept
    assert "missing cells" in by_code.kept.columns
    assert [*by_code.notes] == [*by_gap.notes]


def test_dates_and_amounts_in_text_are_judged_as_numbers():
    """Oracle: the same file with days and plain numbers."""
    rng = np.random.default_rng(1)
    days = rng.integers(9000, 20000, (2, 200))
    amounts = rng.lognormal(8, 0.5, (2, 200)).round(2)
    plain = [pd.DataFrame({"day": day.astype(float), "pay": pay}) for day, pay in zip(days, amounts, strict=True)]
    written = [
        pd.DataFrame({
            "day": pd.to_datetime(frame["day"], unit="D"), "pay": [f"{value:,.2f}" for value in frame["pay"]],
        })
        for frame in plain
    ]  # fmt: skip
    for function in (
        lambda old, new: pf.variable_changes(old, new).to_frame(),
        lambda old, new: pf.evaluate(old, new).to_frame(),
        lambda old, new: pf.analyse(old, new, "pay ~ day").to_frame(),
    ):
        pd.testing.assert_frame_equal(function(*written), function(*plain))


def test_recoded_columns_stay_what_they_are():
    """A column that is a number in the original only is compared as before: by its classes."""
    frame = pd.DataFrame({"age": np.arange(20, 80), "size": np.tile([1.5, 2.5, 3.5], 20)})
    recoded = pf.protect(frame, pf.Recoding({"age": 40}), pf.Roles([], ["age"]))
    assert pf.evaluate(frame, recoded, columns=["size"], measures="pil").columns == ("size",)


def test_an_audit_attacks_dates_and_amounts_in_text_as_numbers():
    """Oracle: the audit of plain numbers; the released method is the same, and so are the attacked values."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 120), "pay": rng.lognormal(8, 0.5, 120).round(2)})
    frame["tax"] = (0.2 * frame["pay"] + rng.normal(0, 50, 120)).round(2)
    start = pd.Timestamp("1990-01-01")
    written = frame.assign(age=start + pd.to_timedelta(frame["age"], unit="D"))
    roles = pf.Roles(["age"], ["pay", "tax"])
    audits = [pf.audit(each, pf.IPSO("C"), roles, seed=1, repeats=1, shadows=0) for each in (frame, written)]
    assert audits[0].to_frame()["attack"].tolist() == audits[1].to_frame()["attack"].tolist()
    assert audits[0]["membership"] == pytest.approx(audits[1]["membership"], abs=5)  # predictors shifted by 7305 days


@pytest.mark.slow
def test_what_protect_was_told_of_a_variable_is_used_by_all(files):
    """Oracle: the release of the same file with gaps, from the same seed; audits included."""
    (of_codes, _), (of_gaps, _) = files["code"], files["gap"]
    by_code = pf.protect(of_codes, pf.IPSO("C"), ROLES, seed=1, variables=DECLARED)
    by_gap = pf.protect(of_gaps, pf.IPSO("C"), ROLES, seed=1, missing="protect")
    pd.testing.assert_frame_equal(by_code.frame, by_gap.frame.fillna({"wage": 99999}))
    reports = [pf.evaluate(old, new, audit=True) for old, new in ((of_codes, by_code), (of_gaps, by_gap))]
    pd.testing.assert_frame_equal(reports[0].to_frame(), reports[1].to_frame())
    assert reports[0].verdict == reports[1].verdict
    assert reports[0].verdict["audit"].status != "not examined"
    for name, function in FUNCTIONS.items():
        pd.testing.assert_frame_equal(function(of_codes, by_code), function(of_gaps, by_gap), obj=name)


def test_gaps_and_a_weight_without_a_key_variable_are_judged():
    """Which cells are missing is all that an intruder can know: no record is unique by it. Oracle: counting."""
    frame = pf.datasets.survey(300)[["wage", "rent", "weight"]].astype(float)
    frame.loc[::9, "wage"] = np.nan
    roles = pf.Roles([], ["wage", "rent"], weight="weight")
    released = pf.protect(frame, pf.IPSO("C"), roles, missing="protect", seed=1)
    [test] = [test for test in pf.evaluate(frame, released).verdict.tests if test.key == "key_risk"]
    assert test.status == "pass"
