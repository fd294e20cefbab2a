"""The quick CSV reader against its plain twin, and against single cells.

Oracles: support.plain_csv, which looks at each cell by itself, and Python's int() and float(). Grade: identical:
values bit for bit, types, tokens, header, separator, decimal mark, notes, and whether the file is refused.
"""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.plain_csv import Refused, plain_table

from pyfcrm.errors import InvalidInput
from pyfcrm.files import Table, read_table
from pyfcrm.files.csv_columns import ArrowColumn, Undecided, quick_numbers
from pyfcrm.files.csv_split import split
from pyfcrm.files.csv_text import typed
from pyfcrm.files.table import CsvOrigin

pa = pytest.importorskip("pyarrow")

WHOLE = st.integers(-99, 99).map(str)
BROAD = st.integers(-(2**64), 2**64).map(str)
REAL = st.floats().map(repr)
CENTS = st.integers(-9999, 9999).map(lambda k: f"{k / 100:.2f}")
GERMAN = CENTS.map(lambda text: text.replace(".", ","))
CODES = ["007", "-05", "00.5", "+1", "+01", "-0", "-0.0", "0x10", "١", "1_0", "1 000", " 1", "2 ", "\t3"]
FRACTIONS = ["1e5", "1E-3", "1e400", "1e-400", "1.", ".5", "1e", "-", "--1", "0.1000000000000000055511151231257827"]
COMMAS = ["1,234", "1,", ",5", ",", "1.234,5", "2024-01-31", "01.02.2024", "123456789012345678", "9223372036854775808"]
ODD_NUMBERS = st.sampled_from([*CODES, *FRACTIONS, *COMMAS, "inf", "-Infinity", "nan", "-nan"])
MISSING_CELLS = st.sampled_from(["", "NA", "NaN", "nan", "null", "NULL", "N/A", ".", " NA ", " "])
TEXT = st.sampled_from(
    ["a", "Y", "N", "yes", "ñ", "中", 'a"b', '5" pipe', "=1", "\ufeff", "Inf.", "\x0b", "\x85", "x,y"]
)
BROKEN = st.sampled_from(["a\nb", "a\r\nb", "\n", "a\rb", '"', '""', ",", ";", "\t", 'say "so"\n'])
KINDS = [WHOLE, BROAD, REAL, CENTS, GERMAN, ODD_NUMBERS, TEXT, MISSING_CELLS, BROKEN]


@st.composite
def columns(draw: st.DrawFn, n: int) -> list[str]:
    """n cells, mostly of one kind."""
    cell = st.one_of(draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=2)))
    if draw(st.booleans()):
        cell = cell | MISSING_CELLS
    return draw(st.lists(cell, min_size=n, max_size=n))


@st.composite
def csv_texts(draw: st.DrawFn) -> tuple[str, str]:
    """A text of CSV, most of them well-formed, and its separator."""
    n, width = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    separator, end = draw(st.sampled_from(",;\t|")), draw(st.sampled_from(["\n", "\r\n", "\n", "\r"]))
    quoting = draw(st.sampled_from(["where needed", "where needed", "all", "none"]))

    def token(cell: str) -> str:
        needed = any(mark in cell for mark in (separator, "\r", "\n", '"'))
        quoted = quoting == "all" or (quoting == "where needed" and needed)
        return '"' + cell.replace('"', '""') + '"' if quoted else cell

    rows = zip(*[draw(columns(n)) for _ in range(width)], strict=True)
    lines = [separator.join(map(token, names)) for names in [["a", "b c", "d", "e"][:width], *rows]]
    for _ in range(draw(st.sampled_from([0, 0, 0, 1]))):
        lines.insert(draw(st.integers(1, len(lines))), draw(st.sampled_from(["", " ", separator, "x"])))
    return end.join(lines) + draw(st.sampled_from([end, end, "", end + end])), separator


def same_columns(one: Any, other: Any) -> bool:
    """Two columns of numbers, bit for bit and type for type."""
    if isinstance(one, np.ndarray) and one.dtype == other.dtype == np.float64:
        return bool(((one.view(np.int64) == other.view(np.int64)) | (np.isnan(one) & np.isnan(other))).all())
    return one is other if one is None else bool(one.dtype == other.dtype and pd.Series(one).equals(pd.Series(other)))


