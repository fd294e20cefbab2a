"""Whatever the columns, they are described: in any order of the records, from any library, and from at least 10 records each.

Oracle: the same frame in another order and library, and counts by Python. Grade: identical.
"""

from __future__ import annotations

import datetime as dt
import decimal
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import pyfcrm as pf
from pyfcrm.data.variables import read_variables

DAY = dt.date(1990, 1, 31)
CELLS = {
    "float": st.floats(width=64),
    "rounded": st.floats(-1e6, 1e6).map(lambda value: round(value, 2)),
    "whole": st.integers(-(2**63), 2**63 - 1),
    "few": st.integers(-2, 6),
    "codes": st.sampled_from([0, 1, 2, 9, 98, 99, 999, -1, -9]),
    "flag": st.booleans(),
    "text": st.text(max_size=4),
    "digits": st.from_regex(r"[+-]?[0-9]{1,3}([.,' ][0-9]{1,3}){0,2}( EUR)?", fullmatch=True),
    "day": st.integers(-9000, 20_000).map(lambda days: DAY + dt.timedelta(days)),
    "month": st.integers(199_001, 199_013),
    "day in text": st.integers(0, 99).map(lambda days: f"{DAY + dt.timedelta(days):%d/%m/%Y}"),
    "moment": st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)),
    "span": st.timedeltas(dt.timedelta(-9000), dt.timedelta(9000)),
    "time": st.times(),
    "decimal": st.decimals(-1000, 1000, places=2),
}
ODD = [1, 2.5, True, "x", b"x", None, float("nan"), float("inf"), 10**400, 1j, (1, 2), [1], {"a": 1}, DAY, dt.time(1), pd.NaT,
       dt.timedelta(1), decimal.Decimal("1.5"), decimal.Decimal("NaN"), np.bool_(True), np.float32(0.1),
       pd.Period("2020", "M"), object]  # fmt: skip
NAMES = ("x", "person_id", "year", "zip", "a b", "é", "line\nbreak")


@st.composite
def columns(draw):
    """The cells of a column: a few different ones, many times."""
    cells = CELLS[draw(st.sampled_from(sorted(CELLS)))]
    different = draw(st.lists(st.none() | cells, min_size=1, max_size=30))
    return [different[place] for place in draw(st.lists(st.integers(0, len(different) - 1), min_size=1, max_size=120))]


@settings(deadline=None)
@given(columns(), st.sampled_from(NAMES), st.randoms(use_true_random=False))
def test_order_and_library_change_nothing(cells, name, random):
    table = pa.table({name: pa.array(cells)})
    found = pf.describe(table)
    places = [*range(len(cells))]
    random.shuffle(places)
    for frame in (table.take(places), pl.from_arrow(table), table.to_pandas(types_mapper=pd.ArrowDtype)):
        assert pf.describe(frame) == found
    assert read_variables(found.to_toml()) == {name: found[name].declared()}


@settings(deadline=None)
@given(columns(), st.sampled_from(NAMES))
def test_what_is_listed_has_10_records(cells, name):
    found = pf.describe(pa.table({name: pa.array(cells)}))[name]
    counts = Counter(cells)
    assert all(counts[value] >= 10 for value in (*found.values, *found.proposed_missing_codes))


@settings(deadline=None)
@given(st.lists(st.sampled_from(ODD), min_size=1, max_size=5), st.integers(1, 12))
def test_odd_objects_are_described(cells, times):
    column = np.empty(len(cells) * times, dtype=object)
    column[:] = [cell for cell in cells for _ in range(times)]
    found = pf.describe(pd.DataFrame({"x": pd.Series(column, dtype=object)}))
    assert found["x"].reason
    assert repr(found)
    assert found.rows()
    assert len(found.to_frame()) == 1
    assert read_variables(found.to_toml()) == {"x": found["x"].declared()}
