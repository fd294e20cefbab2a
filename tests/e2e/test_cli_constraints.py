"""--constraints of pyfcrm protect and pyfcrm sweep. Oracle: pf.protect on the same frame. Grade: identical."""

import json
from pathlib import Path

import pandas as pd
import pytest
from support.cli import people, pyfcrm

import pyfcrm as pf

ROLES = ["--independent", "a,b", "--dependent", "c,d", "--seed", "1"]
TEXT = 'd >= 400; "d" <= 520; 2*c <= 6*a + 1'


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().to_csv("in.csv", index=False)
    return tmp_path


def test_the_release_keeps_them_and_is_what_python_gives():
    words = ["--method", "ipso", *ROLES, "--identifiers", "id", "--constraints", TEXT, "--manifest", "m.json"]
    ran = pyfcrm("protect", "in.csv", "-o", "out.csv", *words)
    assert ran.status == 0, ran
    out = pd.read_csv("out.csv")
    roles = pf.Roles(["a", "b"], ["c", "d"], ["id"])
    expected = pf.protect(people(), pf.IPSO(), roles, seed=1, constraints=TEXT).frame
    plain = pf.protect(people(), pf.IPSO(), roles, seed=1).frame
    assert out["c"].tolist() == expected["c"].tolist()
    assert out["d"].tolist() == expected["d"].tolist()
    assert ((plain.d < 400) | (plain.d > 520) | (2 * plain.c > 6 * plain.a + 1)).any()
    assert not ((out.d < 400) | (out.d > 520) | (2 * out.c > 6 * out.a + 1 + 1e-9)).any()  # c has two decimals
    assert "constraints: all are kept, and moved " in ran.err
    manifest = json.loads(Path("m.json").read_text(encoding="utf-8"))
    assert "; ".join(manifest["keep"]["constraints"]) == TEXT
