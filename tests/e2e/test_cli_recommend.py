"""pyfcrm recommend: the table, the reasons, JSON, and what is refused. Oracle: pf.recommend. Identical."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from support.cli import people, pyfcrm, refused, state

import pyfcrm as pf

ASK = ["recommend", "in.csv", "--independent", "a,b", "--dependent", "c,d", "--seed", "1", "--seconds", "300"]
FEW = ["--candidates", "ipso:kind=A|C,fcrm:c=2"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    people().to_csv("in.csv", index=False)
    return tmp_path


def expected(max_dr: float) -> pf.Recommendation:
    methods = [pf.IPSO("A"), pf.IPSO("C"), pf.FCRM(2)]
    return pf.recommend(people(), pf.Roles(["a", "b"], ["c", "d"]), max_dr, seed=1, candidates=methods)


@pytest.mark.slow
def test_the_table_and_the_reasons(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    ran = pyfcrm(*ASK, *FEW, "--max-dr", "60", "-o", "out")
    assert (ran.status, ran.err) == (0, "")
    found = expected(60)
    for reason in found.reasons[:-1]:
        assert reason in ran.out
    assert len([row for row in ran.out.splitlines() if row.startswith("*")]) == 1
    assert set(state(folder)) == {"in.csv", "out", "out/recommend.csv", "out/map.png"}
    pd.testing.assert_frame_equal(pd.read_csv("out/recommend.csv"), found.to_frame(), check_exact=True)


def test_the_table_is_followed_by_a_blank_line() -> None:
    lines = pyfcrm(*ASK, *FEW, "--max-dr", "60").out.splitlines()
    [legend] = [k for k, line in enumerate(lines) if "* the one recommended" in line]
    assert lines[legend].endswith("recommended")
    assert lines[legend + 1] == ""


@pytest.mark.slow(6)
def test_json() -> None:
    ran = pyfcrm(*ASK, *FEW, "--max-dr", "60", "--json")
    contents = json.loads(ran.out)
    found = expected(60)
    assert (ran.status, ran.err) == (0, "")
    assert contents["reasons"][:-1] == list(found.reasons[:-1])
    assert contents["pick"]["method"] == type(found.pick.method).__name__
    assert [row["pil"] for row in contents["methods"]] == [one["pil"] for one in found.judged]
    assert contents["complete"] is True


@pytest.mark.slow
def test_structure_is_kept_in_what_is_judged_and_in_the_plan() -> None:
    frame = people().assign(total=lambda f: f["c"] + f["d"])
    frame.to_csv("in.csv", index=False)
    ask = [
        *ASK[:5],
        "c,d,total",
        *ASK[6:],
        "--audits",
        "0",
        "--max-dr",
        "60",
        "--structure",
        "find",
        "--plan",
        "plan.toml",
    ]
    contents = json.loads(pyfcrm(*ask, "--candidates", "ipso:kind=A|C", "--json").out)
    asked = {"seed": 1, "candidates": [pf.IPSO("A"), pf.IPSO("C")], "audits": 0, "structure": "find"}
    found = pf.recommend(pf.read_table("in.csv"), pf.Roles(["a", "b"], ["c", "d", "total"]), 60, **asked)
    assert contents["reasons"][:-1] == list(found.reasons[:-1])
    assert any("total" in reason and "found in the original" in reason for reason in found.reasons)
    assert 'structure = "find"' in Path("plan.toml").read_text()


@pytest.mark.slow
def test_none_within_the_limit_is_exit_status_1() -> None:
    ran = pyfcrm(*ASK, *FEW, "--max-dr", "0")
    assert ran.status == 1
    assert "No method is recommended" in ran.out
    assert expected(0).reasons[1] in ran.out


def test_bad_input_is_one_line_and_leaves_nothing(folder: Path) -> None:
    assert "`max_dr` must be" in refused(folder, lambda: pyfcrm(*ASK, *FEW, "--max-dr", "101", "-o", "out"))
    assert "no method is called" in refused(folder, lambda: pyfcrm(*ASK, "--candidates", "fcrn:c=2", "--max-dr", "9"))
