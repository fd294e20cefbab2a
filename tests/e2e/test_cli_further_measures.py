"""The command line on the further measures: keys, measures without an upper end, and studies of rows."""

import json

import numpy as np
from support.cli import people, pyfcrm

from pyfcrm.studies import STUDIES, permutation


def two_files(folder):
    before = people(40)
    after = before.copy()
    after["c"] = (after["c"] + np.random.default_rng(0).normal(size=40)).round(2)
    paths = folder / "before.csv", folder / "after.csv"
    for frame, path in zip((before, after), paths, strict=True):
        frame.to_csv(path, index=False)
    return paths


def test_key_measures(tmp_path):
    """`note` has three values in turn, in groups of 14, 13 and 13. By hand."""
    ran = pyfcrm("evaluate", *two_files(tmp_path), "--measures", "uniques,k_anonymity", "--keys", "note", "--json")
    rows = json.loads(ran.out)["rows"]
    assert [row["value"] for row in rows if row["part"] == "total"] == [0, 13]


def test_a_study_that_is_not_met_ends_in_status_1(tmp_path, monkeypatch):
    from dataclasses import replace

    short = replace(permutation.STUDY, settings=permutation.SETTINGS[1:2], tolerance=1e-9)
    monkeypatch.setitem(STUDIES, "permutation", short)
    ran = pyfcrm("reproduce", "permutation", "--seeds", 1, "-o", tmp_path / "out")
    assert ran.status == 1
    assert "NOT within the target" in ran.out
    assert "CM3 printed" in ran.out
