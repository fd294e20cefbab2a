"""The interface between frames and arrays: pandas, polars and arrow. Identical, but where a type holds fewer digits."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pyfcrm.data import is_numeric, open_frame, paired_rows
from pyfcrm.errors import InvalidInput

DAY = datetime.date(2020, 2, 29)
COLUMNS = {
    "float": [1.5, 2.5, -3.0],
    "integer": [1, 2, 3],
    "text": ["a", "b", "c"],
    "boolean": [True, False, True],
    "date": [DAY, DAY, DAY],
}


def frames():
    """The same columns in the three libraries, with a category each."""
    pandas = pd.DataFrame(COLUMNS).astype({"date": "datetime64[ns]"})
    pandas["category"] = pd.Categorical(["x", "y", "x"])
    polars = pl.DataFrame(COLUMNS).with_columns(pl.Series("category", ["x", "y", "x"], dtype=pl.Categorical))
    arrow = pa.table(COLUMNS).append_column("category", pa.array(["x", "y", "x"]).dictionary_encode())
    return {"pandas": pandas, "polars": polars, "arrow": arrow}


libraries = pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])


# The largest float64 that the type can hold: 2^63 and 2^64 are one too large.
LARGEST, LARGEST_UNSIGNED = float(2**63 - 1024), float(2**64 - 2048)


def test_decimals_are_numbers():
    values = [Decimal("1.25"), Decimal("-3.50")]
    for frame in (pl.DataFrame({"x": values}), pa.table({"x": values})):
        opened = open_frame("test", frame)
        assert opened.kind("x") == "float"
        np.testing.assert_array_equal(opened.values("x"), [1.25, -3.5])


@pytest.mark.parametrize("values", [["1", 2.0], [True, False], [DAY, DAY], [1 + 2j, 1j], [None, None]])
def test_objects_that_are_no_numbers(values):
    opened = open_frame("test", pd.DataFrame({"x": pd.Series(values, dtype=object)}))
    assert not is_numeric(opened, "x")


@pytest.mark.parametrize("frame", [{"x": [1]}, [1, 2], np.ones((2, 2)), pd.Series([1.0]), pl.Series([1.0]), None, "x"])
def test_what_is_no_frame(frame):
    with pytest.raises(InvalidInput, match=r"^protect: needs a data frame of pandas or polars, or an arrow table; got"):
        open_frame("protect", frame)


def test_nothing_but_the_table_leaves():
    """pandas attrs, arrow's metadata of the table and of the columns: they could hold the original."""
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [1.0, 2.0]})
    frame.attrs["secret"] = 1
    every, values = np.array([True, True]), {"x": np.array([3.0, 4.0])}
    result = open_frame("t", frame).replaced(values, every, [])
    assert result.attrs == {}
    assert frame.attrs == {"secret": 1}
    table = pa.Table.from_pandas(frame)
    table = table.replace_schema_metadata({**table.schema.metadata, b"secret": b"1"})
    field = table.schema.field("x").with_metadata({b"secret": b"1"})
    result = open_frame("t", table.set_column(0, field, table["x"])).replaced(values, every, [])
    assert result.schema.metadata is None
    assert result.schema.field("x").metadata is None


def indexed(labels, kind=pd.Index):
    return pd.DataFrame({"x": np.arange(len(labels))}, index=kind(labels))


PAIRS = [
    ("position", indexed([0, 1, 2]), indexed([0, 1, 2]), ([0, 1, 2], [0, 1, 2])),
    ("shuffled", indexed([0, 1, 2]), indexed([2, 0, 1]), ([2, 0, 1], [0, 1, 2])),
    ("text", indexed(["a", "b", "c"]), indexed(["c", "a", "b"]), ([2, 0, 1], [0, 1, 2])),
    ("several levels", indexed([("a", 1), ("a", 2)], pd.MultiIndex.from_tuples),
     indexed([("a", 2), ("a", 1)], pd.MultiIndex.from_tuples), ([1, 0], [0, 1])),
    ("fewer", indexed(["a", "b", "c"]), indexed(["c", "a"]), ([2, 0], [0, 1])),
    ("fewer of plain numbers", indexed([0, 1, 2]), indexed([2, 0]), ([2, 0], [0, 1])),
    ("dates", indexed(["2020-01-01", "2020-01-02"], pd.DatetimeIndex),
     indexed(["2020-01-02", "2020-01-01"], pd.DatetimeIndex), ([1, 0], [0, 1])),
    ("twice, in the same order", indexed(["a", "a", "b"]), indexed(["a", "a", "b"]), ([0, 1, 2], [0, 1, 2])),
    ("twice, shuffled", indexed(["a", "a", "b"]), indexed(["b", "a", "a"]), None),
    ("strangers", indexed(["a", "b"]), indexed(["a", "z"]), None),
    ("another number, by position", indexed([0, 1, 2]), indexed([0, 1]), None),
    # A release is numbered from 0, whatever index the original has.
    ("an index against none", indexed(["a", "b"]), pl.DataFrame({"x": [1, 2]}), ([0, 1], [0, 1])),
    ("an index of numbers against none", indexed([1, 0]), pl.DataFrame({"x": [1, 2]}), ([0, 1], [0, 1])),
    ("an index against fewer without one", indexed(["a", "b"]), pl.DataFrame({"x": [1]}), None),
    ("libraries", pl.DataFrame({"x": [1, 2]}), pa.table({"x": [1, 2]}), ([0, 1], [0, 1])),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "rows"), [p[1:] for p in PAIRS], ids=[p[0] for p in PAIRS])
def test_pairing(before, after, rows):
    """By hand; the pairs come in the order of the original."""
    found = paired_rows(open_frame("t", before), open_frame("t", after))
    pairs = None if found is None else list(zip(*(part.tolist() for part in found), strict=True))
    assert pairs == (None if rows is None else sorted(zip(*rows, strict=True)))


def test_a_release_pairs_by_the_records_that_it_is_known_to_have():
    """By hand: two releases of parts of one file, and the file."""
    part, other = (indexed([0, 1]) for _ in range(2))
    rows = np.array([2, 0]), np.array([0, 2])
    part, other = open_frame("t", part).of_rows(rows[0]), open_frame("t", other).of_rows(rows[1])
    for before, expected in ((open_frame("t", indexed(["a", "b", "c"])), [0, 2]), (other, [0, 1])):
        found = paired_rows(before, part)
        assert [places.tolist() for places in found] == [expected, [1, 0]]
    assert paired_rows(open_frame("t", indexed([0, 1])), part) is None  # a file without record 2


def test_objects_stay_objects():
    """Identical type. A moved, emptied or new text became pandas's own type of text."""
    frame = open_frame("t", pd.DataFrame({"t": pd.Series(["a", "b", "c"], dtype=object)}))
    moved, emptied = (
        frame.moved({"t": np.array([2, 1, 0])}),
        frame.reshaped({}, {"t": np.array([True, False, False])}, None),
    )
    for result in (moved, emptied, frame.with_text("t", ["1", None, "2"])):
        assert result["t"].dtype == object
    assert moved["t"].tolist() == ["c", "b", "a"]
