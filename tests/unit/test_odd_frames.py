"""Frames that are odd in their labels, their types or their cells: protected as others are, or refused in one sentence.

Oracle: the same frame with plain labels and dense columns. Grade: identical.
"""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidInput, InvalidParameter

N = 30
NUMBERS = np.random.default_rng(1).normal(10, 3, (N, 3)).round(2)
LABELS = {
    "whole": [0, 1, 2, 3],
    "floats": [0.5, 1.5, 2.5, 3.5],
    "None": [None, "x", 2, "z"],
    "NaN": [np.nan, "x", "y", "z"],
    "1 and True": [1, True, "y", 1.5],
    "dates": list(pd.date_range("2020", periods=4)),
    "tuples": [("a", 1), ("a", 2), ("b", 1), ("b", 2)],
    "line breaks": ["a\nb", "c\rd", "e\u2028f", "g\th"],
    "empty": ["", " ", "  ", "   "],
}


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def labelled(labels):
    frame = pd.DataFrame(NUMBERS).assign(t=["u", "v", "w"] * (N // 3))
    frame.columns = pd.Index(labels) if not isinstance(labels[0], tuple) else pd.MultiIndex.from_tuples(labels)
    return frame


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels_of_any_kind(labels):
    """Called in roles by their text; the release has them as they came."""
    frame, plain = labelled(labels), labelled(["p", "q", "r", "s"])
    names = [str(label) for label in frame.columns]
    released = pf.protect(frame, pf.IPSO(), pf.Roles(names[:1], names[1:2], names[2:3]), seed=1)
    expected = pf.protect(plain, pf.IPSO(), pf.Roles(["p"], ["q"], ["r"]), seed=1).frame
    assert list(map(repr, released.frame.columns)) == [repr(label) for j, label in enumerate(frame.columns) if j != 2]
    assert type(released.frame.columns) is type(frame.columns)
    for j in range(3):
        assert released.frame.iloc[:, j].tolist() == expected.iloc[:, j].tolist()
    assert all(note.isprintable() for note in released.notes)
    with pytest.raises(InvalidInput, match="Sequential") as caught:
        pf.protect(frame, pf.Dummy(), pf.Roles([], names[3:]), seed=1)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("kind", ["categories", "gaps"])
def test_other_releases_under_labels_of_any_kind(labels, kind):
    frame, plain = labelled(labels), labelled(["p", "q", "r", "s"])
    names = [str(label) for label in frame.columns]
    one = pf.Recoding(2) if kind == "categories" else pf.LocalSuppression(2, [names[3]])
    other = pf.Recoding(2) if kind == "categories" else pf.LocalSuppression(2, ["s"])
    released = pf.protect(frame, one, pf.Roles([], names[1:2]), seed=1).frame
    expected = pf.protect(plain, other, pf.Roles([], ["q"]), seed=1).frame
    for j in range(4):
        assert released.iloc[:, j].astype(object).tolist() == expected.iloc[:, j].astype(object).tolist()


def test_sparse_columns():
    """One with a role is refused, with the remedy; one without a role is released as it is."""
    dense = pd.DataFrame({"s": [0.0, 0, 3.5, 2, 0, 1], "y": [1.0, 2, 4, 8, 16, 32]})
    sparse = dense.assign(s=pd.arrays.SparseArray(dense["s"].to_numpy()))
    with pytest.raises(
        InvalidInput, match=r"column `s` must hold numbers \(make it dense by column.sparse.to_dense\(\)"
    ):
        pf.protect(sparse, pf.IPSO(), pf.Roles(["s"], ["y"]), seed=1)
    released, expected = (pf.protect(frame, pf.IPSO(), pf.Roles([], ["y"]), seed=1).frame for frame in (sparse, dense))
    assert released["y"].tolist() == expected["y"].tolist()
    assert released["s"].dtype == sparse["s"].dtype


def test_text_among_which_are_lists_is_no_predictor():
    """A TypeError before."""
    frame = pd.DataFrame({"t": pd.Series(["a", [1]] * 30, dtype=object), "y": np.arange(60.0)})
    with pytest.raises(InvalidInput, match="the cells of column `t` must be single values"):
        pf.protect(frame, pf.IPSO(), pf.Roles(["t"], ["y"]), seed=1)


@pytest.mark.parametrize("cells", [[[1], [2], [1]], [{"a": 1}, {}, {}], [np.array([1, 2])] * 3])
def test_lists_are_no_keys(cells):
    frame = pd.DataFrame({"l": pd.Series(cells, dtype=object), "y": [1.0, 2, 3]})
    with pytest.raises(InvalidInput, match="the cells of column `l` must be single values"):
        pf.protect(frame, pf.LocalSuppression(2, ["l"]), pf.Roles([], ["y"]), seed=1)


ODD = {
    "period": pd.period_range("2020", periods=6, freq="M"),
    "infinite": [1.0, 2, 3, 4, 5, -np.inf],
    "huge": np.arange(6) * 1e300,
    "gap": [1.0, np.nan, 3, 4, 5, 6],
    "text": list("abcdef"),
}


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
@pytest.mark.parametrize("method", [pf.Sampling(0.9), pf.TopBottomCoding(top=3), pf.LocalSuppression(2, ["y"])])
def test_independent_columns_that_a_method_does_not_use(values, method):
    """With constraints too: the release and the notes are those without the column, which no relation is said of."""
    frame = pd.DataFrame({"x": values, "y": np.arange(6.0)})
    released = pf.protect(frame, method, pf.Roles(["x"], ["y"]), seed=1, constraints="y >= 0")
    expected = pf.protect(frame, method, pf.Roles([], ["y"]), seed=1, constraints="y >= 0")
    pd.testing.assert_frame_equal(released.frame, expected.frame)
    assert [n for n in released.notes if "not numbers" not in n] == [
        n for n in expected.notes if "not numbers" not in n
    ]


def test_gaps_in_extension_types_of_arrow():
    table = pa.Table.from_pandas(pd.DataFrame({"p": pd.period_range("2020", periods=4, freq="M"), "y": np.arange(4.0)}))
    released = pf.protect(table, pf.LocalSuppression(2, ["p"]), pf.Roles([], ["y"]), seed=1).frame
    assert released.column("p").null_count == 4
    assert released.schema.field("p").type == table.schema.field("p").type


def test_objects_of_polars():
    frame = pl.DataFrame({"o": pl.Series([object(), object(), None], dtype=pl.Object), "y": [1.0, 2, 4]})
    released = pf.protect(frame, pf.LocalSuppression(2, ["o"]), pf.Roles([], ["y"]), seed=1).frame
    assert released["o"].null_count() == 3 or released["o"].to_list() == [None] * 3


def test_a_constraint_that_a_constant_column_of_a_type_cannot_keep():
    """The nearest point of a polyhedron that has none: refused, without a division by zero."""
    frame = pd.DataFrame({"v0": np.repeat([0.0, 2.0], 5), "v2": np.zeros(10, dtype="uint64")})
    with pytest.raises(InvalidInput, match="no values of the dependent columns keep"):
        pf.protect(frame, pf.TopBottomCoding(top=2), pf.Roles(["v0"], ["v2"]), seed=1, constraints="2*v2 + 2*v0 <= 0")


COUNTS = {
    "Recoding of a column": lambda value: pf.Recoding({"y": value}),
    "enterprises": lambda value: pf.datasets.enterprises(n=value),
    "accounts": lambda value: pf.datasets.accounts(n=value),
    "census_like": lambda value: pf.datasets.census_like(n=value),
    "skip": lambda value: pf.RStream(1).skip(max(value, 2**62)),
    "runif": lambda value: pf.RStream(1).runif(max(value, 2**62)),
    "rnorm": lambda value: pf.RStream(1).rnorm(max(value, 2**62)),
    "fcm": lambda value: pf.fcm([[1.0], [2.0]], value),
}


@pytest.mark.parametrize("make", COUNTS.values(), ids=COUNTS)
def test_counts_have_a_limit(make):
    """Refused at once, before anything is allocated. Oracle: the limits in arguments.py."""
    for value in (2**31, 2**63, 10**400, 1e308):
        with pytest.raises(InvalidParameter, match=r"must be a whole number from \d+ to \d+; got"):
            make(value)


def test_more_classes_than_records():
    with pytest.raises(InvalidParameter, match="`breaks` must be at most the number of records with a value, 3; got 4"):
        pf.protect(pd.DataFrame({"y": [1.0, 2, 4]}), pf.Recoding(4), pf.Roles([], ["y"]), seed=1)


FRAME = pd.DataFrame({"a": np.arange(9.0) ** 2, "c": np.arange(9.0)})
ROLES = pf.Roles(["a"], ["c"])
X = FRAME[["a"]].to_numpy()
CALLS = {
    "sweep": lambda value: pf.sweep(FRAME, ROLES, value),
    "recommend": lambda value: pf.recommend(FRAME, ROLES, max_dr=50, candidates=value),
    "donors": lambda value: pf.FCRM(2, release="draw", donors=value),
    "blocks": lambda value: pf.Microaggregation(2, blocks=value),
    "order": lambda value: pf.Sequential(order=value),
    "keys": lambda value: pf.LocalSuppression(2, keys=value),
    "roles": lambda value: pf.Roles(value),
    "constraints": lambda value: pf.protect(FRAME, pf.IPSO(), ROLES, 1, constraints=value),
    "columns": lambda value: pf.evaluate(FRAME, FRAME, value),
    "census": lambda value: pf.datasets.census(value),
    "X": lambda value: pf.fcm(value, 1),
    "initial": lambda value: pf.fcm(X, 2, initial=value),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_an_argument_cannot_be(call):
    """One sentence of a PyfcrmError, of one line."""
    for value in (np.array(3), np.ma.masked, object(), 10**400, 1j):
        with pytest.raises((InvalidParameter, InvalidInput)) as caught:
            call(value)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 900


@pytest.mark.parametrize("call", ["sweep", "recommend"])
@pytest.mark.parametrize("value", [3, "fcrm", [], [3], pf.FCRM])
def test_what_are_no_methods(call, value):
    with pytest.raises(InvalidParameter, match="must hold at least one method such as FCRM"):
        CALLS[call](value)


def test_missing_values_as_r_stores_them():
    """R's NA is a signalling NaN. Oracle: the report of the same files with numpy's NaN, identical and without warnings."""
    rng = np.random.default_rng(1)
    x = pd.Series(rng.normal(size=40))

    def report(missing):
        files = []
        for y in (x + 1.0, x + 1.1):
            bits = y.to_numpy().copy().view(np.uint64)
            bits[7] = missing
            files.append(pd.DataFrame({"x": x, "y": bits.view(np.float64)}))
        return str(pf.evaluate(*files, columns=["y"], independent=["x"]))

    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        found = report(0x7FF00000000007A2)
    assert found == report(0x7FF8000000000000)


@pytest.mark.parametrize("missing", ["protect", "drop"])
def test_integers_of_python_stay_integers(missing):
    """A column of objects, as whole numbers with None become in pandas: a release as JSON had 7.0 for 7."""
    cells = [None, *range(3, 62)]
    frame = pd.DataFrame({"x": np.sqrt(np.arange(60)), "y": pd.Series(cells, dtype=object)})
    roles = pf.Roles(["x"], ["y"])
    released = pf.protect(frame, pf.RankSwapping(15), roles, seed=1, missing=missing).frame["y"]
    assert released.dtype == object
    assert {type(cell) for cell in released if cell is not None} == {int}
    real = pf.protect(frame, pf.IPSO(), roles, seed=1, missing=missing, variables="numbers").frame["y"]
    assert {type(cell) for cell in real if cell is not None} == {float}


def test_the_other_file_has_no_periods():
    """Nothing in the column can be compared, which evaluate() says: it ended in an AttributeError."""
    frame = pd.DataFrame({"y": NUMBERS[:, 1], "month": pd.period_range("2020-01", periods=N, freq="M")})
    other = frame.assign(month=pd.Series([b"a", b"b", b"c"] * (N // 3), dtype=object))
    with pytest.raises(InvalidInput, match="no record has a value of column `month` in both files"):
        pf.evaluate(frame, other, ["month", "y"])
