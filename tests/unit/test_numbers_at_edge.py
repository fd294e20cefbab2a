"""Whole numbers at the limits of their types, and above 2^53, where not every one is a float64.

Oracle: Python's own integers, which have no limit. Grade: identical.
"""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.blocks import by_blocks

import pyfcrm as pf
from pyfcrm.errors import InvalidInput

ROLES = pf.Roles([], ["y"])
LARGEST, LARGEST_UNSIGNED, ODD = 2**63 - 1, 2**64 - 1, 2**53 + 1
CARRY = "that float64 cannot carry: those that are changed are rounded, the others are released unchanged"

LIBRARIES = {
    "numpy": lambda values, dtype: pd.DataFrame({"y": np.array(values, dtype=dtype)}),
    "nullable": lambda values, dtype: pd.DataFrame({"y": pd.array(values, dtype=dtype.replace("i", "I").replace("uI", "UI"))}),
    "pandas arrow": lambda values, dtype: pd.DataFrame({"y": pd.array(values, dtype=f"{dtype}[pyarrow]")}),
    "polars": lambda values, dtype: pl.DataFrame({"y": pl.Series(values, dtype=pl.UInt64 if dtype == "uint64" else pl.Int64)}),
    "arrow": lambda values, dtype: pa.table({"y": pa.array(values, type=getattr(pa, dtype)())}),
}  # fmt: skip


def cells(frame):
    column = frame["y"]
    return column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()


@pytest.fixture(params=LIBRARIES)
def framed(request):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ResourceWarning)  # of what another test left to be collected
        yield LIBRARIES[request.param]


@pytest.mark.parametrize(("dtype", "largest"), [("int64", LARGEST), ("uint64", LARGEST_UNSIGNED)])
def test_the_largest_integer_keeps_its_sign(framed, dtype, largest):
    """What was not coded is what it was, to the last digit."""
    frame = framed([largest, 5, largest, 7, largest, 9], dtype)
    released = pf.protect(frame, pf.TopBottomCoding(bottom=6), ROLES, seed=1)
    assert cells(released.frame) == [largest, 6, largest, 7, largest, 9]
    assert f"3 values of y are whole numbers above 2^53 {CARRY}" in released.notes


@pytest.mark.parametrize(("dtype", "largest"), [("int64", LARGEST), ("uint64", LARGEST_UNSIGNED)])
def test_a_constraint_holds_at_the_largest_integer(framed, dtype, largest):
    """In Python's integers, and each value is an original's or as near to it as a float64 of that type is."""
    frame = framed([largest, 5, largest, 7, largest, 9], dtype)
    released = pf.protect(frame, pf.RankSwapping(p=50), ROLES, seed=1, constraints="y >= 34", allow_unprotected=True)
    assert all(value >= 34 for value in cells(released.frame))
    assert set(cells(released.frame)) <= {34, largest, int(np.nextafter(float(largest), 0))}


def test_digits_beyond_floats_stay_where_nothing_changes(framed):
    values = [ODD + 2 * k for k in range(6)]
    released = pf.protect(framed(values, "int64"), pf.TopBottomCoding(bottom=0), ROLES, seed=1)
    assert cells(released.frame) == values
    assert released.notes == ["y: 0 of 6 values were coded", f"6 values of y are whole numbers above 2^53 {CARRY}"]


def test_released_as_floats_it_is_said(framed):
    values = [ODD, 1, 2, 3, 4]
    released = pf.protect(framed(values, "int64"), pf.TopBottomCoding(bottom=0), ROLES, seed=1, round_integers=False)
    assert [float(v) for v in cells(released.frame)] == [2.0**53, 1, 2, 3, 4]
    said = (
        "1 value of y is a whole number above 2^53 that float64 cannot carry: as a floating-point number it is rounded"
    )
    assert said in released.notes


def test_integers_without_a_limit():
    """Python's own, in a column of objects, and polars's of 128 bits."""
    values = [10**20 + 1, 5, 10**25 + 7, 1]
    for frame in (pd.DataFrame({"y": values}), pl.DataFrame({"y": pl.Series(values, dtype=pl.Int128)})):
        released = pf.protect(frame, pf.TopBottomCoding(bottom=3), ROLES, seed=1)
        assert cells(released.frame) == [10**20 + 1, 5, 10**25 + 7, 3]


@pytest.mark.parametrize(
    ("dtype", "constraint"),
    [("int64", "y == 1e19*x"), ("uint64", "y == -1*x"), ("float16", "y == 32000*x"), ("float32", "y == 1e39*x")],
)
def test_what_a_type_cannot_hold_is_refused_not_cut(dtype, constraint):
    """A constraint is kept or refused: never cut away afterwards."""
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6], "y": np.array([1, 2, 3, 4, 5, 7], dtype=dtype)})
    with pytest.raises(InvalidInput, match=r"no values of the dependent columns keep|at least half of the original"):
        pf.protect(
            frame, pf.RankSwapping(p=50), pf.Roles(["x"], ["y"]), seed=1, constraints=constraint, allow_unprotected=True
        )


def test_floats_are_cut_at_their_limits_before_constraints():
    frame = pd.DataFrame({"y": np.array([60000, 2, 3, 4, 5, 65500], dtype="float16")})
    released = pf.protect(frame, pf.Noise(amount=500), ROLES, seed=1, constraints="y >= 1", allow_unprotected=True)
    values = released.frame["y"].to_numpy()
    assert np.isfinite(values).all()
    assert (values >= 1).all()
    assert any("did not fit its type" in note for note in released.notes)


def test_by_blocks_as_in_memory(tmp_path):
    values = [LARGEST, ODD, -ODD, *range(40)]
    table = pa.table({"y": pa.array(values), "b": [float(k % 7) for k in range(len(values))]})
    pq.write_table(table, tmp_path / "in.parquet")
    options = {"seed": 1, "constraints": "y >= -5", "strata": ["b"], "allow_unprotected": True}
    roles = pf.Roles([], ["y"])
    in_memory = pf.protect(table, pf.RankSwapping(p=20), roles, **options)
    pf.protect(
        by_blocks(tmp_path / "in.parquet"), pf.RankSwapping(p=20), roles, output=tmp_path / "out.parquet", **options
    )
    released = pq.read_table(tmp_path / "out.parquet")
    assert cells(released) == cells(in_memory.frame)
    assert all(value >= -5 for value in cells(released))


def test_integers_longer_than_64_bits_in_a_csv_file(tmp_path):
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("y,z\n12345678901234567890123,1\n5,2\n9007199254740993,3\n1,4\n")
    released = pf.protect_file(source, output, pf.TopBottomCoding(bottom=3), ROLES, 1)
    assert output.read_text() == "y,z\n12345678901234567890123,1\n5,2\n9007199254740993,3\n3,4\n"
    said = f"{source}: 2 values of y are whole numbers above 2^53 that float64 cannot carry"
    assert said in released.notes


@pytest.mark.parametrize("end", ["sav", "dta", "xpt", "por"])
@pytest.mark.parametrize("dtype", ["int64", "Int64"])
def test_files_of_doubles_refuse_what_they_cannot_carry(tmp_path, end, dtype):
    source = tmp_path / "in.csv"
    frame = pd.DataFrame({"v": pd.array([ODD, 2, 3], dtype=dtype)})
    frame.to_csv(source, index=False)
    with pytest.raises(InvalidInput, match=r"at most 2\^53 in magnitude.*got 1 larger ones in column `v`"):
        pf.files.write_table(frame, tmp_path / f"out.{end}")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]
