"""Each remedy walked: a release that a test holds, its remedy put into the plan as it is printed, and the plan run again.

Oracle: the same test on the next release. Statistical where values are drawn, from fixed seeds.
"""

import json
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tomli_w
from support.business_file import business_file
from support.cli import pyfcrm

import pyfcrm as pf
from pyfcrm.evaluation.options import AuditOptions
from pyfcrm.evaluation.verdict.release_tests import TESTS
from pyfcrm.methods import Method

pytestmark = pytest.mark.slow
CLEAN = pf.Calibrated(pf.IPSO("C"))
WAGES = pf.Roles(["age", "hours"], ["wage", "rent"])
FIRMS = pf.Roles(["region", "size"], ["wage", "debt"])


@dataclass(frozen=True)
class Case:
    """A release that a test holds."""

    frame: pd.DataFrame
    method: Method
    roles: pf.Roles
    keep: dict[str, Any] = field(default_factory=dict)
    seed: int | None = 2  # not that of survey(), whose draws a release from 1 repeats


def survey(n=250):
    return pf.datasets.survey(n)[["age", "hours", "wage", "rent"]].dropna()


def with_birth_and_place(weight):
    frame = pf.datasets.survey(500)[["age", "wage", "rent"]].dropna()
    rng = np.random.default_rng(1)
    frame["birth"] = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 3000, len(frame)), unit="D")
    frame["latitude"] = rng.uniform(47, 55, len(frame))
    return frame.assign(weight=400 + 100 * (np.arange(len(frame)) % 3)) if weight else frame


def visitors(n=600):
    rng = np.random.default_rng(1)
    columns = {"sex": rng.integers(0, 2, n), "size": rng.integers(1, 6, n)}
    for name, mean in {"visits": 6, "days": 15, "trips": 9}.items():
        columns[name] = rng.poisson(mean, n)
    return pd.DataFrame(columns)


def dominated():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"size": rng.integers(1, 5, 400), "turnover": np.exp(rng.normal(9, 0.5, 400)).round()})
    frame.loc[7, "turnover"] = 5e8
    return frame


CASES = {
    "unprotected": lambda: Case(survey(), pf.RankSwapping(1), WAGES, {"allow_unprotected": True}),
    "sample_uniques": lambda: Case(with_birth_and_place(False), CLEAN, pf.Roles("age", ["wage", "rent"])),
    "key_risk": lambda: Case(with_birth_and_place(True), CLEAN, pf.Roles("age", ["wage", "rent"], weight="weight")),
    "replicated": lambda: Case(
        visitors(), pf.Sequential(min_leaf=1, smooth=False), pf.Roles(["sex", "size"], ["visits", "days", "trips"])
    ),
    "risk": lambda: Case(survey(), pf.Noise(amount=1), WAGES, {"allow_unprotected": True}),
    "linkage": lambda: Case(survey(), pf.RankSwapping(1), WAGES, {"allow_unprotected": True}),
    "edits": lambda: Case(survey(), pf.IPSO("C"), WAGES, {"structure": "none"}),
    "totals": lambda: Case(dominated(), pf.IPSO("C"), pf.Roles("size", "turnover")),
    "order": lambda: Case(
        business_file(400).sort_values("wage", ignore_index=True), CLEAN, FIRMS, {"shuffle": False}, seed=None
    ),
    "audit": lambda: Case(business_file(400), pf.Calibrated(pf.IPSO("C"), margins="original"), FIRMS),
    "seed": lambda: Case(business_file(400), pf.Noise(amount=150), FIRMS),
}
"""By test, a release that it holds and whose remedy a plan can carry out."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder of its own, audits of one split without shadow releases, and entropy that is the same in each run."""
    short = AuditOptions(repeats=1, shadows=0)
    monkeypatch.setattr("pyfcrm.evaluation.requested_audit.AuditOptions", lambda: short)
    monkeypatch.setattr("secrets.token_bytes", np.random.default_rng(1).bytes)
    monkeypatch.chdir(tmp_path)


def changed(plan, remedy):
    """The tables of a plan after those of a remedy were put into it as its comment says."""
    tables = tomllib.loads(remedy)
    if "step" in tables:
        plan = {name: table for name, table in plan.items() if name not in ("roles", "method")}
    if "keep" in tables:
        tables["keep"] = plan.get("keep", {}) | tables["keep"]
    return plan | tables


def test_every_test_is_walked():
    assert {*CASES, "dependence", "ledger"} == {*TESTS}


@pytest.mark.parametrize("key", CASES)
def test_a_release_after_the_next_step_is_no_longer_held(key):
    """The plan is run in Python, and from the shell with the first remedy pasted into it."""
    case = CASES[key]()
    case.frame.to_csv("in.csv", index=False)
    plan = pf.Plan(
        input={"file": "in.csv"},
        roles=case.roles,
        method=case.method,
        keep=case.keep,
        random={"seed": case.seed},
        output={"release": "out.csv"},
    ).tables()
    Path("plan.toml").write_text(tomli_w.dumps(plan))
    held = pf.run("plan.toml").verdict[key]
    assert held.status == "hold", held
    remedy = held.remedies[0]
    assert remedy.words in remedy.plan
    Path("next.toml").write_text(tomli_w.dumps(changed(plan, remedy.plan)))
    ran = pyfcrm("run", "next.toml", "--despite-hold", "a test", "--by", "the tests", "--json")
    assert ran.status == 0, ran
    [test] = [test for test in json.loads(ran.out)["verdict"]["tests"] if test["key"] == key]
    assert test["status"] in ("pass", "not applicable"), test


def test_a_release_that_is_what_the_method_makes_depends_on_no_own_record():
    """The remedy is the plan as it is: the held release was changed by hand afterwards."""
    frame = business_file(400)
    released = pf.protect(frame, CLEAN, FIRMS, seed=1)
    edited = released.frame.assign(wage=frame["wage"].to_numpy())
    held = pf.evaluate(frame, edited, method=CLEAN, roles=FIRMS, paired=True, measures="pil").verdict["dependence"]
    assert held.status == "hold"
    assert held.remedy == "release exactly what the method makes"
    assert pf.evaluate(frame, released, measures="pil").verdict["dependence"].status == "pass"


def test_records_that_are_left_out_add_to_no_conflict():
    """Of two halves of a file, or of the same records twice: the first remedy leaves these records out."""
    frame = business_file(400)
    method = pf.Noise(amount=20)
    once = pf.protect(frame[:200], method, FIRMS, ledger="ledger.json")
    assert pf.evaluate(frame[:200], once, measures="pil").verdict["ledger"].status == "pass"
    twice = pf.protect(frame, method, FIRMS, ledger="ledger.json")
    held = pf.evaluate(frame, twice, measures="pil").verdict["ledger"]
    assert held.status == "hold"
    assert held.remedy.startswith("leave these records out")
    others = pf.protect(frame[200:].reset_index(drop=True), method, FIRMS, ledger="other.json")
    assert pf.evaluate(frame[200:].reset_index(drop=True), others, measures="pil").verdict["ledger"].status == "pass"
