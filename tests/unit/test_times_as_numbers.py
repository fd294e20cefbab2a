"""Times of day as whole numbers, and years with a fraction: proposed by describe(), and valid in a release.

Oracle: the minutes and the quarters or months from which the numbers were made. Grade: identical.
"""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.app.questions import declarations, questions
from pyfcrm.data import open_frame
from pyfcrm.data.column_facts import column_facts

N = 500


def people():
    rng = np.random.default_rng(7)
    age = rng.integers(20, 70, N)
    minutes = np.clip(rng.normal(600 + 5 * age, 200), 0, 1439).astype(int)
    quarters = rng.integers(4 * 1990, 4 * 2020, N)
    months = rng.integers(12 * 1990, 12 * 2020, N)
    columns = {
        "age": age,
        "departs": hhmm(minutes),
        "slot": hhmm(minutes // 15 * 15),
        "seconds": 100 * hhmm(minutes) + rng.integers(0, 60, N),
        "quarter": quarters / 4,
        "rounded": np.round(months / 12, 2),
        "exact": months / 12,
    }
    return pd.DataFrame(columns)


def hhmm(minutes):
    return 100 * (minutes // 60) + minutes % 60


FORMATS = {
    "departs": ("time", "%H%M"),
    "slot": ("time", "%H%M"),
    "seconds": ("time", "%H%M%S"),
    "quarter": ("date", "%Y+(%q-1)/4"),
    "rounded": ("date", "%Y+(%m-1)/12"),
    "exact": ("date", "%Y+(%m-1)/12"),
}


def test_they_are_proposed_and_never_certain():
    frame = people()
    found = pf.describe(frame)
    assert {name: (found[name].kind, found[name].format) for name in FORMATS} == FORMATS
    assert {*found.doubtful} == {*FORMATS}
    again = pf.describe(frame, variables=pf.Variables.from_toml(found.to_toml()))
    assert again.doubtful == ()
    assert {name: (again[name].kind, again[name].format) for name in FORMATS} == FORMATS
    suggested = pf.suggest_roles(frame)
    assert {*FORMATS} <= {*suggested.doubtful}


def test_the_question_and_the_declaration_of_each_answer():
    frame = people()[["departs", "quarter"]]
    opened = open_frame("t", frame)
    facts = {name: column_facts(opened, name) for name in frame}
    found = pf.describe(frame)
    texts = [question.text for question in questions(found, facts)]
    assert texts == [
        "Is `departs` a time of day in the form HHMM?",
        "Is `quarter` a date in the form year and quarter, 2007.25?",
    ]
    declared = declarations(found, facts, {"kind.departs": "yes", "kind.quarter": "no"})
    assert declared == {"departs": pf.Variable("time", format="%H%M"), "quarter": pf.Variable("amount")}


RNG = np.random.default_rng(0)
OTHERS = {
    "minutes": RNG.integers(0, 60, N),
    "amounts": RNG.integers(0, 2400, N),
    "hundreds": 100 * RNG.integers(1, 20, N),
    "fifties": 50 * RNG.integers(1, 40, N),
    "hour": RNG.integers(0, 24, N),
    "time": RNG.integers(1, 400, N),
    "years": RNG.integers(1920, 2020, N),
    "quarters of other numbers": RNG.integers(0, 9000, N) / 4,
    "halves": RNG.integers(3800, 4000, N) / 2,
    "hundredths": np.round(RNG.uniform(1900, 2000, N), 2),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_numbers_are_none(name):
    assert pf.describe(pd.DataFrame({name: OTHERS[name]}))[name].kind not in ("time", "date")


@pytest.mark.parametrize(
    "method", [pf.IPSO("C"), pf.Calibrated(pf.IPSO("C")), pf.Noise("correlated", 20), pf.Sequential()], ids=str
)
def test_a_release_has_valid_values_of_the_same_step(method):
    """IPSO-C of such numbers as amounts has 1375, and 2007.31."""
    roles = pf.Roles(["age"], list(FORMATS))
    released = pf.protect(people(), method, roles, seed=1, allow_unprotected=True, structure=None)
    frame = released.frame
    assert any("uncertain" in note for note in released.all_notes)
    for name in ("departs", "slot"):
        assert frame[name].between(0, 2359).all()
        assert (frame[name] % 100 < 60).all()
        assert frame[name].dtype == "int64"
    assert (frame["slot"] % 100).isin([0, 15, 30, 45]).all()
    assert (frame["seconds"] // 10_000 < 24).all()
    assert (frame["seconds"] // 100 % 100 < 60).all()
    assert (frame["seconds"] % 100 < 60).all()
    assert (frame["quarter"] * 4 % 1 == 0).all()
    months = np.rint(frame[["rounded", "exact"]] * 12)
    assert (np.round(months["rounded"] / 12, 2) == frame["rounded"]).all()
    assert (months["exact"] / 12 == frame["exact"]).all()


def test_gaps_and_codes_of_missing_values_stay():
    frame = people()
    frame.loc[::11, "departs"] = 9999
    frame.loc[::7, "quarter"] = np.nan
    declared = {"departs": pf.Variable("time", format="%H%M", missing_codes=[9999])}
    roles = pf.Roles(["age"], ["departs", "quarter"])
    released = pf.protect(
        frame, pf.IPSO("C"), roles, seed=1, variables=declared, shuffle=False, allow_unprotected=True
    ).frame
    assert (released["departs"] == 9999).equals(frame["departs"] == 9999)
    assert released["quarter"].isna().equals(frame["quarter"].isna())


@pytest.mark.parametrize(
    ("original", "released"),
    [
        (pd.date_range("2020-01-01", periods=60), np.arange(60.0)),
        (pd.to_timedelta(np.arange(60), unit="h"), np.arange(60.0)),
        (pd.date_range("2020-01-01", periods=60), pd.to_timedelta(np.arange(60), unit="h")),
    ],
    ids=["dates", "durations", "dates and durations"],
)
def test_numbers_in_place_of_dates_are_refused_in_a_sentence(original, released):
    """Both files must be read in the same way. The defect: a traceback of another library."""
    frame = pd.DataFrame({"x": np.arange(60) % 3, "when": original, "wage": np.arange(60.0)})
    roles = pf.Roles(["x"], ["when", "wage"])
    with pytest.raises(pf.errors.InvalidInput, match="protected: column `when` must be a"):
        pf.evaluate(frame, frame.assign(when=released), roles=roles)
