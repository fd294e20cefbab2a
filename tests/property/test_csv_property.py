"""CSV files as the plain reader of support.plain_csv reads them.

Oracle: Python's csv module, int() and float(). Grade: identical: values bit for bit, types, and whether the file is refused.
"""

import itertools
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.plain_csv import Refused, plain_frame

from pyfcrm.errors import InvalidInput
from pyfcrm.files import open_table
from pyfcrm.files.reading import Reading

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
def columns(draw, n):
    """n cells, mostly of one kind."""
    cell = st.one_of(draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=2)))
    if draw(st.booleans()):
        cell = cell | MISSING_CELLS
    return draw(st.lists(cell, min_size=n, max_size=n))


@st.composite
def csv_texts(draw):
    """A text of CSV, most of them well-formed, and its separator."""
    n, width = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    separator, end = draw(st.sampled_from(",;\t|")), draw(st.sampled_from(["\n", "\r\n"]))
    quoting = draw(st.sampled_from(["where needed", "where needed", "all", "none"]))

    def token(cell):
        needed = any(mark in cell for mark in (separator, "\r", "\n", '"'))
        quoted = quoting == "all" or (quoting == "where needed" and needed)
        return '"' + cell.replace('"', '""') + '"' if quoted else cell

    rows = zip(*[draw(columns(n)) for _ in range(width)], strict=True)
    lines = [separator.join(map(token, names)) for names in [["a", "b c", "d", "e"][:width], *rows]]
    for _ in range(draw(st.sampled_from([0, 0, 0, 1]))):
        lines.insert(draw(st.integers(1, len(lines))), draw(st.sampled_from(["", " ", separator, "x"])))
    return end.join(lines) + draw(st.sampled_from([end, end, "", end + end])), separator


def check(text, separator, decimal):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.csv"
        path.write_bytes(text.encode())
        try:
            frame = open_table(path, Reading(separator=separator, decimal=decimal)).frame
        except InvalidInput:
            frame = None
    try:
        plain = plain_frame(text.removeprefix("\ufeff"), separator, decimal)
    except Refused:
        assert frame is None
        return
    assert frame is not None
    assert list(frame.dtypes) == list(plain.dtypes)
    for name in plain:
        ours, theirs = frame[name], plain[name]
        if theirs.dtype == np.float64:
            same = ours.to_numpy().view(np.int64) == theirs.to_numpy().view(np.int64)
            assert (same | (ours.isna() & theirs.isna()).to_numpy()).all()
        else:
            assert ours.equals(theirs)


@given(csv_texts(), st.sampled_from([".", ","]))
def test_any_csv_is_read_as_the_plain_reader_reads_it(data, decimal):
    check(*data, decimal)


def test_every_short_cell_is_a_number_for_both_or_for_neither():
    """Alone, with a whole number, and with a fraction and a gap: each in a column of its own."""
    for letters, decimal, half, longest in [
        ("01-.e", ".", "7.5", 4),
        ("01-,.", ",", "7,5", 3),
        ("1.Na+", ".", "7.5", 3),
        ("0x1F", ".", "1", 3),
    ]:
        cells = ["".join(c) for k in range(longest + 1) for c in itertools.product(letters, repeat=k)]
        for others in (("", ""), ("7", "7"), (half, "")):
            lines = [map(str, range(len(cells))), cells, *([other] * len(cells) for other in others)]
            check("\n".join(map(";".join, lines)), ";", decimal)


@given(
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=50
    )
)
def test_numbers_are_read_to_the_last_bit(values):
    check("\n".join(["a;b", *(f"{value!r};x" for value in values)]), ";", ".")
