"""pyfcrm recommend: the verdict, the table, JSON, and what is refused. Oracle: pf.recommend. Identical."""

import json
from functools import cache

import pandas as pd
import pytest
from support.cli import households, pyfcrm, state

import pyfcrm as pf

ASK = ["recommend", "in.csv", "--independent", "a,b", "--dependent", "c,d", "--identifiers", "id", "--seed", "1"]
FEW = ["--candidates", "calibrated:method={ipso:kind=C},rankswapping:p=5"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    households().to_csv("in.csv", index=False)
    return tmp_path


@cache  # of the file that every test has
def expected(**limits):
    methods = [pf.Calibrated(pf.IPSO("C")), pf.RankSwapping(p=5)]
    roles = pf.Roles(["a", "b"], ["c", "d"], ["id"])
    return pf.recommend(pf.read_table("in.csv"), roles, limits, seed=1, candidates=methods)


@pytest.mark.slow(6)
def test_the_verdict_of_the_best_comes_first(folder):
    ran = pyfcrm(*ASK, *FEW, "--max-dr", "60", "-o", "out")
    assert (ran.status, ran.err) == (0, "")
    found = expected(dr=60)
    assert found.best is not None
    assert found.verdict.ok
    lines = ran.out.splitlines()
    verdict = found.verdict.lines()
    assert lines[: len(verdict)] == [f"{found.verdict.headline} {found.best.method}", *verdict[1:]]
    assert all(reason in ran.out for reason in found.reasons)
    assert sum(line.startswith("best ") for line in lines) == 1
    assert set(state(folder)) == {"in.csv", "out", "out/recommend.csv", "out/map.png"}
    pd.testing.assert_frame_equal(
        pd.read_csv("out/recommend.csv"), found.to_frame().replace("", None), check_dtype=False
    )


@pytest.mark.slow(6)
def test_json():
    ran = pyfcrm(*ASK, *FEW, "--limit", "dr=60", "--json")
    contents = json.loads(ran.out)
    found = expected(dr=60)
    assert (ran.status, ran.err) == (0, "")
    assert contents["verdict"] == json.loads(json.dumps(found.verdict.document()))
    assert contents["reasons"] == list(found.reasons)
    assert [row["method"] for row in contents["methods"] if row["choice"] == "best"] == [
        type(found.best.method).__name__
    ]
    assert contents["limits"] == {"dr": [60.0]}
    assert [row["pil"] for row in contents["methods"]] == [row["pil"] for row in found.rows()]


@pytest.mark.slow
def test_none_that_qualifies_is_exit_status_1_and_shows_the_nearest(folder):
    found = expected(pil=0)
    assert found.best is None
    ran = pyfcrm(*ASK, *FEW, "--limit", "pil=0", "--plan", "p.toml")
    assert ran.status == 1
    assert ran.out.startswith("Verdict: HOLD. Limits changed: pil 0.")
    assert sum(line.startswith("nearest ") for line in ran.out.splitlines()) == len(found.nearest) == 2
    assert set(state(folder)) == {"in.csv"}
