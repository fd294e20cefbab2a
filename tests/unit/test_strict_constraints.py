"""Strict rules a < b: read, kept in a release, counted in the verdict.

Oracle: a count of the records with a >= b. Grade: identical.
"""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from support.blocks import by_blocks

import pyfcrm as pf
from pyfcrm.constraints import parsed
from pyfcrm.constraints.strict import with_differences
from pyfcrm.data import open_frame
from pyfcrm.data.encoded import EncodedFrame
from pyfcrm.data.encoding import encodings
from pyfcrm.errors import InvalidInput
from pyfcrm.evaluation.verdict.edit_rules import declared_rules
from pyfcrm.files import parquet

N = 400


def people():
    """Pairs of columns of which the first is below the second, of several kinds of values."""
    rng = np.random.default_rng(5)
    age = rng.integers(20, 70, N)
    low = np.round(100 + 3 * age + rng.normal(0, 30, N), 2)
    day = pd.Timestamp("2000-01-01") + pd.to_timedelta(rng.integers(0, 3000, N), "D")
    month = rng.integers(0, 100, N)
    later = month + rng.integers(1, 6, N)
    step = rng.integers(0, 3, N)
    columns = {
        "age": age,
        "low": low,
        "high": np.round(low + rng.exponential(20, N) + 0.01, 2),
        "first": rng.integers(0, 20, N),
        "start": day,
        "end": day + pd.to_timedelta(rng.integers(1, 40, N), "D"),
        "month": 100 * (1990 + month // 12) + month % 12 + 1,
        "month_after": 100 * (1990 + later // 12) + later % 12 + 1,
        "class": np.array([0, 1, 10, 30])[step],
        "class_after": np.array([0, 1, 10, 30])[step + 1],
        "x": rng.normal(size=N),
    }
    frame = pd.DataFrame(columns)
    return frame.assign(last=frame["first"] + rng.integers(1, 4, N), y=frame["x"] + 1)


PAIRS = [
    ("low < high", "low", "high"),
    ("first < last", "first", "last"),
    ("end > start", "start", "end"),
    ("month < month_after", "month", "month_after"),
    ("class_after > class", "class", "class_after"),
]


@pytest.mark.parametrize(("rule", "low", "high"), PAIRS)
@pytest.mark.parametrize("dependent", [1, 2])
@pytest.mark.parametrize("method", [pf.IPSO("C"), pf.Calibrated(pf.IPSO("C"))], ids=["ipso", "calibrated"])
def test_a_release_keeps_a_strict_rule(method, dependent, rule, low, high):
    """IPSO-C alone breaks each of these rules in some records."""
    frame = people()
    roles = pf.Roles(["age", low], [high]) if dependent == 1 else pf.Roles(["age"], [low, high])
    released = pf.protect(frame, method, roles, constraints=rule, seed=1, allow_unprotected=True, structure=None).frame
    assert (released[low] < released[high]).all()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("low < high", Fraction(1, 100)),
        ("low + first < high", Fraction(1, 100)),
        ("first < last", 1),
        ("2*first < 2*last", 2),
        ("2*first < 5", 1),  # 4 is the largest even number below 5
        ("first < .5", Fraction(1, 2)),
        ("start < end", 1),
        ("first <= last", 0),
    ],
)
def test_the_smallest_difference_by_hand(text, expected):
    """The distance from the bound to the next smaller sum of whole numbers and cents."""
    opened = open_frame("t", people())
    frame = EncodedFrame(opened, encodings("t", opened, None))
    [constraint] = with_differences("t", parsed("t", text), frame, frame.names)
    assert constraint.difference == expected


def test_a_real_number_has_no_smallest_difference():
    with pytest.raises(InvalidInput, match="`x < y` must be about columns with a fixed number of decimals"):
        pf.protect(people(), pf.IPSO("C"), pf.Roles(["age"], ["x", "y"]), constraints="x < y", seed=1)


def test_a_predictor_may_be_a_real_number():
    frame = people()
    roles = pf.Roles(["age", "x"], ["high"])
    released = pf.protect(frame, pf.IPSO("C"), roles, constraints="x < high; 200 < high", seed=1).frame
    assert (released["x"] < released["high"]).all()
    assert (released["high"] > 200).all()


def test_equal_values_break_a_strict_rule():
    """In the original, which a note counts, and in the verdict's rules."""
    frame = people()
    frame.loc[:6, "high"] = frame["low"]
    notes = pf.protect(
        frame, pf.IPSO("C"), pf.Roles(["age"], ["low", "high"]), constraints="low < high", seed=1
    ).all_notes
    assert any("the original breaks `low < high` in 7 of 400 records" in note for note in notes)
    [strict] = declared_rules(["low < high"])
    [other] = declared_rules("low <= high")  # R has one text, not a list of it
    opened = open_frame("t", frame)
    assert (strict.broken(opened, opened), other.broken(opened, opened)) == (7, 0)


def test_a_file_by_blocks_keeps_a_strict_rule(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "RECORDS_AT_ONCE", 64)
    people().to_parquet(tmp_path / "in.parquet")
    source, output = by_blocks(tmp_path / "in.parquet"), tmp_path / "out.parquet"
    roles = pf.Roles(["age"], ["low", "high", "first", "last"])
    pf.protect(source, pf.IPSO("C"), roles, constraints="low < high; first < last", seed=1, output=output)
    released = pd.read_parquet(output)
    assert (released["low"] < released["high"]).all()
    assert (released["first"] < released["last"]).all()
