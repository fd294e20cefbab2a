"""--method external: a command as a method of the shell. Oracle: pf.External with the same command. Identical."""

import json
import os
import sys
from pathlib import Path

import pandas as pd
import pytest
from support.cli import people, pyfcrm, refused

import pyfcrm as pf

ROLES = ["--independent", "a,b", "--dependent", "c,d", "--identifiers", "id"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().drop(columns="note").to_csv("in.csv", index=False)
    script = "import sys, shutil\nshutil.copy(sys.argv[1], sys.argv[2])\n"
    (tmp_path / "model.py").write_text(script)
    return tmp_path


def external(folder):
    return ["--method", "external", "--set", f"generator={sys.executable} {folder / 'model.py'}", "--set", "name=ours"]


def test_a_release_and_its_manifest(folder):
    words = [
        "protect",
        "in.csv",
        "-o",
        "out.csv",
        "--manifest",
        "m.json",
        *ROLES,
        *external(folder),
    ]
    ran = pyfcrm(*words)
    assert ran.status == 0, ran
    assert "External(ours)" in ran.out
    assert "does not repeat" in ran.err
    roles = pf.Roles(["a", "b"], ["c", "d"], ["id"])
    pf.protect("in.csv", pf.External([sys.executable, str(folder / "model.py")]), roles, output="other.csv")
    assert Path("out.csv").read_bytes() == Path("other.csv").read_bytes()
    assert "model.py" not in Path("m.json").read_text()
    assert pyfcrm("verify", "m.json", "--release", "out.csv").status == 0
    message = refused(folder, lambda: pyfcrm("verify", "m.json", "--release", "out.csv", "--original", "in.csv"))
    assert "cannot be reproduced" in message


@pytest.mark.slow
def test_a_sweep_and_an_audit_know_it_by_name(folder):
    ran = pyfcrm(
        "sweep",
        "in.csv",
        "-o",
        "map",
        *ROLES,
        "--candidates",
        f"ipso:kind=C,external:{external(folder)[3]}:name=ours",
    )
    assert ran.status == 0, ran
    table = pd.read_csv("map/sweep.csv")
    assert list(table["method"]) == ["IPSO", "External"]
    assert table["dr"].isna().tolist() == [False, True]
    ran = pyfcrm("audit", "in.csv", *ROLES, *external(folder), "--repeats", "1", "--json")
    assert any("exact copies" in one["text"] for one in json.loads(ran.out)["alarms"])
    assert sorted(os.listdir(folder)) == ["in.csv", "map", "model.py"]


def test_a_plan_runs_no_command():
    plan = pf.Plan.model_validate({"input": {"file": "in.csv"}, "roles": {"dependent": ["c"]}, "method": pf.External("x", name="ours"),
                                   "output": {"release": "out.csv"}})  # fmt: skip
    with pytest.raises(pf.errors.InvalidParameter, match="runs no command"):
        plan.text()
