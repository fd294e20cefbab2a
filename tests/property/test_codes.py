"""Codes of values of any type. Oracle: support.plain_codes, a dict asked cell by cell. Grade: identical."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plain_codes import plain_codes

from pyfcrm.data import open_frame
from pyfcrm.data.pairs import key_codes
from pyfcrm.data.strata import strata_codes
from pyfcrm.errors import InvalidInput

NAN = float("nan")
# No scalars of numpy among them: numpy.float32(1) equals 1 and 1 equals Decimal(1), but the first is not the last.
NUMBERS = [0, 1, 2, 1.0, 0.0, -0.0, 1.5, True, False, 2**70, 10**400, 1 + 0j, Decimal(1)]
GAPS = [None, NAN, np.nan, pd.NaT, pd.NA, Decimal("NaN")]
OTHERS = ["1", "a", "", "nan", b"a", (1, 2), (1.0, 2), datetime.date(2024, 1, 31), pd.Timestamp("2024-01-31")]
MIXED = st.sampled_from([*NUMBERS, *GAPS, *OTHERS])
WHOLE = st.integers(-3, 3)
FLOATS = st.sampled_from([0.0, -0.0, 1.0, 0.1, NAN, np.inf, 1e300])
WORDS = st.sampled_from(["a", "b", "", "ñ", "nan"])
DTYPES = [
    (MIXED, object),
    (WHOLE, "int8"),
    (WHOLE, "int64"),
    (st.integers(2**63, 2**63 + 3), "uint64"),
    (WHOLE | st.none(), "Int64"),
    (FLOATS, "float64"),
    (st.sampled_from([0.5, NAN, 65504.0]), "float16"),
    (FLOATS.filter(lambda v: v != 1e300), "float32"),
    (FLOATS | st.none(), "Float64"),
    (st.booleans(), "bool"),
    (st.booleans() | st.none(), "boolean"),
    (WORDS, "str"),
    (WORDS | st.none(), "string"),
    (WORDS | st.none(), "category"),
    (st.sampled_from(["2024-01-31", "1969-12-31 23:59:59.000000001", None]), "datetime64[ns]"),
    (st.sampled_from(["2024-01-31", None]), "datetime64[ns, UTC]"),
    (st.sampled_from([1, 2, None]), "timedelta64[ns]"),
    (st.sampled_from(["2024-01", None]), "period[M]"),
    (st.sampled_from([0, 0, 5]), "Sparse[int64]"),
]


@st.composite
def pandas_columns(draw, n):
    values, dtype = draw(st.sampled_from(DTYPES))
    return pd.Series(draw(st.lists(values, min_size=n, max_size=n)), dtype=dtype)


@st.composite
def pandas_frames(draw):
    n = draw(st.integers(1, 12))
    return pd.DataFrame({name: draw(pandas_columns(n)) for name in "ab"})


def cells(frame, name):
    return open_frame("", frame).cells(name).tolist()


@given(pandas_frames(), pandas_frames())
def test_keys_of_two_frames(one, other):
    """Equal values have equal codes in both, whatever the types of the columns."""
    K, L = key_codes("", open_frame("", one), open_frame("", other), ["a", "b"])
    for j, name in enumerate("ab"):
        seen = {}
        assert K[:, j].tolist() == plain_codes(cells(one, name), seen)
        assert L[:, j].tolist() == plain_codes(cells(other, name), seen)


PLAIN = {
    "i": [3, 1, 3, None, 1],
    "f": [0.0, -0.0, NAN, None, 1.0],
    "t": ["b", "", None, "b", "ñ"],
    "q": [True, False, None, True, True],
    "d": [datetime.date(2024, 1, 31), None, datetime.date(2024, 1, 31), datetime.date(1, 1, 1), None],
}


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_other_libraries(library):
    """Coded beside a frame of pandas; arrow also in chunks, and with categories that are not in use."""
    frame = pytest.importorskip(library)
    data = frame.DataFrame(PLAIN) if library == "polars" else frame.concat_tables([frame.table(PLAIN)] * 2)
    if library == "pyarrow":
        words = frame.array([1, 0, None, 1, 1] * 2)
        unused = frame.DictionaryArray.from_arrays(words, frame.array(["z", "b", "never"]))
        data = data.append_column("c", unused)
    extra = pd.DataFrame({"i": [1.0], "f": [1], "t": ["b"], "q": [1], "d": [None], "c": ["b"]}).astype(object)
    for name in [n for n in "iftqdc" if n in open_frame("", data).names]:
        seen = {}
        K, L = key_codes("", open_frame("", data), open_frame("", extra), [name])
        assert K[:, 0].tolist() == plain_codes(cells(data, name), seen)
        assert L[:, 0].tolist() == plain_codes(cells(extra, name), seen)


@pytest.mark.parametrize("odd", [[1], {}, np.array([1, 2]), np.array([1]), set()])
def test_lists_are_refused_as_ever(odd):
    """As the plain loop refuses them."""
    frame = pd.DataFrame({"a": pd.Series([1, odd, "x"], dtype=object)})
    with pytest.raises((TypeError, ValueError)):
        plain_codes([1, odd, "x"], {})
    with pytest.raises(InvalidInput) as keys:
        key_codes("me", open_frame("", frame), open_frame("", frame), ["a"])
    assert str(keys.value).startswith("me: the cells of column `a` must be single values; got ")
    with pytest.raises(InvalidInput) as strata:
        strata_codes("me", open_frame("", frame), ["a"], "refuse")
    assert str(strata.value).startswith("me: the cells of column `a` must be single values; got ")
