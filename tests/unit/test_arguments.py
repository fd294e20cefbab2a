"""What counts as a number, a word or a list of names. Identical: by the rule in each function's docstring."""

from fractions import Fraction

import numpy as np
import pytest

from pyfcrm.arguments import choice, flag, names, real_number, whole_number
from pyfcrm.errors import InvalidParameter


@pytest.mark.parametrize("value", [3, 3.0, np.int8(3), np.uint64(3), np.float32(3), np.float64(3), Fraction(3)])
def test_three_in_any_clothes_is_three(value):
    number = whole_number("Owner", "c", value, low=3, high=3)
    assert (number, type(number)) == (3, int)


@pytest.mark.parametrize("value", [True, np.True_, "3", 3.5, None, [3], np.array([3]), 3 + 0j, np.nan, np.inf, -np.inf])
def test_what_is_no_whole_number(value):
    with pytest.raises(InvalidParameter, match=r"^Owner: `c` must be a whole number; got"):
        whole_number("Owner", "c", value)


@pytest.mark.parametrize(
    ("limits", "words"),
    [({"low": 1}, ", at least 1"), ({"high": -1}, ", at most -1"), ({"low": 1, "high": 5}, " from 1 to 5")],
)
@pytest.mark.parametrize("value", [0, 10**100, 10**5000], ids=["0", "large", "larger"])
def test_whole_numbers_have_limits(limits, words, value):
    """R's largest whole number where there is no other: C's integers end a little above it."""
    if value > 0 and "high" not in limits:
        words = " from 1 to 2147483647"
    with pytest.raises(InvalidParameter) as caught:
        whole_number("Owner", "c", value, **limits)
    assert str(caught.value).startswith(f"Owner: `c` must be a whole number{words}; got ")
    assert whole_number("Owner", "c", 2**31 - 1) == 2**31 - 1
    assert whole_number("Owner", "c", 2**40, limit=2**41) == 2**40


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), Fraction(2)])
def test_a_real_number_is_a_float(value):
    number = real_number("Owner", "m", value, above=1, high=2)
    assert (number, type(number)) == (2.0, float)


@pytest.mark.parametrize("value", [1, 0.5, 3.0001, True, "2", None, np.nan, np.inf, 10**400, 2j])
def test_real_numbers_outside_their_range(value):
    with pytest.raises(InvalidParameter, match=r"^Owner: `m` must be a finite number above 1 and at most 3; got"):
        real_number("Owner", "m", value, above=1, high=3)


def test_choice_and_flag():
    assert choice("Owner", "kind", "A", ("A", "B")) == "A"
    assert flag("Owner", "joint", False) is False
    for wrong in ("a", "", None, 1, ["A"]):
        with pytest.raises(InvalidParameter, match=r"^Owner: `kind` must be one of 'A', 'B'; got"):
            choice("Owner", "kind", wrong, ("A", "B"))
    for wrong in (0, 1, "TRUE", None, np.True_):
        with pytest.raises(InvalidParameter, match=r"^Owner: `joint` must be True or False; got"):
            flag("Owner", "joint", wrong)


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (None, ()),
        ([], ()),
        ("x", ("x",)),
        (["x"], ("x",)),
        (("x", "y"), ("x", "y")),
        (np.array(["x", "y"]), ("x", "y")),
        ((n for n in "xy"), ("x", "y")),
        ({"x": 1, "y": 2}, ("x", "y")),
        ("", ("",)),
        (3, ("3",)),
        (["x", 3], ("x", "3")),
    ],
)
def test_names(value, result):
    assert names("Owner", "columns", value) == result


@pytest.mark.parametrize(("value", "rule"), [(3.5, "a column name"), (["x", None], "names only"), (["x", "x"], "once")])
def test_what_are_no_names(value, rule):
    with pytest.raises(InvalidParameter, match=f"^Owner: `columns` must .*{rule}"):
        names("Owner", "columns", value)
