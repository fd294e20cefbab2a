"""Plans of a manifest and of `recommend --plan`. Oracle: the release itself, made again by `pyfcrm run`. Identical."""

import json
from pathlib import Path

import pytest
from support.cli import households, people, pyfcrm, refused

import pyfcrm as pf
from pyfcrm.methods.text import make_candidates
from pyfcrm.plans.limits import LIMITS
from pyfcrm.trust.golden import METHOD_CASES

ROLES = ["--independent", "a,b", "--dependent", "c,d", "--identifiers", "id"]
PROTECT = ["protect", "in.csv", "-o", "out.csv", *ROLES, "--seed", "7"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().drop(columns="note").to_csv("in.csv", index=False)
    return tmp_path


def plan(**tables):
    known = {
        "input": {"file": "in.csv"},
        "roles": {"dependent": ["c"]},
        "method": pf.IPSO(),
        "output": {"release": "o.csv"},
    }
    return pf.Plan.model_validate(known | tables).text()


@pytest.mark.parametrize("method", make_candidates(METHOD_CASES.replace("\n", " ")), ids=str)
def test_every_method_comes_back_from_its_table(method, tmp_path):
    """Parameters that are None too, which TOML cannot say."""
    (tmp_path / "p.toml").write_text(plan(method=method), encoding="utf-8")
    assert pf.read_plan(tmp_path / "p.toml").method == method


CASES = {
    "a method within a method": ["--method", "calibrated", "--set", "method={ipso:kind=C}", "--set", "margins=none"],
    "what is kept": ["--method", "ipso", "--constraints", "c >= 0; d >= 1", "--strata", "e", "--structure", "find"],
    "answers": ["--method", "ipso", "--weight", "b2", "--preserve", "e"],
    "another folder": ["--method", "rankswapping", "--disarm"],
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_manifest_holds_a_plan_that_gives_the_same_bytes(folder, case):
    frame = people().drop(columns="note")
    frame.assign(e=["x", "y"] * (len(frame) // 2), b2=2 + frame["b"].abs()).to_csv("in.csv", index=False)
    Path("plans").mkdir()
    ran = pyfcrm(*PROTECT, *CASES[case], "--manifest", "m.json")
    assert ran.status == 0, ran
    manifest = json.loads(Path("m.json").read_text())
    tables = {name: manifest[name] for name in pf.Plan.model_fields if name in manifest}
    assert tables["random"] == {"seed": 7}
    tables["input"]["file"], tables["output"]["release"] = "../in.csv", "../out.csv"
    Path("plans/p.toml").write_text(pf.Plan.model_validate(tables).text(), encoding="utf-8")
    first = Path("out.csv").read_bytes()
    Path("out.csv").unlink()
    done = pyfcrm("run", "plans/p.toml", "--overwrite", "--despite-hold", "a test", "--by", "me")
    assert done.status == 0, done
    assert Path("out.csv").read_bytes() == first
    assert pyfcrm("verify", "m.json", "--release", "out.csv", "--original", "in.csv").status == 0


def test_a_plan_must_be_a_new_file_of_toml(folder):
    words = ["recommend", "in.csv", *ROLES, "--candidates", "ipso"]
    assert ".toml" in refused(folder, lambda: pyfcrm(*words, "--plan", "p.txt"))


@pytest.mark.slow(7)
def test_the_plan_of_a_recommendation_releases_on_a_pass(folder):
    """What recommend() calls best passes when its plan is run, from fresh entropy; a release of the same plan with a unique
    column kept does not."""
    households().to_csv("in.csv", index=False)
    words = ["--candidates", "calibrated:method={ipso:kind=C}", "--limit", "pil=60", "--seed", "3"]
    ran = pyfcrm("recommend", "in.csv", *ROLES, *words, "--plan", "p.toml")
    assert ran.status == 0, ran
    assert ran.out.startswith("Verdict: PASS. Limits changed: pil 60.")
    assert "plan: p.toml" in ran.out
    assert "random" not in Path("p.toml").read_text()
    plan = pf.read_plan("p.toml")
    assert plan.limits == {**{key: limit.values for key, limit in LIMITS.items()}, "pil": (60.0,)}
    assert pyfcrm("run", "p.toml").status == 0
    households().assign(note=range(120)).to_csv("in.csv", index=False)
    Path("p-release.csv").unlink()
    ran = pyfcrm("run", "p.toml")
    assert ran.status == 1
    assert "sample_uniques" in ran.out.splitlines()[2]  # below the headline and the utility panel
    assert not Path("p-release.csv").exists()
