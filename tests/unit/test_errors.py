"""A message names the owner, the rule and the value, and keeps them as attributes. Identical, text for text."""

import pickle

import numpy as np
import pytest

from pyfcrm import errors


def test_invalid_input():
    made = errors.InvalidInput("protect", "values must be finite", "inf in record 3")
    assert str(made) == "protect: values must be finite; got inf in record 3"
    assert (made.owner, made.rule, made.given) == ("protect", "values must be finite", "inf in record 3")
    assert str(errors.InvalidInput("protect", "needs a record")) == "protect: needs a record"


def test_invalid_parameter():
    made = errors.InvalidParameter("RankSwapping", "p", "must be above 0", "x")
    assert str(made) == "RankSwapping: `p` must be above 0; got 'x'"
    assert (made.owner, made.name, made.rule, made.value) == ("RankSwapping", "p", "must be above 0", "x")


def test_missing_extra_has_the_command():
    made = errors.MissingExtra("A figure", "plots", "matplotlib")
    assert made.command == "pip install 'pyfcrm[plots]'"
    assert str(made) == f"A figure needs matplotlib, which is not installed; run: {made.command}"


@pytest.mark.parametrize(
    ("made", "builtin"),
    [
        (errors.InvalidInput("a", "b"), ValueError),
        (errors.InvalidParameter("a", "b", "c", 1), ValueError),
        (errors.MissingExtra("a", "b", "c"), ImportError),
    ],
)
def test_one_root_and_the_builtin_a_caller_expects(made, builtin):
    assert isinstance(made, errors.PyfcrmError)
    assert isinstance(made, builtin)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("FEDTAXX", "did you mean `FEDTAX`"),
        ("fedtax", "did you mean `FEDTAX`"),
        ("Taxinc", "did you mean `TAXINC`"),
        ("zzz", "there are `FEDTAX`, `TAXINC`"),
    ],
)
def test_an_unknown_name_is_told_the_near_ones(name, hint):
    made = errors.unknown_name("protect", "column", name, ["FEDTAX", "TAXINC"])
    assert str(made).startswith(f"protect: no column is called `{name}`; {hint}")


def test_long_lists_are_cut_and_empty_ones_said():
    assert str(errors.unknown_name("o", "column", "zzz", [])).endswith("there are none")
    many = [f"column{k}" for k in range(20)]
    assert str(errors.unknown_name("o", "column", "zzz", many)).endswith("`column14` and 5 more")


@pytest.mark.parametrize(
    "made",
    [
        errors.InvalidInput("protect", "must be finite", 3),
        errors.InvalidParameter("FCRM", "c", "must be whole", 1.5),
        errors.MissingExtra("A figure", "plots", "matplotlib"),
    ],
)
def test_an_error_comes_back_whole_from_another_process(made):
    """A worker process hands its exception over by pickle. Oracle: the error itself."""
    back = pickle.loads(pickle.dumps(made))
    assert type(back) is type(made)
    assert str(back) == str(made)
    assert vars(back) == vars(made)


@pytest.mark.parametrize(
    "made",
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
def test_a_message_is_one_line(made):
    """Nothing in it breaks a line or steers a terminal. Oracle: str.isprintable. Grade: identical."""
    assert str(made).isprintable()
    assert str(made)


@pytest.mark.parametrize("long", ["a" * 100_000, "a b " * 25_000, "=" * 20_000 + " >= 0"])
def test_a_message_has_an_end_and_says_how_long_the_value_was(long):
    """The start of the value is there, and its length. Oracle: by hand. Grade: identical."""
    for made in (
        errors.InvalidParameter("FCRM", "c", "must be a whole number", long),
        errors.InvalidInput("protect", f"no column is called `{long}`"),
        errors.InvalidInput(long, "must be a file"),
        errors.unknown_name("protect", "column", long, [long, "b"]),
    ):
        said = str(made)
        assert len(said) < 1500
        assert long[:80] in said
        assert " characters)" in said
    assert f"({len(long)} characters)" in str(errors.InvalidParameter("FCRM", "c", "must be", long))


def test_the_pieces_stay_whole_on_the_error():
    made = errors.InvalidParameter("FCRM", "c", "must be a whole number", "a" * 1000)
    assert made.value == "a" * 1000
    assert str(pickle.loads(pickle.dumps(made))) == str(made)


@pytest.mark.parametrize("name", [3, None, ["pil"], 1.5, object])
def test_a_name_that_is_no_text(name):
    said = str(errors.unknown_name("Report", "measure", name, ["pil"]))
    assert said == f"Report: the name of a measure must be a text; there are `pil`; got {errors.shown(name)}"
