"""Recoding and local suppression of categories and dates. Oracle: pandas and counting by hand; identical."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf

DAYS = pd.to_datetime(["2019-12-31", "2020-01-01", "2020-02-29", None, "2021-07-01", "2020-02-10"])
TOWNS = ["Ham", "Bre", "Muc", None, "Ham", "Ulm"]


@pytest.fixture
def frame():
    return pd.DataFrame({"day": DAYS, "town": TOWNS, "code": [1.0, 2, 3, np.nan, 1, 2], "y": np.arange(6.0)})


def recoded(frame, name, breaks, **more):
    return pf.protect(frame, pf.Recoding({name: breaks}), pf.Roles(dependent=name), **more).frame[name]


def cells(column):
    return [None if pd.isna(cell) else cell for cell in column]


@pytest.mark.parametrize(
    ("breaks", "expected"),
    [
        ("year", ["2019", "2020", "2020", None, "2021", "2020"]),
        ("quarter", ["2019-Q4", "2020-Q1", "2020-Q1", None, "2021-Q3", "2020-Q1"]),
        ("month", ["2019-12", "2020-01", "2020-02", None, "2021-07", "2020-02"]),
    ],
)
def test_dates_by_period(frame, breaks, expected):
    column = recoded(frame, "day", breaks)
    assert cells(column) == expected
    assert list(column.cat.categories) == sorted({text for text in expected if text})


def test_dates_by_cut_points_as_text_or_dates(frame):
    expected = [
        "(-inf, 2020-01-01)",
        *2 * ["[2020-01-01, 2021-01-01)"],
        None,
        "[2021-01-01, inf)",
        "[2020-01-01, 2021-01-01)",
    ]
    cuts = [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)]
    assert cells(recoded(frame, "day", [str(cut) for cut in cuts])) == cells(recoded(frame, "day", cuts)) == expected
    assert len(set(cells(recoded(frame, "day", 2)))) == 3


def test_polars_dates(frame):
    pl = pytest.importorskip("polars")
    source = pl.from_pandas(frame).with_columns(pl.col("day").cast(pl.Date))
    assert recoded(source, "day", "month").to_list() == cells(recoded(frame, "day", "month"))


def test_categories_become_groups_and_others_stay(frame):
    column = recoded(frame, "town", {"Ham": "north", "Bre": "north"})
    assert cells(column) == ["north", "north", "Muc", None, "north", "Ulm"]
    assert list(column.cat.categories) == ["north", "Muc", "Ulm"]
    levels = frame.assign(town=pd.Categorical(frame["town"], ["Ulm", "Muc", "Ham", "Bre"]))
    assert cells(recoded(levels, "town", {"Ham": "north", "Bre": "north"})) == cells(column)


def test_codes_become_groups_by_number_or_by_text(frame):
    known = frame.dropna()
    assert cells(recoded(known, "code", {1: "a", 2: "a", 3: "b"})) == ["a", "a", "b", "a", "a"]
    assert cells(recoded(known, "code", {"1": "a", "2": "a"})) == ["a", "a", "3", "a", "a"]


def test_a_plan_has_them(frame):
    method = pf.Recoding({"day": "month", "town": {"Ham": "north"}, "y": [1, 2], "other": ["2020-01-01"]})
    from pyfcrm.plans.tables import method_table, to_method

    assert to_method(method_table(method)) == method


@pytest.mark.parametrize(
    ("name", "breaks", "words"),
    [
        ("town", 3, "mapping from category to group"),
        ("town", "year", "mapping from category to group"),
        ("day", [1, 2], "dates or a period"),
        ("y", "year", "must be numbers"),
        ("y", "decade", "a period of dates"),
    ],
)
def test_breaks_that_do_not_fit_the_column(frame, name, breaks, words):
    with pytest.raises(pf.errors.InvalidParameter, match=words):
        recoded(frame, name, breaks)


def test_suppression_of_dates_and_categories_is_k_anonymous():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "day": pd.to_datetime(rng.choice(["2020-01-01", "2020-02-01", "2021-03-01"], 60, p=[0.6, 0.35, 0.05])),
            "town": pd.Categorical(rng.choice(["a", "b", "c"], 60, p=[0.5, 0.4, 0.1])),
            "own": rng.random(60) < 0.5,
        }
    )
    keys = ["day", "town", "own"]
    released = pf.protect(frame, pf.LocalSuppression(4), pf.Roles(dependent=keys)).frame
    assert released.groupby(keys, dropna=False, observed=True).size().min() >= 4
    assert released["day"].isna().any() or released["town"].isna().any()
    assert (released["day"].dtype, released["town"].dtype) == (frame["day"].dtype, frame["town"].dtype)
    for name in keys:
        kept = released[name].notna()
        assert (released.loc[kept, name] == frame.loc[kept, name]).all()
