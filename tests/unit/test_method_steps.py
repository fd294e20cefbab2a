"""Several methods in order: roles, release, plan, manifest, verdict and audit. Oracle: the same methods called one by one,
with one stream; identical, bit for bit."""

from __future__ import annotations

import pandas as pd
import pytest

import pyfcrm as pf

RECODE = pf.Recoding(breaks=5), pf.Roles(dependent="age", identifiers="name")
SUPPRESS = pf.LocalSuppression(3, keys=["age", "region"]), pf.Roles(dependent=["age", "region"])
SYNTHESISE = pf.IPSO("C"), pf.Roles(["age", "hours"], ["wage", "rent"])
STEPS = pf.Steps([RECODE, SUPPRESS, SYNTHESISE])


@pytest.fixture(scope="module")
def frame():
    return pf.datasets.survey(400, seed=2).drop(columns="tax")  # which tells the wage


def test_each_step_works_on_the_output_of_the_one_before(frame):
    released = pf.protect(frame, STEPS, seed=5, missing="protect")
    stream, by_hand = pf.RStream(5), frame
    for method, roles in STEPS.steps:
        by_hand = pf.protect(by_hand, method, roles, stream, missing="protect").frame
    pd.testing.assert_frame_equal(released.frame, by_hand)
    assert any(note.startswith("step 1: ") for note in released.notes)


def test_the_role_of_a_column_is_that_of_the_last_step_that_treats_it():
    assert STEPS.roles == pf.Roles("hours", ["age", "region", "wage", "rent"], "name")
    assert [type(STEPS.treating(name, STEPS.roles)).__name__ for name in ("age", "region", "wage", "hours")] == [
        "LocalSuppression",
        "LocalSuppression",
        "IPSO",
        "NoneType",
    ]


def test_coarsened_columns_are_keys_and_the_others_are_compared(frame):
    report = pf.evaluate(frame, pf.protect(frame, STEPS, seed=5, missing="protect"))
    verdict = report.verdict
    assert "age" in report.kept.columns
    assert verdict["unprotected"].status == verdict["risk"].status == "pass"
    assert verdict["linkage"].status == "not applicable"  # no step perturbs


def test_a_step_that_changes_nothing_is_on_hold(frame):
    tiny = pf.Steps([RECODE, (pf.Noise("uncorrelated", 0.001), pf.Roles("hours", ["wage", "rent"]))])
    released = pf.protect(frame, tiny, missing="protect", allow_unprotected=True)
    verdict = pf.evaluate(frame, released).verdict
    assert {"unprotected", "risk"} <= {test.key for test in verdict.tests if test.status == "hold"}


@pytest.mark.slow
def test_a_plan_of_steps_is_run_and_made_again(frame, tmp_path):
    frame.to_csv(tmp_path / "in.csv", index=False)
    plan = pf.Plan(
        input={"file": str(tmp_path / "in.csv")},
        roles=STEPS.roles,
        method=STEPS,
        keep={"missing": "protect"},
        release={"despite_hold": "a test", "by": "the tests"},
        output={"release": str(tmp_path / "out.csv"), "manifest": str(tmp_path / "m.json")},
    )
    (tmp_path / "plan.toml").write_text(plan.text())
    assert plan.text().count("[[step]]") == 3
    assert pf.read_plan(tmp_path / "plan.toml") == plan
    done = pf.run(tmp_path / "plan.toml")
    assert done.ok
    assert pf.verify(tmp_path / "m.json", release=tmp_path / "out.csv", original=tmp_path / "in.csv").ok


@pytest.mark.slow
def test_an_audit_repeats_all_steps(frame):
    audit = pf.audit(frame, STEPS, missing="protect", shadows=0, repeats=1)
    report = pf.evaluate(frame, pf.protect(frame, STEPS, seed=5, missing="protect"), audit=audit)
    assert report.verdict["audit"].status in ("pass", "hold")  # it belongs to these steps


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([], "must be pairs of a method and its roles"),
        ([(pf.IPSO("C"), "wage")], "step 1"),
        ([(STEPS, STEPS.roles)], "no Steps"),
    ],
)
def test_what_is_no_step_is_refused(steps, words):
    with pytest.raises(pf.errors.InvalidParameter, match=words):
        pf.Steps(steps)


def test_an_error_names_its_step_and_roles_are_the_steps_own(frame):
    twice = pf.Steps([RECODE, (pf.IPSO("C"), pf.Roles("hours", "age"))])
    with pytest.raises(pf.errors.InvalidInput, match="step 2: column `age` must hold numbers"):
        pf.protect(frame, twice)
    with pytest.raises(pf.errors.InvalidParameter, match="must be left out for Steps"):
        pf.protect(frame, STEPS, pf.Roles(dependent="wage"))
