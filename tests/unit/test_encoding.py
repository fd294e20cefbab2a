"""Encoding and decoding of each kind of column.

Oracle: cells made by hand, and Python's own dates. Grade: identical.
"""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pyfcrm as pf
from pyfcrm.data.encoded import EncodedFrame
from pyfcrm.data.encoding import encodings
from pyfcrm.data.frame import open_frame
from pyfcrm.data.pairs import key_codes
from pyfcrm.errors import InvalidInput, InvalidParameter

N = 300
DAYS = pd.Timestamp("1990-01-15") + pd.to_timedelta(np.arange(N) * 29, "D")
MONTHS = pd.date_range("1990-01-01", periods=N, freq="MS")


def encoded(column, variable=None, **options):
    """The encoding of a column, and its encoded frame."""
    table = column if hasattr(column, "columns") else pd.DataFrame({"x": column})
    frame = open_frame("t", table)
    declared = None if variable is None else {"x": variable}
    found = encodings("t", frame, declared, **options)
    return found["x"], EncodedFrame(frame, found)


def decoded(column, numbers, variable=None, **options):
    """The cells of these numbers, in the type of the column; the rest of the column is unchanged."""
    _, frame = encoded(column, variable, **options)
    values = np.full(frame.records, np.nan)
    values[: len(numbers)] = numbers
    released = frame.replaced({"x": values}, np.ones(frame.records, dtype=bool), [])
    return open_frame("t", released).cells("x")[: len(numbers)].tolist(), released


ROUND_TRIPS = {
    "scale": np.tile(np.arange(1, 7), 50),
    "counts": np.arange(N) * 7 % 211,
    "amounts": np.round(np.arange(N) * 1.25 - 100, 2),
    "reals": np.sqrt(np.arange(N) + 0.3),
    "nullable integers": pd.array([None, *range(0, 2 * (N - 1), 2)], dtype="Int64"),
    "Decimal objects": [Decimal(7 * i) / 100 for i in range(N)],
    "timestamps": DAYS,
    "timestamps with a time": pd.Timestamp("2020-03-01 12:34:56.789") + pd.to_timedelta(np.arange(N) * 1234.567, "s"),
    "time zone": DAYS.tz_localize("Europe/Paris"),
    "date objects": [day.date() for day in DAYS],
    "pandas periods": pd.PeriodIndex(DAYS, freq="M"),
    "pandas quarters": pd.PeriodIndex(DAYS, freq="Q"),
    "YYYYMM": DAYS.strftime("%Y%m").astype(int),
    "YYYYMMDD": DAYS.strftime("%Y%m%d").astype(int),
    "text dates": DAYS.strftime("%d.%m.%Y"),
    "text dates without zeros": [f"{day.day}.{day.month}.{day.year}" for day in DAYS],
    "names of months": DAYS.strftime("%d%b%Y").str.upper(),
    "text months": DAYS.strftime("%Y-%m"),
    "text quarters": DAYS.to_period("Q").astype(str),
    "text weeks": [f"{d.isocalendar()[0]}W{d.isocalendar()[1]:02}" for d in DAYS],
    "text half-years": [f"{d.year}S{1 + (d.month > 6)}" for d in DAYS],
    "text times": DAYS.strftime("%Y-%m-%d %H:%M"),
    "durations": pd.to_timedelta(np.arange(N) * 17, "s"),
    "times of day": [dt.time(i % 24, i % 60) for i in range(N)],
    "text with thousands": [f"{v:,.2f}" for v in np.arange(N) * 31.7],
    "text with a decimal comma": [f"{v:.1f}".replace(".", ",") + " EUR" for v in np.arange(N) * 31.7],
}


@pytest.mark.parametrize("case", ROUND_TRIPS)
def test_cells_return_from_their_numbers(case):
    column = ROUND_TRIPS[case]
    encoding, frame = encoded(column)
    numbers = frame.values("x")
    assert encoding.permitted(numbers).all()
    released = frame.replaced({"x": numbers}, np.ones(frame.records, dtype=bool), [])
    pd.testing.assert_frame_equal(released, pd.DataFrame({"x": column}))


@pytest.mark.parametrize("case", sorted(ROUND_TRIPS.keys() - {"pandas periods", "pandas quarters", "Decimal objects"}))
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_other_libraries_have_the_same_numbers_and_cells(case, library):
    plain = pd.DataFrame({"x": ROUND_TRIPS[case]})
    table = pl.from_pandas(plain) if library == "polars" else pa.Table.from_pandas(plain)
    _, frame = encoded(table)
    numbers = frame.values("x")
    np.testing.assert_array_equal(numbers, encoded(plain["x"])[1].values("x"))
    released = frame.replaced({"x": numbers}, np.ones(frame.records, dtype=bool), [])
    assert released.equals(table) if library == "polars" else released.column("x").equals(table.column("x"))


