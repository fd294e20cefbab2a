"""The byte format of a table, and pandas frames to and from it. No R here; what R reads is tests/parity/test_bridge.py.

Oracle: bytes written out by hand from the format, and identity of what goes there and back. Grade: identical.
"""

import datetime
import struct

import numpy as np
import pandas as pd
import pytest

from pyfcrm.errors import InvalidInput
from r_bridge.columns import (
    NA_INTEGER,
    NA_REAL,
    NO_ZONE,
    Column,
    Columns,
    from_bytes,
    is_na,
    pack,
    to_bytes,
    unpack,
    whole_numbers,
)
from r_bridge.frames import from_frame, to_frame


def same(a, b):
    values = a.values == b.values if isinstance(a.values, list) else a.values.tobytes() == b.values.tobytes()
    return bool(values) and (a.name, a.kind, a.levels, a.extra) == (b.name, b.kind, b.levels, b.extra)


def test_packed_strings_by_hand():
    by_hand = struct.pack("<4i", 3, 2, -1, 0) + "é".encode()
    assert pack(["é", None, ""]) == by_hand
    assert unpack(by_hand) == ["é", None, ""]
    assert pack([]) == struct.pack("<i", 0)
    assert unpack(struct.pack("<i", 0)) == []


def test_na_is_told_from_nan():
    quiet = np.uint64(0x7FF80000000007A2).view(np.float64)  # NA after arithmetic: the quiet bit is set
    np.testing.assert_array_equal(is_na(np.array([NA_REAL, quiet, np.nan, np.inf, 1954.0])), [1, 1, 0, 0, 0])


def test_big_endian_and_strided_arrays_cross_as_little_endian():
    every_other = np.arange(6, dtype=">f8")[::2]
    crossed = from_bytes(to_bytes(Column("x", "double", every_other)))
    np.testing.assert_array_equal(crossed.values, [0.0, 2.0, 4.0])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.array([2**31 - 1, -(2**31) + 1]), "integer"),
        (np.array([-(2**31)]), "double"),  # it would be R's NA
        (np.array([2**31]), "double"),
        (np.array([2**53, -(2**53)]), "double"),
        (np.array([2**63], dtype=np.uint64) // 2**20, "double"),
        (np.array([], dtype=np.int64), "integer"),
    ],
)
def test_wide_integers(values, kind):
    column = whole_numbers("x", values)
    assert column.kind == kind
    assert [int(v) for v in column.values] == [int(v) for v in values]


@pytest.mark.parametrize("worst", [2**53 + 1, -(2**53) - 1, 2**63 - 1])
def test_integers_that_a_double_cannot_hold_are_refused(worst):
    with pytest.raises(InvalidInput, match=rf"column `x`: .*2\^53.*got {worst}"):
        whole_numbers("x", np.array([1, worst]))


def test_text_that_r_cannot_hold_is_refused():
    with pytest.raises(InvalidInput, match=r"column `word`: .*zero bytes"):
        to_bytes(Column("word", "character", ["fine", "a\0b"]))
    with pytest.raises(InvalidInput, match=r"column `word`: .*Unicode"):
        to_bytes(Column("word", "character", ["\ud800"]))


def everything(n=3):
    """One column of each type pandas has that R can hold."""
    times = ["2024-07-01 12:00:00.123456789", None, "1900-01-01 00:00:00.000000000"]
    frame = pd.DataFrame(
        {
            "float": [1.5, np.nan, -0.0],
            "float32": np.array([0.1, 2, 3], dtype=np.float32),
            "Float64": pd.array([1.5, None, 2], dtype="Float64"),
            "int": [1, 2, -3],
            "uint8": np.array([1, 255, 3], dtype=np.uint8),
            "Int64": pd.array([1, None, 3], dtype="Int64"),
            "wide": [2**40, 1, 2],
            "bool": [True, False, True],
            "boolean": pd.array([True, None, False], dtype="boolean"),
            "words": ['é "\n', None, ""],
            "category": pd.Categorical(["b", None, "a"], categories=["b", "a", "unused"]),
            "ordered": pd.Categorical(["b", None, "a"], categories=["b", "a"], ordered=True),
            "date": [datetime.date(2024, 2, 29), None, datetime.date(1900, 1, 1)],
            "period": pd.PeriodIndex(["2024-02-29", None, "1900-01-01"], freq="D"),
            "naive": pd.to_datetime(times),
            "aware": pd.to_datetime(times).tz_localize("Europe/Madrid"),
            "seconds": np.array(["2024-07-01T12:00:00", "NaT", "1900-01-01T00:00:00"], dtype="M8[s]"),
        }
    )
    return frame.iloc[:n]


@pytest.mark.parametrize("n", [0, 1, 3])
def test_frames_there_and_back(n):
    """What pandas made of a table makes the same table again, to the bit, for no, one and three records."""
    table = from_frame(everything(n))
    if n == 0:  # an object column of dates without a date cannot be told from one of words
        table = Columns(tuple(c for c in table.columns if c.name != "date"), 0)
    again = from_frame(to_frame(table))
    assert [c.name for c in again.columns] == [c.name for c in table.columns]
    for a, b in zip(table.columns, again.columns, strict=True):
        assert same(a, b), (a, b)


def test_frame_kinds_and_values():
    by_name = {column.name: column for column in from_frame(everything()).columns}
    kinds = "double double double integer integer integer double logical logical character factor ordered Date Date"
    assert [column.kind for column in by_name.values()] == [*kinds.split(), "POSIXct", "POSIXct", "POSIXct"]
    assert by_name["float32"].values[0] == np.float32(0.1)
    assert is_na(by_name["Float64"].values).tolist() == [False, True, False]
    assert is_na(by_name["float"].values).tolist() == [False, False, False]  # numpy's NaN stays NaN
    assert by_name["Int64"].values.tolist() == [1, NA_INTEGER, 3]
    assert by_name["boolean"].values.tolist() == [1, NA_INTEGER, 0]
    assert by_name["category"].values.tolist() == [1, NA_INTEGER, 2]
    assert by_name["category"].levels == ["b", "a", "unused"]
    assert by_name["date"].values[[0, 2]].tolist() == [19782.0, -25567.0]
    assert by_name["naive"].extra == NO_ZONE
    assert by_name["naive"].values[0] == 1719835200.123456789
    assert by_name["aware"].extra == "Europe/Madrid"
    assert by_name["aware"].values[0] == 1719828000.123456789  # summer time, two hours ahead of UTC
    assert by_name["seconds"].values[0] == 1719835200.0
