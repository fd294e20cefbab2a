"""protect(): the release is the method's own numbers, and everything else about the frame is as it was."""

import copy
import datetime
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from support.data import cloud
from support.data import frame as make_frame
from support.own_methods import OwnMethod

import pyfcrm as pf
from pyfcrm import FCRM, IPSO, Noise, Protected, Roles, RStream, protect
from pyfcrm.data.index import RENUMBERED
from pyfcrm.errors import InvalidInput

ROLES = Roles(independent=["a", "b"], dependent=["y", "whole"], identifiers="id")
METHODS = [FCRM(3), IPSO("C")]
methods = pytest.mark.parametrize("method", METHODS, ids=str)
LIBRARIES = {"pandas": lambda f: f, "polars": pl.from_pandas, "arrow": pa.Table.from_pandas}
libraries = pytest.mark.parametrize("library", LIBRARIES)


def arrays(frame, roles=ROLES):
    """X and Y by rows in memory, as protect() hands them over: sums of another layout differ in the last digit."""
    both = (frame[list(names)].to_numpy(dtype=float) for names in (roles.independent, roles.dependent))
    return tuple(np.ascontiguousarray(A) for A in both)


@methods
def test_the_release_is_the_method_s_own_numbers(method):
    """Oracle: the method on arrays. Identical; the integer column is rounded half to even."""
    frame = make_frame()
    released = protect(frame, method, ROLES, seed=4)
    Z = method.protect(*arrays(frame), RStream(4))
    np.testing.assert_array_equal(released.frame["y"], Z[:, 0])
    np.testing.assert_array_equal(released.frame["whole"], np.rint(Z[:, 1]))


@methods
@libraries
def test_every_library_gets_the_same_release(library, method):
    frame = make_frame()
    frame["when"] = pd.Timestamp("2020-02-29")
    frame["flag"] = [True, False] * 30
    source = LIBRARIES[library](frame)
    released = protect(source, method, ROLES, seed=4).frame
    assert type(released) is type(source)
    as_pandas = released if library == "pandas" else released.to_pandas()
    expected = protect(frame, method, ROLES, seed=4).frame
    assert list(as_pandas.columns) == ["a", "b", "y", "whole", "word", "when", "flag"]
    pd.testing.assert_frame_equal(as_pandas, expected, check_dtype=library == "pandas")
    assert released["whole"].dtype == source["whole"].dtype if library != "arrow" else True
    if library == "arrow":
        assert released.schema.field("whole").type == pa.int64()


NUMBERS = {
    "numbers from 5": pd.RangeIndex(5, 65),
    "gaps": pd.Index(np.arange(60) * 3),
    "shuffled": pd.Index(np.random.default_rng(0).permutation(60)),
    "not unique": pd.Index([7] * 60),
    "unsigned": pd.Index(np.arange(60, dtype="uint8")[::-1]),
}
OTHERS = {
    "named": pd.RangeIndex(60, name="row"),
    "text": pd.Index([f"r{k}" for k in range(60)]),
    "several levels": pd.MultiIndex.from_product([range(6), list("abcdefghij")], names=["i", "j"]),
    "dates": pd.date_range("2020-01-01", periods=60),
    "numbers with fractions": pd.Index(np.arange(60) / 2),
}


@methods
@pytest.mark.parametrize("index", NUMBERS.values(), ids=NUMBERS.keys())
def test_an_index_of_whole_numbers_is_replaced_and_changes_no_number(index, method):
    """Oracle: the release without an index. Identical. evaluate() pairs both by position."""
    frame = make_frame()
    indexed, plain = (protect(each, method, ROLES, seed=2) for each in (frame.set_index(index), frame))
    pd.testing.assert_frame_equal(indexed.frame, plain.frame, check_index_type=True)
    notes = [note for note in indexed.notes if note == RENUMBERED]
    assert [note.severity for note in notes] == ["info"]
    assert [note for note in indexed.notes if note not in notes] == plain.notes
    for release in (indexed, indexed.frame):
        pairs = pf.variable_changes(frame.set_index(index), release, "y")
        assert pairs.variables == pf.variable_changes(frame, plain.frame, "y").variables


@pytest.mark.parametrize("index", OTHERS.values(), ids=OTHERS.keys())
def test_any_other_index_is_refused_unless_its_names_are_identifiers(index):
    frame = make_frame()
    with pytest.raises(InvalidInput, match=r"protect: the index .* reset_index\(drop=True\).*; got an index ") as error:
        protect(frame.set_index(index), IPSO("C"), ROLES, seed=2)
    assert "\n" not in str(error.value)
    assert "r59" not in str(error.value)
    names = [name for name in index.names if name]
    if names:
        roles = Roles(ROLES.independent, ROLES.dependent, [*ROLES.identifiers, *names])
        dropped = protect(frame.set_index(index), IPSO("C"), roles, seed=2)
        pd.testing.assert_frame_equal(dropped.frame, protect(frame, IPSO("C"), ROLES, seed=2).frame)
        assert dropped.roles == roles


def test_an_index_that_is_a_column_too_is_refused():
    """Its name is that of a confidential column, which is no identifier."""
    frame = make_frame().set_index("y", drop=False)
    with pytest.raises(InvalidInput, match="an index named `y`"):
        protect(frame, IPSO("C"), ROLES, seed=2)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "UInt8", "int64[pyarrow]"])