def test_codes_are_the_frequent_values_and_the_whole_numbers_between_them():
    column = [*np.tile([1, 2, 3, 5], 70), 9]
    encoding, _ = encoded(column)
    np.testing.assert_array_equal(encoding.nearest(np.array([0, 1.6, 4.2, 7, 9, np.nan])), [1, 2, 4, 5, 5, np.nan])
    assert encoding.permitted(np.array([1, 4, 9, 2.5, np.nan])).tolist() == [True, True, False, False, True]
    assert decoded(column, [8.7, -3])[0] == [5, 1]


def test_codes_without_step_are_the_values_alone():
    encoding, _ = encoded(np.tile([11, 12, 21, 35], 70))
    np.testing.assert_array_equal(encoding.nearest(np.array([13.0, 30, 16.5])), [12, 35, 12])


def test_declared_codes_go_before_the_values_of_the_file():
    encoding, _ = encoded(np.tile([1, 2, 3, 5], 70), pf.Variable("codes", codes=[1, 2, 3, 5, 9]))
    np.testing.assert_array_equal(encoding.nearest(np.array([4.0, 8, 4.1])), [3, 9, 5])


def test_amounts_have_the_decimals_of_nearly_all_values():
    column = np.round(np.arange(N) * 0.25, 2)
    column[3] = 0.12345
    assert decoded(column, [1.23456, -7.0])[0] == [1.23, -7.0]


def test_counts_and_amounts_keep_their_sign_only_where_the_method_asks():
    column = np.arange(N) * 7 % 211
    assert decoded(column, [-3.2, 4.5])[0] == [-3, 4]
    assert decoded(column, [-3.2, 4.5], signs=True)[0] == [0, 4]
    assert decoded(column, [-3.2], pf.Variable(bounds="none"), signs=True)[0] == [-3]
    assert decoded(column, [-3.2, 400], pf.Variable(bounds=(5, 100)))[0] == [5, 100]


def test_limits_between_two_permitted_numbers_are_kept():
    encoding, _ = encoded(np.arange(N) * 0.5 + 1, pf.Variable("amount", decimals=1, bounds=(1.27, 9.93)))
    np.testing.assert_allclose(encoding.nearest(np.array([0.0, 20.0])), [1.3, 9.9], rtol=1e-15)


def test_all_decimals_make_floats_of_integers():
    cells, released = decoded(np.arange(N) * 7 % 211, [1.5], pf.Variable(decimals="all"))
    assert (cells, released["x"].dtype) == ([1.5], np.float64)
    assert decoded(np.tile(np.arange(1, 7), 50), [7.25])[0] == [6]
    frame = open_frame("t", pd.DataFrame({"x": np.tile(np.arange(1, 7), 50)}))
    plain = EncodedFrame(frame, encodings("t", frame, "numbers"))
    assert plain.kind("x") == "float"
    assert plain.replaced({"x": np.full(N, 7.25)}, np.ones(N, dtype=bool), [])["x"].eq(7.25).all()


def test_codes_of_missing_values_are_gaps_and_return():
    column = np.where(np.arange(N) % 10 == 0, 99, np.arange(N) * 3 + 100)
    encoding, frame = encoded(column, pf.Variable(missing_codes=[99]))
    gaps = np.isnan(frame.values("x"))
    assert gaps.sum() == N // 10
    assert encoding.kind == "count"
    released = frame.replaced({"x": np.where(gaps, np.nan, 99.2)}, np.ones(N, dtype=bool), [])
    assert (released["x"][gaps] == 99).all()
    assert (released["x"][~gaps] == 100).all(), "a released amount never becomes a code by chance"


