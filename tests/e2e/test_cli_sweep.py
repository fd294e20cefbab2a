"""pyfcrm sweep: many candidates, a table and a map.

Oracle: pf.sweep on the same frame. Grade: identical (the CSV keeps every digit).
"""

from pathlib import Path

import pandas as pd
import pytest
from support.cli import people, pyfcrm, state

import pyfcrm as pf

ROLES = pf.Roles(["a", "b"], ["c", "d"])
SAID = (
    "note: rounded, being integer columns: d\n"
    "note: rounded to decimals, the original's or the declared ones: c\n"
    "note: columns that are not numbers are released unchanged: id, note\n"
)
METHODS = [pf.FCRM(c=2), pf.FCRM(c=3), pf.FCRM(c=4), pf.IPSO("A"), pf.IPSO("C")]
SWEEP = ["sweep", "in.csv", "-o", "map", "--independent", "a,b", "--dependent", "c,d", "--seed", "1", "--candidates"]
CANDIDATES = "fcrm:c=2..4,ipso:kind=A|C"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().to_csv("in.csv", index=False)
    return tmp_path


@pytest.mark.slow
def test_the_table_and_the_map(folder):
    """A star stands behind each Pareto-optimal candidate."""
    ran = pyfcrm(*SWEEP, CANDIDATES)
    expected = pf.sweep(people(), ROLES, METHODS, seed=1)
    assert (ran.status, ran.err) == (0, SAID)
    assert set(state(folder)) == {"in.csv", "map", "map/sweep.csv", "map/map.png"}
    pd.testing.assert_frame_equal(pd.read_csv("map/sweep.csv"), expected.to_frame(), check_exact=True)
    assert Path("map/map.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    for candidate, best in zip(expected.candidates, expected.nondominated(), strict=True):
        (row,) = [line for line in ran.out.splitlines() if line.startswith(f"{candidate.method} ")]
        assert row.rstrip().endswith("*") == best
        assert all(f"{candidate[key]:.2f}" in row for key in ("pil", "dr", "score"))
    assert ran.out.splitlines()[-1] == "files: map/sweep.csv, map/map.png"