@pytest.mark.parametrize("method", [FCRM(2), IPSO("C")], ids=str)
def test_integer_columns_are_rounded_stay_integer_and_say_so(dtype, method):
    """Values from 20 to 100 leave room in int8. Oracle: the method's numbers, rounded. Identical."""
    X, Y = cloud(50, 1, 1, seed=1)
    whole = np.rint(60 + 8 * (Y[:, 0] - Y.mean()) / Y.std())
    frame = pd.DataFrame({"x": X[:, 0], "y": pd.array(whole.astype(int), dtype=dtype)})
    released = protect(frame, method, Roles("x", "y"), seed=1, allow_unprotected=True)
    assert released.frame["y"].dtype == frame["y"].dtype
    Z = method.protect(X, whole[:, None], RStream(1))
    np.testing.assert_array_equal(released.frame["y"].to_numpy(dtype=float), np.rint(Z[:, 0]))
    assert "rounded, being integer columns: y" in released.notes


def test_bystanders_of_any_type_pass_through_untouched():
    frame = make_frame()
    frame["category"] = pd.Categorical(["x", "y", None] * 20)
    frame["zoned"] = pd.date_range("2020-01-01", periods=60, tz="Europe/Madrid")
    frame["day"] = [datetime.date(2020, 2, 29), None] * 30
    frame["gaps"] = pd.array([1, None] * 30, dtype="Int8")
    frame["infinite"] = np.inf
    frame["constant"] = 7
    frame["list"] = [[1, 2]] * 60
    released = protect(frame, FCRM(2), ROLES, seed=1).frame
    others = [c for c in frame.columns if c not in ("id", "y", "whole")]
    pd.testing.assert_frame_equal(released[others], frame[others])


def test_the_seed_that_is_kept_repeats_the_release():
    frame = make_frame()
    for seed in (None, 5, RStream(5)):
        if isinstance(seed, RStream):
            seed.runif(3)
        released = protect(frame, IPSO("C"), ROLES, seed=seed)
        for _ in range(2):  # as often as one likes
            again = protect(frame, IPSO("C"), ROLES, seed=released.seed)
            pd.testing.assert_frame_equal(again.frame, released.frame)
    assert protect(frame, IPSO("C"), ROLES, seed=5).seed == 5


def test_without_a_seed_the_whole_state_is_kept():
    """626 integers as R's .Random.seed, whatever becomes of the result: copied, replaced, sent elsewhere. Identical."""
    frame, method = make_frame(), Noise(amount=20)
    released = protect(frame, method, ROLES)
    assert isinstance(released.seed, RStream)
    state = released.seed.to_r_state()
    released.seed.runif(5)  # of a copy
    others = [replace(released, all_notes=[]), copy.deepcopy(released), pickle.loads(pickle.dumps(released)), released]
    for one in others:
        np.testing.assert_array_equal(one.seed.to_r_state(), state)
        again = protect(frame, method, ROLES, seed=RStream.from_r_state(state)).frame
        pd.testing.assert_frame_equal(again, one.frame)
    assert not np.array_equal(state, protect(frame, method, ROLES).seed.to_r_state())
    assert str(state[5]) not in repr(released)
    with pytest.raises(TypeError, match="'seed'"):
        Protected(frame, [], method, ROLES)


def test_extreme_values_are_taken_up_to_the_stated_limits():
    """1e100 and 1e-100 are within them: a finite release in those units, equal to the plain one. Close."""
    frame = make_frame()
    plain = protect(frame, IPSO("C"), Roles(["a", "b"], "y"), seed=1).frame["y"]
    for unit in (2.0**300, 2.0**-300):
        scaled = frame.assign(y=frame["y"] * unit, a=frame["a"] / unit)
        release = protect(scaled, IPSO("C"), Roles(["a", "b"], "y"), seed=1).frame["y"]
        np.testing.assert_allclose(release / unit, plain, rtol=1e-11)


def test_a_method_that_writes_into_what_it_was_given_does_no_harm():
    """It is handed copies: the originals that a release is compared with stay."""

    class Writes(OwnMethod):
        def release(self, X, Y, run):
            Y += 1
            return Y

    frame = make_frame()
    released = protect(frame, Writes(), ROLES, seed=1)
    np.testing.assert_array_equal(released.frame["y"], frame["y"] + 1)
    assert not any("leave with every dependent value as it was" in note for note in released.notes)


def test_a_method_that_breaks_its_word_is_caught():
    """A release that is not finite, or of another shape, never leaves."""

    class Broken(OwnMethod):
        def release(self, X, Y, run):
            Y[0, 0] = np.nan
            return Y

    class Longer(OwnMethod):
        def release(self, X, Y, run):
            return np.vstack([Y, Y]) + 1

    with pytest.raises(InvalidInput, match="one value for each original one"):
        protect(make_frame(), Longer(), ROLES, seed=1)

    with pytest.raises(InvalidInput, match=r"the release must be finite.*got 1 value that is not"):
        protect(make_frame(), Broken(), ROLES, seed=1)
