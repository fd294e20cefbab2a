"""pyfcrm recommend: the table, the reasons, JSON, and what is refused. Oracle: pf.recommend. Identical."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from support.cli import people, pyfcrm, refused, state

import pyfcrm as pf

REQUEST = ["recommend", "in.csv", "--independent", "a,b", "--dependent", "c,d", "--seed", "1"]
FEW = ["--candidates", "ipso:kind=A|C"]
LIFTED = {"sample_uniques": 100.0, "dr": 0.0}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    people().to_csv("in.csv", index=False)
    return tmp_path


def expected(limits: dict[str, float]) -> pf.Recommendation:
    return pf.recommend(
        people(), pf.Roles(["a", "b"], ["c", "d"]), limits, seed=1, candidates=[pf.IPSO("A"), pf.IPSO("C")]
    )


def words(limits: dict[str, float]) -> list[str]:
    return [word for key, value in limits.items() for word in ("--limit", f"{key}={value:g}")]


@pytest.mark.slow
def test_without_a_method_that_qualifies_the_status_is_1(folder: Path) -> None:
    """A file of 40 records cannot pass: the two nearest are shown, with the verdict first."""
    pytest.importorskip("matplotlib")
    ran = pyfcrm(*REQUEST, *FEW, *words(LIFTED), "-o", "out", "--plan", "p.toml")
    found = expected(LIFTED)
    assert (ran.status, ran.err) == (1, "")
    assert ran.out.startswith(found.verdict.headline)
    assert "dr 0" in ran.out.splitlines()[0]
    for reason in found.reasons:
        assert " ".join(reason.split()[:6]) in " ".join(ran.out.split())
    assert set(state(folder)) == {"in.csv", "out", "out/recommend.csv", "out/map.png"}
    pd.testing.assert_frame_equal(pd.read_csv("out/recommend.csv"), found.to_frame(), check_exact=True)


@pytest.mark.slow
def test_json() -> None:
    ran = pyfcrm(*REQUEST, *FEW, "--json")
    contents, found = json.loads(ran.out), expected({})
    assert (ran.status, ran.err) == (1, "")
    assert contents["reasons"] == list(found.reasons)
    assert contents["verdict"]["status"] == found.verdict.status


def test_bad_input_is_one_line_and_leaves_nothing(folder: Path) -> None:
    assert "`max_dr` must be" in refused(folder, lambda: pyfcrm(*REQUEST, *FEW, "--max-dr", "101", "-o", "out"))
    assert "no method is called" in refused(folder, lambda: pyfcrm(*REQUEST, "--candidates", "fcrn:c=2"))
    assert "no limit is called `drr`" in refused(folder, lambda: pyfcrm(*REQUEST, *FEW, "--limit", "drr=3"))
