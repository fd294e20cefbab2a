"""Dates, periods, durations and times of day of SPSS and Stata files: a release has the same kinds, in the same formats.

Oracle: the formats of the file, and the seconds, days and periods that were written. Grade: identical.
"""

import datetime as dt

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import pyfcrm as pf

pytestmark = pytest.mark.slow

N = 200
SPSS = {
    "born": "DATE11", "seen": "DATETIME20", "clock": "TIME8", "month": "MOYR8", "quarter": "QYR8", "week": "WKYR10",
    "edate": "EDATE10", "hours": "TIME8", "days": "DTIME12",
}  # fmt: skip
STATA = {
    "born": "%td", "seen": "%tc", "month": "%tm", "quarter": "%tq", "week": "%tw", "half": "%th", "year": "%ty",
}  # fmt: skip
KINDS = {"clock": "time", "hours": "duration", "days": "duration"}
SPSS_EPOCH = np.datetime64("1582-10-14", "s")


def people():
    rng = np.random.default_rng(1)
    age = rng.integers(20, 70, N)
    frame = pd.DataFrame({"age": age.astype(float), "wage": np.round(500 + 30 * age + rng.normal(0, 200, N))})
    days = 30 * age + rng.integers(0, 400, N)
    frame["born"] = [dt.date(2010, 1, 1) + dt.timedelta(days=int(day)) for day in days]
    frame["seen"] = [dt.datetime(2012, 1, 1) + dt.timedelta(hours=int(day)) for day in days]
    return frame, rng


def spss_seconds(moments):
    return (pd.to_datetime(moments).to_numpy().astype("M8[s]") - SPSS_EPOCH).astype(float)


def spss_file(path):
    frame, rng = people()
    frame["clock"] = [dt.time(int(rng.integers(6, 20)), int(rng.integers(0, 60))) for _ in range(N)]
    months = pd.Series(rng.integers(0, 120, N))
    frame["month"] = spss_seconds([dt.date(2005 + m // 12, m % 12 + 1, 1) for m in months])
    frame["quarter"] = spss_seconds([dt.date(2005 + m // 12, m % 12 // 3 * 3 + 1, 1) for m in months])
    frame["week"] = spss_seconds([dt.date(2010, 1, 1) + dt.timedelta(weeks=int(k)) for k in rng.integers(0, 50, N)])
    frame["edate"] = [dt.date(2000, 1, 1) + dt.timedelta(days=int(day)) for day in rng.integers(0, 5000, N)]
    frame["hours"] = rng.integers(1, 200, N) * 3600.0 + 60 * rng.integers(0, 60, N)
    frame["days"] = frame["hours"] * 3
    pyreadstat.write_sav(frame, str(path), variable_format=SPSS, column_labels={"born": "Date of birth"})
    return frame


def stata_file(path):
    frame, rng = people()
    for name, low, high in (
        ("month", 500, 620), ("quarter", 180, 220), ("week", 2500, 2600), ("half", 90, 110), ("year", 1990, 2020),
    ):  # fmt: skip
        frame[name] = rng.integers(low, high, N).astype(float)
    pyreadstat.write_dta(frame, str(path), variable_format=STATA, column_labels={"born": "Date of birth"})
    return frame


FILES = {"sav": (spss_file, SPSS), "dta": (stata_file, STATA)}


@pytest.mark.parametrize("kind", FILES)
def test_kinds_and_formats_of_a_release_are_those_of_the_file(tmp_path, kind):
    write, formats = FILES[kind]
    source, release = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}"
    write(source)
    before = pf.describe(source)
    assert {name: before[name].kind for name in formats} == {name: KINDS.get(name, "date") for name in formats}
    roles = pf.Roles(["age"], ["wage", *formats])
    pf.protect_file(source, release, pf.IPSO("C"), roles, 1, shuffle=False, allow_unprotected=True)
    after = pf.describe(release)
    for name in formats:
        assert (after[name].kind, after[name].step) == (before[name].kind, before[name].step), name
    reader = pyreadstat.read_sav if kind == "sav" else pyreadstat.read_dta
    types = [reader(str(path), metadataonly=True)[1].original_variable_types for path in (source, release)]
    assert types[0] == types[1]
    original, released = (reader(str(path), disable_datetime_conversion=True)[0] for path in (source, release))
    for name in ("wage", *formats):
        assert (original[name] == released[name]).mean() < 0.2, name
    assert pf.read_table(release).attrs["column_labels"] == {"born": "Date of birth"}


def test_durations_of_spss_keep_their_days(tmp_path):
    """pyreadstat reads 30:00:00 as 06:00:00. Unmodified ones are released as they are, predictors count in seconds."""
    source, release = tmp_path / "in.sav", tmp_path / "out.sav"
    frame = spss_file(source)
    read = pf.read_table(source)
    for name in ("hours", "days"):
        assert (read[name].dt.total_seconds() == frame[name]).all()
    pf.protect_file(source, release, pf.IPSO("C"), pf.Roles(["age", "hours"], ["wage"]), 1, shuffle=False)
    raw = pyreadstat.read_sav(str(release), disable_datetime_conversion=True)[0]
    for name in ("clock", "hours", "days"):
        expected = pyreadstat.read_sav(str(source), disable_datetime_conversion=True)[0][name]
        assert (raw[name] == expected).all(), name
