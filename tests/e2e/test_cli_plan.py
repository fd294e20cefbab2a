"""--plan: what was just done as a plan. Oracle: the release itself, made again by `pyfcrm run`. Identical."""

import json
import tomllib
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


def test_a_manifest_holds_the_plan(folder):
    """Oracle: the plan of the same release. Identical but for where the random numbers start."""
    assert pyfcrm(*PROTECT, "--method", "ipso", "--plan", "p.toml", "--manifest", "m.json").status == 0
    manifest, tables = json.loads(Path("m.json").read_text()), tomllib.loads(Path("p.toml").read_text())
    assert {name: manifest[name] for name in ("input", "roles", "method")} == {
        name: tables[name] for name in ("input", "roles", "method")
    }
    assert manifest["random"] == {"seed": 7}


OPTIONS = {
    "a method within a method": ["--method", "calibrated", "--set", "method={ipso:kind=C}", "--set", "margins=none"],
    "what is kept": ["--method", "ipso", "--constraints", "c >= 0; d >= 1", "--strata", "e", "--structure", "find"],
    "answers": ["--method", "ipso", "--weights", "b2", "--preserve", "e"],
    "another folder": ["--method", "rankswapping", "--plan", "plans/p.toml", "--manifest", "m.json", "--disarm"],
}


@pytest.mark.slow
@pytest.mark.parametrize("case", OPTIONS)
def test_protect_and_its_plan_give_the_same_bytes(folder, case):
    frame = people().drop(columns="note")
    frame.assign(e=["x", "y"] * (len(frame) // 2), b2=2 + frame["b"].abs()).to_csv("in.csv", index=False)
    Path("plans").mkdir()
    words = OPTIONS[case] if "--plan" in OPTIONS[case] else [*OPTIONS[case], "--plan", "p.toml"]
    ran = pyfcrm(*PROTECT, *words)
    assert ran.status == 0, ran
    plan = "plans/p.toml" if "--plan" in OPTIONS[case] else "p.toml"
    assert f"plan: {plan}" in ran.out
    first = Path("out.csv").read_bytes()
    Path("out.csv").unlink()
    with Path(plan).open("a") as file:
        file.write("\n[random]\nseed = 7\n")
    done = pyfcrm("run", plan, "--overwrite", "--despite-hold", "a test", "--by", "me")
    assert done.status == 0, done
    assert Path("out.csv").read_bytes() == first
    if "m.json" in words:
        assert pyfcrm("verify", "m.json", "--release", "out.csv", "--original", "in.csv").status == 0


def test_a_plan_holds_no_seed(folder):
    assert pyfcrm(*PROTECT, "--method", "ipso", "--plan", "p.toml").status == 0
    assert "random" not in tomllib.loads(Path("p.toml").read_text())
    assert "7" not in Path("p.toml").read_text()
    assert "p.toml" in refused(folder, lambda: pyfcrm(*PROTECT, "-o", "n.csv", "--method", "ipso", "--plan", "p.toml"))
    assert ".toml" in refused(folder, lambda: pyfcrm(*PROTECT, "-o", "n.csv", "--method", "ipso", "--plan", "p.txt"))


@pytest.mark.slow(7)
def test_the_plan_of_a_recommendation_releases_on_a_pass(folder):
    """What recommend() calls best passes when its plan is run, from fresh entropy; a release of the same plan with a unique
    column kept does not."""
    households().to_csv("in.csv", index=False)
    words = ["--candidates", "calibrated:method={ipso:kind=C}", "--limit", "pil=60", "--seed", "3"]
    ran = pyfcrm("recommend", "in.csv", *ROLES, *words, "--plan", "p.toml")
    assert ran.status == 0, ran
    assert ran.out.startswith("Verdict: PASS. Limits changed: pil 60.")
    plan = pf.read_plan("p.toml")
    assert plan.limits == {**{key: limit.values for key, limit in LIMITS.items()}, "pil": (60.0,)}
    assert pyfcrm("run", "p.toml").status == 0
    households().assign(note=range(120)).to_csv("in.csv", index=False)
    Path("p-release.csv").unlink()
    ran = pyfcrm("run", "p.toml")
    assert ran.status == 1
    assert "sample_uniques" in ran.out.splitlines()[1]
    assert not Path("p-release.csv").exists()
