"""pyfcrm reproduce: printed and measured values side by side.

Oracles: the experiment run from Python, and the thesis's printed values as they stand in the study. Grade: identical.
How near measured comes to printed is tested in tests/paper.
"""

import json
from dataclasses import replace

import pandas as pd
import pytest
from support.cli import pyfcrm, pyfcrm_process, refused, state
from support.data import CENSUS_PATH, requires_census

import pyfcrm as pf
from pyfcrm.studies import STUDIES

KEYS = {"pil", "pil_spread", "dbrl", "prl", "id", "dr", "dr_half", "score", "fo", "em", "setting"}
KEYS |= {"fo_printed", "pil_printed", "dr_printed", "score_printed"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_example_as_json_and_as_a_table(folder):
    """One document, nothing else, and no file where none was asked for."""
    ran = pyfcrm("reproduce", "example", "--seeds", "1", "--json")
    assert (ran.status, ran.err) == (0, "")
    found = json.loads(ran.out)
    assert set(found) == {"study", "title", "seeds", "rows", "notes"}
    assert (found["study"], found["seeds"]) == ("example", [1])
    study = STUDIES["example"]
    measured = replace(study, seeds=(1,)).run(pf.datasets.example())
    assert [row["pil"] for row in found["rows"]] == [row["pil"] for row in measured]
    assert [row["dbrl"] for row in found["rows"]] == [row["dbrl"] for row in measured]
    printed = [s.printed.get("pil") for s in study.settings]
    assert [row["pil_printed"] for row in found["rows"]] == printed
    assert all(set(row) == KEYS for row in found["rows"])
    assert state(folder) == {}
    ran = pyfcrm("reproduce", "example", "--seeds", "1")
    assert (ran.status, ran.err) == (0, "")
    where = "pyfcrm-reproduce-example"
    assert set(state(folder)) == {where, f"{where}/example.csv"}
    assert pd.read_csv(f"{where}/example.csv")["pil"].tolist() == pytest.approx([row["pil"] for row in measured])
    assert all(f"{row['pil']:.2f}" in ran.out for row in measured)
    assert ran.out.splitlines()[-1] == f"tables: {where}/example.csv"
    assert "over seeds 1;" in ran.out


@pytest.mark.census
@pytest.mark.slow
@requires_census
def test_s1(monkeypatch):
    """One row of the study, which works on unrounded values. Oracle: protect() and evaluate(). Close: one sum, in blocks or not."""
    study = STUDIES["s1"]
    one = next(setting for setting in study.settings if setting.label == "FCRM c=8")
    monkeypatch.setitem(STUDIES, "s1", replace(study, settings=(one,)))
    ran = pyfcrm("reproduce", "s1", "--census", CENSUS_PATH, "--seeds", "1", "--json")
    assert (ran.status, ran.err) == (0, "")
    (row,) = json.loads(ran.out)["rows"]
    assert (row["setting"], row["pil_printed"]) == (one.label, one.printed.get("pil"))
    case = one.cases[0]
    frame = pf.datasets.census(CENSUS_PATH).astype(float)
    released = pf.protect(frame, pf.FCRM(c=8), pf.Roles(case.independent, case.dependent), seed=1, variables="numbers")
    report = pf.evaluate(frame, released, case.dependent)
    for key in ("pil", "dbrl"):
        assert row[key] == pytest.approx(report[key], rel=1e-9)


@pytest.mark.process
def test_without_the_census_file(folder):
    """Neither a path, nor the variable, nor R: one line that says all three ways."""
    env = {"PATH": str(folder), "PYFCRM_CENSUS": ""}
    message = refused(folder, lambda: pyfcrm_process("reproduce", "s1", cwd=folder, env=env))
    assert message == (
        "datasets.census: the Census file is not shipped with pyfcrm: give its path, or set PYFCRM_CENSUS to its path, "
        "or install R with the package sdcMicro"
    )
