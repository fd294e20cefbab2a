"""Names of columns in options. Oracle: by hand. Grade: identical."""

import click
import pytest

import pyfcrm as pf
from pyfcrm.cli.options import OPTION_GROUPS
from r_bridge.to_r import session

ONE_COLUMN = ["--weight", "--household", "--unit", "--time"]


@pytest.mark.parametrize("option", ["weights", "strata", "preserve"])
def test_an_unknown_column_is_answered_with_columns_of_the_file(option):
    """Not with columns of the design, whose names have levels of the file's categories."""
    frame = pf.datasets.survey(60).dropna()
    frame["area"] = ["inner", "outer"] * (len(frame) // 2) + ["inner"] * (len(frame) % 2)
    with pytest.raises(pf.errors.InvalidInput, match="`area`") as caught:
        pf.protect(frame, pf.IPSO("C"), pf.Roles(["age", "area"], ["wage"]), 1, **{option: "zzzqqq"})
    assert "outer" not in str(caught.value)


@pytest.mark.parametrize("option", ONE_COLUMN)
def test_one_name_is_quoted_as_in_lists(option):
    kind = OPTION_GROUPS["Columns"][option][0]
    assert kind("weight") == "weight"
    assert kind('"weight, 2024"') == "weight, 2024"
    with pytest.raises(click.BadParameter, match="must name one column"):
        kind("a,b")


@pytest.mark.parametrize("home", ["", "/nowhere"])
def test_without_r_the_message_is_that_r_is_needed(home, monkeypatch):
    monkeypatch.setenv("R_HOME", home)
    monkeypatch.setenv("PATH", "")
    assert "R is needed" in str(session._load_failure(OSError("lib/libR.so")))
