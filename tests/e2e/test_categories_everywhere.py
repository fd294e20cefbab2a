"""Categorical predictors, bounds and decimals: one release from Python, the command line, by blocks and from a plan. Identical."""

import json

import pandas as pd
import pytest
from support.cli import pyfcrm

import pyfcrm as pf

ROLES = pf.Roles(["age", "region"], ["wage", "rent"], weight="weight")
KEEP = {"variables": {"wage": pf.Variable(bounds=(0, 5000), decimals=1), "rent": pf.Variable(bounds=(0, None))}}
DECLARED = """[variables.wage]
bounds = [0, 5000]
decimals = 1
[variables.rent]
bounds = [0, "none"]
"""


@pytest.mark.slow
def test_every_interface_has_the_same_bytes(tmp_path):
    source, paths = (
        tmp_path / "s.parquet",
        {name: tmp_path / f"{name}.parquet" for name in ("py", "cli", "blocks", "plan")},
    )
    frame = pf.datasets.survey(400).dropna().astype({"wage": float, "rent": float}).reset_index(drop=True)
    frame.to_parquet(source)
    released = pf.protect(frame, pf.IPSO("C"), ROLES, seed=1, **KEEP).frame
    pf.protect_file(source, paths["py"], pf.IPSO("C"), ROLES, seed=1, **KEEP)
    words = ["protect", source, "--method", "ipso", "--independent", "age,region", "--dependent", "wage,rent", "--seed", 1,
             "--weight", "weight", "--variables", tmp_path / "v.toml"]  # fmt: skip
    (tmp_path / "v.toml").write_text(DECLARED)
    pyfcrm(*words, "-o", paths["cli"], "--manifest", tmp_path / "m.json")
    manifest = json.loads((tmp_path / "m.json").read_text())
    tables = {name: manifest[name] for name in pf.Plan.model_fields if name in manifest}
    tables["output"] = {"release": str(paths["plan"]), "manifest": str(tmp_path / "of_plan.json")}
    pf.run(pf.Plan.model_validate(tables), despite_hold="a test", by="me")
    pd.testing.assert_frame_equal(pd.read_parquet(paths["py"]), released)
    assert paths["py"].read_bytes() == paths["cli"].read_bytes() == paths["plan"].read_bytes()
    assert pf.verify(tmp_path / "of_plan.json", original=source, release=paths["plan"]).ok
    assert (released["wage"].round(1) == released["wage"]).all()
    assert released[["wage", "rent"]].to_numpy().min() >= 0
