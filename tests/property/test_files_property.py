"""Writing then reading gives the same table, and reading never fails in an unannounced way.

Oracles: the frame that was written (bit for bit), and Python's own csv module for cells. Grade: identical.
"""

import csv
import io
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from pyfcrm.errors import InvalidInput
from pyfcrm.files import Table, open_table, write_table
from pyfcrm.files.reading import Reading

CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8) | st.sampled_from(
    ["", "007", "NA", ",", ";", '"', '""', "a\nb", "\r\n", "\t", "|", " x ", "ñ", "1,5", "2024-01-31", "\ufeff"]
)
NAME = CELL.filter(lambda name: name.strip() == name and name != "" and not name.startswith("\ufeff"))
WHOLE = st.integers(-(2**63), 2**63 - 1)
FLOAT = st.floats(width=64) | st.sampled_from([5e-324, -0.0, 1e300, 2.2250738585072011e-308, 0.1 + 0.2, np.inf])


@st.composite
def frames(draw):
    """One to five columns: whole numbers, floats with a number in them, text with a cell no number looks like."""
    n = draw(st.integers(1, 6))
    columns = {}
    for name in draw(st.lists(NAME, min_size=1, max_size=5, unique=True)):
        kind = draw(st.sampled_from(["whole", "float", "text"]))
        if kind == "whole":
            columns[name] = pd.Series(draw(st.lists(WHOLE, min_size=n, max_size=n)), dtype="int64")
        elif kind == "float":
            values = draw(st.lists(FLOAT, min_size=n, max_size=n).filter(lambda v: not np.isnan(v).all()))
            columns[name] = pd.Series(values, dtype="float64")
        else:
            cells = draw(st.lists(CELL, min_size=n, max_size=n))
            cells[draw(st.integers(0, n - 1))] = draw(st.sampled_from(["007", "x, y", 'say "hi"', "two\nlines", "+-"]))
            columns[name] = pd.Series(cells)
    return pd.DataFrame(columns)


def same_bits(one, other):
    if one.dtype.kind == "f":
        a, b = one.to_numpy(), other.to_numpy()
        return bool(((a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b))).all())
    return bool((one.isna() == other.isna()).all()) and one.dropna().tolist() == other.dropna().tolist()


def assert_same(one, other):
    assert list(one.columns) == list(other.columns)
    assert list(one.dtypes) == list(other.dtypes)
    assert len(one) == len(other)
    for name in one.columns:
        assert same_bits(one[name], other[name]), name


def as_csv_stores_it(frame):
    """What a CSV file can tell of a frame: an empty cell of text is a missing one."""
    texts = {name: frame[name].mask(frame[name] == "") for name in frame if frame[name].dtype.kind not in "if"}
    return frame.assign(**texts)


@given(frames(), st.sampled_from(["csv", "txt", "tsv", "parquet"]))
def test_written_then_read_is_the_same(frame, extension):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t.{extension}"
        write_table(frame, path)
        assert_same(open_table(path).frame, frame if extension == "parquet" else as_csv_stores_it(frame))


@given(frames(), st.sampled_from([",", ";", "\t", "|"]), st.sampled_from([".", ","]), st.sampled_from(["\n", "\r\n"]))
def test_replaced_values_survive_every_separator_and_decimal_mark(frame, separator, decimal, newline):
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.csv", Path(folder) / "out.csv"
        source.write_bytes(newline.join([f"first{separator}second", f"1{separator}2", ""]).encode())
        like = open_table(source, Reading(separator=separator, decimal=decimal))
        write_table(frame, target, like, replaced=list(frame.columns))
        back = open_table(target, Reading(separator=separator, decimal=decimal))
        assert_same(back.frame, as_csv_stores_it(frame))
        assert back.newline == newline


@given(
    st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(["utf-8", "utf-8-sig"]),
)
def test_any_csv_is_read_as_the_csv_module_reads_it_and_its_cells_are_released_unchanged(
    rows, separator, newline, quoting, encoding
):
    if quoting == csv.QUOTE_MINIMAL:  # csv.writer leaves a lone CR bare, which no reader can tell from a line end
        rows = [[cell.replace("\r", "") for cell in row] for row in rows]
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=separator, lineterminator=newline, quoting=quoting)
    writer.writerows([["a", "b", "c"], *rows])
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.csv", Path(folder) / "out.csv"
        source.write_bytes(buffer.getvalue().encode(encoding))
        table = open_table(source, Reading(separator=separator))
        texts = [column.to_pylist() for column in table.texts.values()]
        assert [list(record) for record in zip(*texts, strict=True)] == rows
        write_table(table.frame, target, table)
        written = target.read_bytes().decode(encoding)
        assert list(csv.reader(io.StringIO(written, newline=""), delimiter=separator))[1:] == rows


@given(st.binary(max_size=200) | st.text(st.sampled_from('a1,;\t|"\n\r .'), max_size=40).map(str.encode))
def test_any_bytes_are_a_table_or_one_clear_line(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.csv"
        path.write_bytes(data)
        message, table = None, None
        try:
            table = open_table(path)
        except InvalidInput as error:
            message = str(error)
    if message is not None:
        assert message.startswith(f"{path}: ")
        assert "\n" not in message
    else:
        assert isinstance(table, Table)
        assert len(table.frame) > 0
        assert table.frame.columns.is_unique