@pytest.mark.parametrize("column", [np.tile([0, 1, 2, 99], N // 4), np.tile(["a", "b", "c", "99"], N // 4)])
def test_a_code_of_a_missing_value_is_no_level_of_a_key(column):
    """Of numbers as of text: Frame.distinct, Frame.codes and the keys of two files agree."""
    opened = open_frame("t", pd.DataFrame({"x": column}))
    frame = EncodedFrame(opened, encodings("t", opened, {"x": pf.Variable(missing_codes=[99])}))
    is_missing = column.astype(str) == "99"
    places, values = frame.distinct("x")
    assert len(values) == 3
    keys, of_release = key_codes("t", frame, frame, ["x"])
    for codes in (places, frame.codes("x"), keys[:, 0], of_release[:, 0]):
        np.testing.assert_array_equal(codes < 0, is_missing)


def test_no_amount_leaves_its_limits_to_avoid_a_code():
    column = np.where(np.arange(N) % 10 == 0, 0, np.arange(N) + 5)
    encoding, _ = encoded(column, pf.Variable(missing_codes=[0], bounds=(0, None)))
    np.testing.assert_array_equal(encoding.nearest(np.array([-4.0, 0.3, 1.2])), [1, 1, 1])


def test_released_dates_are_valid_and_in_the_step_of_the_column():
    assert decoded(DAYS.strftime("%Y%m").astype(int), [1990 * 12 + 11.4, 1990 * 12 + 11.6])[0] == [199012, 199101]
    assert decoded(MONTHS, [10.0, 20.0])[0] == [pd.Timestamp("1970-01-01"), pd.Timestamp("1970-02-01")]
    assert decoded(DAYS, [0.6])[0] == [pd.Timestamp("1970-01-02")]
    assert decoded(DAYS.strftime("%d.%m.%Y"), [58.7])[0] == ["01.03.1970"]
    assert decoded(DAYS.strftime("%Y%m%d").astype(int), [1e9, -1e9])[0] == [21991228, 18000104]


def test_a_cell_that_cannot_be_read_is_missing_for_the_method_alone():
    column = list(DAYS.strftime("%d.%m.%Y"))
    column[7] = "31.02.1999"
    column[9] = None
    _, frame = encoded(column)
    assert np.flatnonzero(np.isnan(frame.values("x"))).tolist() == [7, 9]
    assert np.flatnonzero(frame.unreadable("x")).tolist() == [7]
    note = encodings("t", frame.original, None).notes[0]
    assert "31.02" not in note
    assert note.count == 1


def test_periods_of_stata_and_seconds_of_spss_stay_periods():
    stata = pd.DataFrame({"x": np.arange(N) + 360.0})
    stata.attrs["variable_format"] = {"x": "%tm"}
    assert decoded(stata, [361.4])[0] == [361.0]
    seconds = (MONTHS.to_numpy().astype("datetime64[D]").astype(float) + 141_428) * 86_400
    spss = pd.DataFrame({"x": seconds})
    spss.attrs["variable_format"] = {"x": "MOYR8"}
    _, frame = encoded(spss)
    np.testing.assert_array_equal(frame.values("x"), MONTHS.to_numpy().astype("datetime64[D]").astype(float))
    assert decoded(spss, [9.0])[0] == [141_428 * 86_400]


def test_durations_keep_their_sign_and_times_of_day_their_day():
    assert decoded(pd.to_timedelta(np.arange(N) * 60, "s"), [-100.0, 95.0])[0] == [
        dt.timedelta(0),
        dt.timedelta(minutes=2),
    ]
    assert decoded([dt.time(i % 24, i % 60) for i in range(N)], [-5.0, 1e9, 3630.1])[0] == [
        dt.time(0, 0),
        dt.time(23, 59),
        dt.time(1, 1),
    ]


def test_times_as_whole_numbers_are_declared():
    column = [100 * (i % 24) + i % 60 for i in range(N)]
    assert decoded(column, [3660.0], pf.Variable("time", format="%H%M"))[0] == [101]
    with pytest.raises(InvalidInput, match="format"):  # numbers that are no HHMM
        encoded(np.arange(N), pf.Variable("time"))


def test_text_in_several_forms_is_not_encoded_unless_its_form_is_declared():
    both = [f"{1 + i % 12:02}/{1 + i % 12:02}/20{10 + i % 15}" for i in range(N)]
    frame = open_frame("t", pd.DataFrame({"x": both}))
    assert "x" not in encodings("t", frame, None)
    assert "x" in encodings("t", frame, {"x": pf.Variable(format="%d/%m/%Y")})
    with pytest.raises(InvalidInput, match="format"):
        encodings("t", frame, {"x": pf.Variable("date")})


def test_declared_categories_are_categories():
    frame = open_frame("t", pd.DataFrame({"x": np.tile([3, 1, 2], 100)}))
    view = EncodedFrame(frame, encodings("t", frame, {"x": pf.Variable("category")}))
    assert (view.kind("x"), view.categories("x")) == ("category", [1, 2, 3])


def test_an_unknown_declared_column_is_refused():
    frame = open_frame("t", pd.DataFrame({"wage": np.arange(N)}))
    with pytest.raises(InvalidInput, match="wage"):
        encodings("t", frame, {"wgae": pf.Variable("amount")})


def test_codes_that_no_ten_records_have_must_be_declared():
    with pytest.raises(InvalidParameter, match="codes"):
        encoded(np.arange(N) * 3, pf.Variable("codes"))


def test_nothing_is_read_of_columns_that_may_not_be_inferred():
    encoding, _ = encoded(np.tile(np.arange(1, 7), 50), inferred=[])
    np.testing.assert_array_equal(encoding.nearest(np.array([7.25])), [7.25])
    declared, _ = encoded(np.tile(np.arange(1, 7), 50), pf.Variable(decimals=0, bounds=(1, 6)), inferred=[])
    np.testing.assert_array_equal(declared.nearest(np.array([7.25])), [6.0])
