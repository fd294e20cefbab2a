"""The command line on the further measures: keys, measures without an upper end, and studies of rows."""

import csv
import json

import numpy as np
from support.cli import people, pyfcrm

from pyfcrm.studies import STUDIES, permutation
from pyfcrm.studies.study import printed


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


def test_measures_of_every_range_are_shown(tmp_path):
    """An infinite range is null in JSON, values below 1 keep four decimals in the table."""
    paths = two_files(tmp_path)
    ran = pyfcrm("evaluate", *paths, "--columns", "c,d", "--measures", "il1s,um,pmse", "--json")
    assert [row["upper"] for row in json.loads(ran.out)["rows"] if row["part"] == "total"] == [None, 1, 0.25]
    shown = pyfcrm("evaluate", *paths, "--columns", "c,d", "--measures", "il1s,um")
    assert shown.status == 0
    assert "0 to inf, lower is better" in shown.out
    assert "per cent where the range ends at 100" in shown.out


def test_a_study_of_rows(tmp_path):
    """Printed and measured side by side, as JSON and as a table with its file. By what was asked."""
    out = tmp_path / "out"
    ran = pyfcrm("reproduce", "permutation", "--seeds", 1, "--json", "-o", out)
    made = json.loads(ran.out)
    assert [row["setting"] for row in made["rows"]] == list(printed("permutation"))
    assert made["rows"][1]["cm3_printed"] == 0.46724593
    assert made["rows"][-1]["u_printed"] is None
    with open(out / "permutation.csv", encoding="utf-8", newline="") as file:
        saved = list(csv.DictReader(file))
    assert [float(row["cm3"]) for row in saved] == [row["cm3"] for row in made["rows"]]
    assert ran.status == (0 if "within the target" in made["notes"][0] and "NOT" not in made["notes"][0] else 1)


def test_a_study_that_is_not_met_ends_in_status_1(tmp_path, monkeypatch):
    from dataclasses import replace

    short = replace(permutation.STUDY, settings=permutation.SETTINGS[1:2], tolerance=1e-9)
    monkeypatch.setitem(STUDIES, "permutation", short)
    ran = pyfcrm("reproduce", "permutation", "--seeds", 1, "-o", tmp_path / "out")
    assert ran.status == 1
    assert "NOT within the target" in ran.out
    assert "CM3 printed" in ran.out
