"""Numbers at the limits of their types, and whole ones above 2^53, where not every one is a float64.

Oracle: Python's own integers, which have no limit. Grade: identical.
"""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidInput
from pyfcrm.files import write_table

ROLES = pf.Roles([], ["y"])
ODD = 2**53 + 1

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


@pytest.mark.parametrize(("dtype", "largest"), [("int64", -ODD), ("int64", 2**63 - 1), ("uint64", 2**64 - 1)])
@pytest.mark.parametrize("method", [pf.TopBottomCoding(bottom=6), pf.RankSwapping(p=50)], ids=str)
def test_whole_numbers_that_floats_cannot_carry_are_refused(framed, method, dtype, largest):
    frame = framed([5, largest, 7, 8, 9, 10], dtype)
    with pytest.raises(InvalidInput, match=r"column `y` must be below 2\^53 in magnitude"):
        pf.protect(frame, method, ROLES, seed=1)


def test_the_largest_exact_numbers_stay(framed):
    values = [2**53 - 1 - k for k in range(5)] + [5]
    released = pf.protect(framed(values, "int64"), pf.TopBottomCoding(bottom=6), ROLES, seed=1)
    assert cells(released.frame) == [*values[:5], 6]


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


def test_floats_stay_within_their_limits_under_constraints():
    frame = pd.DataFrame({"y": np.array([60000, 2, 3, 4, 5, 65500], dtype="float16")})
    released = pf.protect(frame, pf.Noise(amount=500), ROLES, seed=1, constraints="y >= 1", allow_unprotected=True)
    values = released.frame["y"].to_numpy()
    assert np.isfinite(values).all()
    assert (values >= 1).all()
    assert any("constraints: all are kept, and moved 3 of 6" in note for note in released.notes)


def test_integers_longer_than_64_bits_in_a_csv_file(tmp_path):
    """They are text, which is released as it is and is refused as a confidential column."""
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("y,z\n12345678901234567890123,1\n5,2\n1,4\n")
    pf.protect_file(source, output, pf.TopBottomCoding(bottom=3), pf.Roles(dependent="z"), 1)
    assert output.read_text() == "y,z\n12345678901234567890123,3\n5,3\n1,4\n"
    with pytest.raises(InvalidInput, match="`y` must hold numbers"):
        pf.protect_file(source, output, pf.TopBottomCoding(bottom=3), ROLES, 1, overwrite=True)


def test_numbers_near_the_largest_one_are_looked_at_without_a_warning():
    """Whether numbers are years with months as fractions is asked of each column."""
    frame = pd.DataFrame({"y": [1e308, 2e307, 0.5, -1e308, 3.0, 0.25] * 5})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = pf.describe(frame)["y"]
    assert found.kind == "amount"


@pytest.mark.parametrize("end", ["sav", "dta", "xpt"])
@pytest.mark.parametrize("dtype", ["int64", "Int64"])
def test_files_of_doubles_refuse_what_they_cannot_carry(tmp_path, end, dtype):
    source = tmp_path / "in.csv"
    frame = pd.DataFrame({"v": pd.array([ODD, 2, 3], dtype=dtype)})
    frame.to_csv(source, index=False)
    with pytest.raises(InvalidInput, match=r"at most 2\^53 in magnitude.*got 1 larger ones in column `v`"):
        write_table(frame, tmp_path / f"out.{end}")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]
