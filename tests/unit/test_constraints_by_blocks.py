"""Constraints of Parquet files, block by block. Oracle: the same frame in memory, same seed and constraints.

Grade: identical for integer columns; for floats close, 1e-10 of an attribute's sd (regressions by blocks). Notes are
the same to the letter: what they count are whole numbers, and what they measure is printed to two digits.
"""

import numpy as np
import pandas as pd
import pytest
from support.blocks import by_blocks, furthest, in_folder

import pyfcrm as pf
from pyfcrm.files import parquet

N = 5000
DEPENDENT = ["PTOTVAL", "POTHVAL", "PEARNVAL", "FEDTAX", "TAXINC"]
ROLES = pf.Roles(["AGI", "INTVAL"], DEPENDENT, ["id"])
LIMITS = "PTOTVAL == POTHVAL + PEARNVAL; FEDTAX >= 0; TAXINC <= AGI; FEDTAX <= TAXINC; POTHVAL >= 0; TAXINC <= EMCONTRB"


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """A file of these tests is read in many blocks, with bounds that no block of the others' knows."""
    monkeypatch.setattr(parquet, "RECORDS_AT_ONCE", 700)


def simulated(floats, gaps=False):
    """Accounts that mostly add up, a column of no role among their constraints."""
    frame = pf.datasets.census_like(n=N, seed=1)[["AGI", "INTVAL", *DEPENDENT, "EMCONTRB"]]
    frame["PTOTVAL"] = frame["POTHVAL"] + frame["PEARNVAL"]
    frame["EMCONTRB"] = frame["TAXINC"] + 20_000
    frame = frame.astype("float64") if floats or gaps else frame
    frame.loc[::300, "PTOTVAL"] += 5
    if floats:
        frame["EMCONTRB"] += 0.25 * (np.arange(N) == N - 1)  # not whole, in the last block only
    if gaps:
        frame.loc[[3, 1000, N - 1], "AGI"] = np.nan
        frame.loc[[4, 2000], "EMCONTRB"] = np.nan
        frame = frame.convert_dtypes()
    frame["id"] = np.arange(N)
    frame["region"] = np.where(np.arange(N) % 3 == 0, "north", "south")
    return frame


def broken(frame, rows=slice(None)):
    """How often LIMITS is broken, as a user would count it: no tolerance."""
    f = frame[rows]
    wrong = (
        f.PTOTVAL != f.POTHVAL + f.PEARNVAL, f.FEDTAX < 0, f.TAXINC > f.AGI, f.FEDTAX > f.TAXINC, f.POTHVAL < 0,
        f.TAXINC > f.EMCONTRB,
    )  # fmt: skip
    return sum(int(each.sum()) for each in wrong)


@pytest.mark.slow
@pytest.mark.parametrize("method", [pf.IPSO("C"), pf.Noise("uncorrelated", 30), pf.FCRM(2, joint=True)], ids=str)
@pytest.mark.parametrize("floats", [True, False])
def test_equal_to_memory(method, floats, tmp_path):
    frame = simulated(floats)
    folder = in_folder(frame, tmp_path / "in")
    options = {"method": method, "roles": ROLES, "seed": 7, "constraints": LIMITS}
    known = pf.protect(frame, **options)
    written = pf.protect(folder, output=tmp_path / "out.parquet", **options)
    release = pd.read_parquet(written.path)
    assert furthest(release, known.frame, DEPENDENT) < (1e-10 if floats else 1e-300)
    assert release.dtypes[DEPENDENT].equals(frame.dtypes[DEPENDENT])
    assert broken(release) == 0
    assert written.notes == known.notes
    assert any("breaks `PTOTVAL == POTHVAL + PEARNVAL` in 17 of 5000" in note for note in written.notes)
    assert any(note.startswith("constraints: all are kept, and moved ") for note in written.notes)


@pytest.mark.slow
def test_gaps(tmp_path):
    """Incomplete records are left out; where a column that does not move is missing, its constraint is not asked. Identical."""
    frame = simulated(floats=False, gaps=True)
    frame.to_parquet(tmp_path / "in.parquet", row_group_size=900)
    options = {"method": pf.IPSO("C"), "roles": ROLES, "seed": 3, "constraints": LIMITS, "missing": "drop"}
    known = pf.protect(frame, **options)
    written = pf.protect(by_blocks(tmp_path / "in.parquet"), output=tmp_path / "out.parquet", **options)
    release = pd.read_parquet(written.path)
    np.testing.assert_array_equal(release[DEPENDENT].to_numpy(float), known.frame[DEPENDENT].to_numpy(float))
    assert written.notes == known.notes
    assert any("could not be checked for 2 records, where EMCONTRB is missing" in note for note in written.all_notes)
    assert broken(release, release[["AGI", "EMCONTRB"]].notna().all(axis=1)) == 0


@pytest.mark.slow
def test_by_strata(tmp_path):
    """The whole file's standard deviations are the unit, in both. Identical."""
    frame = simulated(floats=False)
    frame.to_parquet(tmp_path / "in.parquet", row_group_size=900)
    options = {
        "method": pf.Calibrated(pf.IPSO("C")),
        "roles": ROLES,
        "seed": 3,
        "constraints": LIMITS,
        "strata": "region",
    }
    known = pf.protect(frame, **options)
    written = pf.protect(by_blocks(tmp_path / "in.parquet"), output=tmp_path / "out.parquet", **options)
    pd.testing.assert_frame_equal(pd.read_parquet(written.path), known.frame)
    assert written.notes == known.notes
    assert broken(known.frame) == 0