def check(text: str, separator: str | None, decimal: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.csv"
        path.write_bytes(text.encode())
        try:
            table: Table | None = read_table(path, separator, decimal)
        except InvalidInput:
            table = None
    try:
        twin = plain_table(text.removeprefix("\ufeff"), separator, decimal)
    except (Refused, InvalidInput):
        assert table is None
        return
    assert table is not None
    assert isinstance(table.origin, CsvOrigin)
    found = (table.origin.separator, table.origin.decimal, table.origin.newline, dict(table.origin.header))
    assert found == (twin.separator, twin.decimal, twin.newline, twin.header)
    guessed = [note for note in table.notes if "above 2^53" not in note]  # of those the twin knows nothing
    assert bool(guessed) == twin.thin
    assert {name: column.tolist() for name, column in table.origin.tokens().items()} == twin.tokens
    assert list(table.frame.dtypes) == list(twin.frame.dtypes)
    for name in twin.frame.columns:
        if twin.frame[name].dtype == np.float64:
            assert same_columns(table.frame[name].to_numpy(), twin.frame[name].to_numpy())
        else:
            assert table.frame[name].equals(twin.frame[name])


@given(csv_texts(), st.booleans(), st.sampled_from([None, None, ".", ","]))
@settings(max_examples=400)
def test_any_csv_is_read_as_its_twin_reads_it(made: tuple[str, str], told: bool, decimal: str | None) -> None:
    text, separator = made
    check(text, separator if told else None, decimal)


@given(csv_texts(), st.booleans(), st.sampled_from([None, ".", ","]))
@settings(max_examples=150)
def test_without_pyarrow_too(made: tuple[str, str], told: bool, decimal: str | None) -> None:
    text, separator = made
    with mock.patch.dict("sys.modules", {"pyarrow.csv": None}):
        check(text, separator if told else None, decimal)


@pytest.mark.parametrize(("letters", "decimal"), [("01-.e", "."), ("01-,.", ","), ("1.Na", "."), ("1, N", ",")])
def test_every_short_cell_is_a_number_for_both_or_for_neither(letters: str, decimal: str) -> None:
    """Alone, beside a whole number, and beside a fraction and a gap."""
    cells = ["".join(c) for k in range(5) for c in itertools.product(letters, repeat=k)]
    half = "7.5" if decimal == "." else "7,5"
    for cell in cells:
        for column in ([cell], [cell, "7"], [cell, half, ""]):
            try:
                quick = quick_numbers(pa.array(column, pa.large_string()), decimal)
            except Undecided:
                continue
            assert same_columns(quick, typed(column, decimal)), column


@given(
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=50
    )
)
@settings(max_examples=200)
def test_plain_numbers_are_decided_quickly_and_to_the_last_bit(values: list[float | int]) -> None:
    """Not only equal where it decides: it decides all numbers as Python writes them."""
    cells = [repr(value).replace("e+", "e") for value in values]
    assert same_columns(quick_numbers(pa.array(cells, pa.large_string()), "."), typed(cells, "."))


@pytest.mark.parametrize(
    ("text", "quickly"),
    [
        ("a,b\n1,2\n", True),
        ("a,b\r\n1,2\r\n\r\n", True),
        ('"a","b"\n"x ""y"", z",2\n', True),
        ('a,b\n"two\nlines",2\n', True),
        ("a\n1\n\n3\n", True),
        ("a,b\r1,2\r", False),
        ("a,b\n1\r,2\n", False),
        ('a,b\n5" pipe,2\n', False),
        ("a,b\n\ufeffx,2\n", False),
    ],
)
def test_what_is_cut_quickly(text: str, quickly: bool) -> None:
    """Files as R, Excel and pandas write them are; what Arrow would cut in another way is not."""
    _, found = split("", text.encode(), ",")
    assert all(isinstance(column, ArrowColumn) for column in found) == quickly
