"""Declared variables give one release in Python, in R and on the command line: codes of missing values, dates as numbers, codes of a
scale, amounts in text, bounds.

Oracle: protect_file() in Python. Grade: identical, the bytes of the files; R's frame by its values.
"""

import tomllib

import numpy as np
import pandas as pd
import pytest
from support.cli import pyfcrm
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf

pytestmark = [pytest.mark.r, pytest.mark.slow, requires_r_package]
TOML = """
[variables.wage]
missing_codes = [99999]
bounds = [0, 6000]

[variables.month]
kind = "date"
format = "%Y%m"

[variables.region]
missing_codes = [9]

[variables.q1]
kind = "codes"
codes = [1, 2, 3, 4, 5, 6]
"""
ROLES = pf.Roles(["age", "region"], ["wage", "month", "q1", "paid"])


def people(n=400):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(20, 70, n)})
    frame["wage"] = np.round(500 + 30 * frame["age"] + rng.normal(0, 300, n), 2)
    frame.loc[::13, "wage"] = 99999
    frame["month"] = 100 * rng.integers(1995, 2010, n) + rng.integers(1, 13, n)
    frame["q1"] = rng.integers(1, 7, n)
    frame["region"] = rng.choice(["north", "south", "9"], n)
    frame["paid"] = [f"{value:,.2f}" for value in 900 + 40 * frame["age"] + rng.normal(0, 300, n)]
    return frame


def test_one_release_from_three_interfaces(tmp_path):
    source, declared = tmp_path / "in.csv", tmp_path / "variables.toml"
    people().to_csv(source, index=False)
    declared.write_text(TOML)
    variables = {
        "wage": pf.Variable(missing_codes=[99999], bounds=(0, 6000)),
        "month": pf.Variable("date", format="%Y%m"),
        "q1": pf.Variable("codes", codes=range(1, 7)),
        "region": pf.Variable(missing_codes=[9]),
    }
    pf.protect_file(source, tmp_path / "python.csv", pf.IPSO("C"), ROLES, 1, variables=variables)
    pyfcrm(
        "protect", source, "-o", tmp_path / "shell.csv", "--method", "ipso", "--independent", "age,region",
        "--dependent", "wage,month,q1,paid", "--seed", "1", "--variables", declared,
    )  # fmt: skip
    r_with_fcrm(
        """
        folder <- dirname(commandArgs(TRUE)[1])
        place <- function(name) file.path(folder, name)
        predictors <- c("age", "region")
        dependent <- c("wage", "month", "q1", "paid")
        protect_file(place("in.csv"), place("r.csv"), ipso("C"), predictors, dependent, seed = 1, variables = place("variables.toml"))
        declared <- list(
          wage = variable(missing_codes = 99999, bounds = c(0, 6000)), month = variable("date", format = "%Y%m"),
          q1 = variable("codes", codes = 1:6), region = variable(missing_codes = 9)
        )
        df <- read_table(place("in.csv"))
        released <- protect(df, ipso("C"), predictors, dependent, seed = 1, variables = declared)
        again <- protect(df, ipso("C"), predictors, dependent, seed = 1, variables = place("variables.toml"))
        stopifnot(isTRUE(all.equal(released, again, check.attributes = FALSE)))
        write.csv(released, place("frame.csv"), row.names = FALSE)
        described <- describe(df, toml = place("described.toml"))
        some <- describe(df, toml = place("some.toml"), variables = declared)
        stopifnot(some$missing_codes[some$column == "wage"] == "99999")
        """,
        source,
    )
    expected = (tmp_path / "python.csv").read_bytes()
    assert (tmp_path / "shell.csv").read_bytes() == expected
    assert (tmp_path / "r.csv").read_bytes() == expected
    python, r = (pd.read_csv(tmp_path / name) for name in ("python.csv", "frame.csv"))
    pd.testing.assert_frame_equal(python, r, check_dtype=False)
    described = tomllib.loads((tmp_path / "described.toml").read_text())
    assert described == tomllib.loads(pf.describe(source).to_toml())
    with_declared = pf.describe(source, variables=pf.Variables.from_toml(declared.read_text())).to_toml()
    assert tomllib.loads((tmp_path / "some.toml").read_text()) == tomllib.loads(with_declared)
    assert pyfcrm("describe", source, "--toml", "--variables", declared).out == with_declared
    original = people()
    assert (python["wage"] == 99999).equals(original["wage"] == 99999)
    assert (python["month"] % 100).between(1, 12).all()
    assert python["q1"].isin(range(1, 7)).all()
    assert python["wage"][python["wage"] != 99999].between(0, 6000).all()
