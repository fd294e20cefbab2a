"""A message names the owner, the rule and the value, and keeps them as attributes. Identical, text for text."""

import pickle

import numpy as np
import pytest

from pyfcrm import errors

ERRORS = {
    "protect: must be finite; got inf in record 3": (
        errors.InvalidInput("protect", "must be finite", "inf in record 3"),
        ValueError,
        {"owner": "protect", "rule": "must be finite", "value": "inf in record 3"},
    ),
    "protect: needs a record": (errors.InvalidInput("protect", "needs a record"), ValueError, {"value": None}),
    "RankSwapping: `p` must be above 0; got 'x'": (
        errors.InvalidParameter("RankSwapping", "p", "must be above 0", "x"),
        ValueError,
        {"owner": "RankSwapping", "name": "p", "rule": "must be above 0", "value": "x"},
    ),
    "A figure needs matplotlib, which is not installed; run: pip install 'pyfcrm[plots]'": (
        errors.MissingExtra("A figure", "plots", "matplotlib"),
        ImportError,
        {"what": "A figure", "extra": "plots", "package": "matplotlib"},
    ),
}


@pytest.mark.parametrize("text", ERRORS)
def test_the_message_the_parts_and_the_error_from_another_process(text):
    """Each has the package's root and the built-in exception that callers expect, and comes back whole from a pickle."""
    error, builtin, parts = ERRORS[text]
    assert str(error) == text
    assert isinstance(error, errors.PyfcrmError)
    assert isinstance(error, builtin)
    assert vars(error).items() >= parts.items()
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), str(back), vars(back)) == (type(error), text, vars(error))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("FEDTAXX", "did you mean `FEDTAX`"),
        ("fedtax", "did you mean `FEDTAX`"),
        ("zzz", "there are `FEDTAX`, `TAXINC`"),
    ],
)
def test_an_unknown_name_comes_with_similar_ones(name, hint):
    error = errors.unknown_name("protect", "column", name, ["FEDTAX", "TAXINC"])
    assert str(error).startswith(f"protect: no column is called `{name}`; {hint}")


@pytest.mark.parametrize(
    "error",
    [
        errors.InvalidInput("read", "no column `a\nb\r\u2028c` \x1b[31m", "d\ne"),
        errors.InvalidParameter("x\ny", "n\nm", "r\ns", "t\nu"),
        errors.InvalidParameter("x", "n", "r", np.zeros((9, 9))),
        errors.InvalidParameter("x", "n", "r", type("T", (), {"__repr__": lambda _: "a\nb"})()),
        errors.unknown_name("o", "column", "a\nb", ["a\nc", "zzz"]),
        errors.Cancelled("a\nb"),
        errors.ClusterLost("a\nb"),
        errors.MissingExtra("a\nb", "c", "d"),
    ],
)
def test_a_message_is_one_line(error):
    """Nothing in it breaks a line or controls a terminal. Oracle: str.isprintable. Grade: identical."""
    assert str(error).isprintable()
    assert str(error)


@pytest.mark.parametrize("long", ["a" * 100_000, "a b " * 25_000, "=" * 20_000 + " >= 0"])
def test_a_message_has_an_end_and_the_length_of_the_value(long):
    """The start of the value, and its length; the error keeps the whole value. Oracle: by hand. Grade: identical."""
    parameter = errors.InvalidParameter("FCRM", "c", "must be a whole number", long)
    for error in (
        parameter,
        errors.InvalidInput("protect", f"no column is called `{long}`"),
        errors.InvalidInput(long, "must be a file"),
        errors.unknown_name("protect", "column", long, [long, "b"]),
    ):
        text = str(error)
        assert len(text) < 1500
        assert long[:80] in text
        assert " characters)" in text
    assert f"({len(long)} characters)" in str(parameter)
    assert parameter.value == pickle.loads(pickle.dumps(parameter)).value == long
