"""Next steps after a hold. Oracle: the same test on a release for which the step was taken; changed records for a number."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf

ROLES = pf.Roles(["age", "hours"], ["wage", "rent"], ["name"])


def verdict(frame, released):
    return pf.evaluate(frame, released, measures="pil").verdict


def taken(frame, test, method, roles):
    """A release by the steps of a test's remedies, then by a method; columns to drop are dropped."""
    [remedy] = test.remedies
    steps = remedy.change.steps(method, roles)
    return frame.drop(columns=[*remedy.change.dropped]), pf.protect(frame, pf.Steps(steps), seed=1, missing="drop")


@pytest.fixture(scope="module")
def dominated():
    """400 enterprises, one of which has nearly all of the turnover."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"size": rng.integers(1, 5, 400), "turnover": np.exp(rng.normal(9, 0.5, 400)).round()})
    frame.loc[7, "turnover"] = 5e8
    return frame


def test_a_top_code_makes_totals_safe(dominated):
    """At least 10 records have the top code, so that no rule of tables fails. Identical."""
    roles = pf.Roles("size", "turnover")
    test = verdict(dominated, pf.protect(dominated, pf.IPSO("C"), roles))["totals"]
    assert test.status == "hold"
    [remedy] = test.remedies
    [(step, _)] = remedy.change.before
    top = step.top
    assert remedy.words == f"top-code `turnover` at {top:,.0f}"
    assert (dominated.turnover >= top).sum() >= 10
    _, released = taken(dominated, test, pf.IPSO("C"), roles)
    assert verdict(dominated.assign(turnover=dominated.turnover.clip(upper=top)), released)["totals"].status == "pass"


def test_a_top_code_ends_a_hold_by_an_extreme():
    """The largest of 200 values decides their extreme, and 10 or more are equal to the top code. The defect: margins
    were drawn of the values before the top code, and the hold stayed. Identical."""
    rng = np.random.default_rng(1)
    sizes = np.r_[np.linspace(100, 2200, 199), 9000.0].round()
    frame = pd.DataFrame({"x": rng.integers(1, 5, 200), "enroll": rng.permutation(sizes)})
    roles = pf.Roles("x", "enroll")
    method = pf.Calibrated(pf.IPSO("C"), margins="original")
    test = verdict(frame, pf.protect(frame, method, roles, seed=1))["totals"]
    assert "decides the extreme of enroll" in test.reason
    rest, released = taken(frame, test, method, roles)
    assert verdict(rest, released)["totals"].status == "pass"


@pytest.mark.parametrize("factor", [1, 3])
def test_a_top_code_depends_on_no_few_records(dominated, factor):
    """Nine other largest records change nothing in what the remedy says, unless they become smaller than others. Identical."""
    roles = pf.Roles("size", "turnover")
    other = dominated.copy()
    largest = other.turnover.nlargest(9).index[1:]
    other.loc[largest, "turnover"] = other.turnover.nlargest(10).min() * factor
    texts = [verdict(each, pf.protect(each, pf.IPSO("C"), roles))["totals"].remedy for each in (dominated, other)]
    assert texts[0] == texts[1]


@pytest.mark.slow
def test_key_variables_are_recoded_until_few_records_are_unique():
    """Birth dates to years; a nearly unique measurement is dropped. The release then passes the test."""
    frame = pf.datasets.survey(2000)[["region", "age", "wage", "rent"]]
    rng = np.random.default_rng(1)
    frame["birth"] = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 3000, len(frame)), unit="D")
    frame["latitude"] = rng.uniform(47, 55, len(frame))
    roles = pf.Roles("age", ["wage", "rent"])
    test = verdict(frame, pf.protect(frame, pf.IPSO("C"), roles, missing="drop"))["sample_uniques"]
    assert test.status == "hold"
    assert test.remedy == "drop `latitude` or protect it, and recode `birth` to years"
    rest, released = taken(frame, test, pf.IPSO("C"), roles)
    assert verdict(rest, released)["sample_uniques"].status == "pass"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "structure"), [(pf.Calibrated(pf.IPSO("C")), None), (pf.IPSO("C"), "default")], ids=str
)
def test_rules_that_were_not_kept_are_found(method, structure):
    """Oracle: the release with the step taken. Identical: no rule is broken then."""
    frame = pf.datasets.survey(400, seed=2)[["age", "hours", "wage", "rent"]].dropna()
    frame["total"] = frame["wage"] + frame["rent"]
    roles = pf.Roles(["age", "hours"], ["wage", "rent", "total"])
    released = pf.protect(frame, method, roles, 1, structure=structure, allow_unprotected=True)
    test = verdict(frame, released)["edits"]
    assert test.status == "hold"
    assert 'protect with structure="find"' in test.remedy
    kept = pf.protect(frame, method, roles, 1, structure="find", allow_unprotected=True)
    assert "3 rules hold" in verdict(frame, kept)["edits"].reason


@pytest.mark.parametrize(
    ("method", "key", "words"),
    [
        (
            pf.Noise(amount=1),
            "risk",
            "protect `wage` and `rent` with Calibrated(), which replaces every value",
        ),
        (pf.RankSwapping(1), "linkage", "or perturb more"),
        (pf.IPSO("C"), "edits", "Calibrated(), which keeps signs and rules; or declare in `variables`"),
        (pf.Noise(amount=50), "seed", "protect the file again without a seed"),
    ],
    ids=str,
)
def test_remedies_of_methods(method, key, words):
    frame = pf.datasets.survey(300)
    released = pf.protect(frame, method, ROLES, 1, missing="drop", allow_unprotected=True)
    test = verdict(frame, released)[key]
    assert test.status == "hold"
    assert words in test.remedy


def test_rare_missing_cells_are_not_cured_by_constants():
    """The defect: with 14 records unique by their missing cells alone, the step was to recode a constant column. Identical."""
    frame = pf.datasets.survey(200, seed=2)[["age", "wage", "rent", "hours"]].assign(indicator="births")
    columns = ["wage", "rent", "hours"]
    frame["age"] = frame["age"] // 20
    for j in range(14):
        frame[f"y{j}"] = np.random.default_rng(j).normal(50, 9, 200).round(2)
        frame.loc[j, f"y{j}"] = np.nan
        columns.append(f"y{j}")
    roles = pf.Roles("age", columns)
    released = pf.protect(frame, pf.IPSO("C"), roles, missing="protect")
    test = verdict(frame, released)["sample_uniques"]
    assert test.status == "hold"
    assert "missing='drop'" in test.remedy
    assert "indicator" not in test.remedy
    complete = pf.protect(frame, pf.IPSO("C"), roles, missing="drop")
    assert verdict(frame, complete)["sample_uniques"].status == "pass"


def test_a_remedy_names_few_of_many_columns():
    """Oracle: the columns in the change to the plan. Identical."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"y{j}": rng.normal(50, 9, 200).round(2) for j in range(12)})
    columns = [*frame]
    roles = pf.Roles("group", columns)
    frame["group"] = rng.integers(1, 4, 200)
    released = pf.protect(frame, pf.Noise("uncorrelated", 0.001), roles, allow_unprotected=True)
    test = verdict(frame, released)["unprotected"]
    assert "`y0`, `y1`, `y2`, `y3`, `y4` and 7 others" in test.remedy
    [(_, changed)] = test.remedies[0].change.instead
    assert [*changed] == columns
