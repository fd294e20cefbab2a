"""--by-blocks: Parquet larger than memory from the command line.

Oracle: the same command without it. Grade: close, 1e-10 of each value (sums over blocks come in another order).
"""

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.cli import pyfcrm, refused

import pyfcrm as pf
from pyfcrm.errors import InvalidInput

ROLES = ["--independent", "AGI,POTHVAL", "--dependent", "FEDTAX,TAXINC"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pf.datasets.census_like(400, 2).astype(float).to_parquet("in.parquet", index=False)
    return tmp_path


def protect(output, *more):
    ran = pyfcrm("protect", "in.parquet", "-o", output, "--method", "ipso", *ROLES, "--seed", "5", *more)
    assert ran.status == 0, ran
    return pd.read_parquet(output)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (0, ["report", "in.parquet", "whole.parquet", "-o", "page.html"]),
        (0, ["audit", "in.parquet", "--method", "ipso", "--repeats", "1", "--shadows", "0"]),
        (1, ["recommend", "in.parquet", "--candidates", "rankswapping:p=1", "--seed", "1"]),
    ],
)
def test_what_audits_reads_the_file_whole(status, words, monkeypatch):
    """The defect: an audit had none of the records of a file that is large for the machine."""
    protect("whole.parquet")
    monkeypatch.setattr("pyfcrm.data.frame.memory", lambda: 10_000)
    ran = pyfcrm(*words, *ROLES)
    assert ran.status == status, ran
    assert "by blocks" not in ran.err


def test_the_same_release_and_the_same_measures():
    whole, blocks = protect("whole.parquet"), protect("blocks.parquet", "--by-blocks", "--manifest", "private.json")
    np.testing.assert_allclose(blocks.to_numpy(), whole.to_numpy(), rtol=1e-10)
    assert json.loads(Path("private.json").read_text())["random"]["seed"] == 5
    judged = []
    for more in ([], ["--by-blocks"]):
        ran = pyfcrm("evaluate", "in.parquet", "whole.parquet", "--columns", "FEDTAX,TAXINC", "--json", *more)
        assert ran.status == 0, ran
        judged.append({(r["measure"], r["part"]): r["value"] for r in json.loads(ran.out)["rows"]})
    assert judged[0].keys() == judged[1].keys()
    for key, value in judged[0].items():
        assert judged[1][key] == pytest.approx(value, rel=1e-10, abs=1e-10)


def test_a_manifest_that_cannot_be_written_leaves_the_earlier_release(folder, monkeypatch):
    """The disk of the manifest is full: by blocks, the manifest is all that is written in one go."""

    def full(*_):
        raise InvalidInput("private.json", "the file could not be written", "No space left on device")

    Path("out.parquet").write_text("an earlier release")
    Path("private.json").write_text("its manifest")
    monkeypatch.setattr("pyfcrm.files.atomic.Pending.write", full)
    words = ["--method", "ipso", *ROLES, "--by-blocks", "--manifest", "private.json", "--overwrite"]
    message = refused(folder, lambda: pyfcrm("protect", "in.parquet", "-o", "out.parquet", *words))
    assert message == "private.json: the file could not be written; got No space left on device"


def test_a_folder_as_input_and_an_output_that_exists(folder):
    """The manifest has the folder's digest; what exists is refused by blocks too, before anything is read."""
    (folder / "in").mkdir()
    os.link("in.parquet", "in/part.parquet")
    words = ["protect", "in", "-o", "out.parquet", "--method", "ipso", *ROLES, "--by-blocks", "--manifest", "m.json"]
    assert pyfcrm(*words).status == 0
    known = hashlib.sha256(Path("in.parquet").read_bytes()).hexdigest()
    known = hashlib.sha256(f"{known}  part.parquet\n".encode()).hexdigest()
    assert json.loads(Path("m.json").read_text())["sha256"]["input"] == known
    assert "out.parquet: an output must be a new file" in refused(folder, lambda: pyfcrm(*words))
    assert pyfcrm(*words, "--overwrite").status == 0
