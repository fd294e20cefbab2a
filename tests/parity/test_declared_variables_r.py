"""Declared variables count in every function that takes a file: the same figures in Python, in R and on the command line.

The file has codes of missing values, in numbers and in text, months as numbers, and amounts in text.
Oracle: the functions in Python. Grade: identical.
"""

import json

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

[variables.rent]
missing_codes = [-1]

[variables.region]
missing_codes = [9]

[variables.q1]
missing_codes = [6]
"""
DECLARED = {
    "wage": pf.Variable(missing_codes=[99999]),
    "rent": pf.Variable(missing_codes=[-1]),
    "region": pf.Variable(missing_codes=[9]),
    "q1": pf.Variable(missing_codes=[6]),
}
CODES = "wage=99999,rent=-1,region=9,q1=6"
ROLES = pf.Roles(["age", "region"], ["wage", "rent", "month", "paid"])
R = """
folder <- dirname(commandArgs(TRUE)[1])
place <- function(name) file.path(folder, name)
df <- read_table(place("in.csv"))
released <- read_table(place("out.csv"))
variables <- list(
  wage = variable(missing_codes = 99999), rent = variable(missing_codes = -1),
  region = variable(missing_codes = 9), q1 = variable(missing_codes = 6)
)
file <- place("variables.toml")
predictors <- c("age", "region")
dependent <- c("wage", "rent", "month", "paid")
keep <- function(name, table, again) {
  stopifnot(isTRUE(all.equal(as.data.frame(table), as.data.frame(again), check.attributes = FALSE)))
  write.csv(as.data.frame(table), place(paste0(name, ".csv")), row.names = FALSE)
}
keep("changes", variable_changes(df, released, variables = variables), variable_changes(df, released, variables = file))
keep("at_risk", records_at_risk(df, released, dependent, variables = variables), records_at_risk(df, released, dependent, variables = file))
keep(
  "analyse", analyse(df, released, wage ~ age + region + rent, variables = variables),
  analyse(df, released, wage ~ age + region + rent, variables = file)
)
keep(
  "dependence", dependence_test(df, released, predictors, dependent, variables = variables),
  dependence_test(df, released, predictors, dependent, variables = file)
)
keep("key_risk", key_risk(df, c("region", "q1"), variables = variables), key_risk(df, c("region", "q1"), variables = file))
columns <- c("wage", "rent", "total")
keep(
  "structure", find_structure(df, "age", columns, variables = variables)["words"],
  find_structure(df, "age", columns, variables = file)["words"]
)
keep("roles", suggest_roles(df, variables = variables), suggest_roles(df, variables = file))
own <- suppressWarnings(protect(df, ipso("C"), predictors, dependent, seed = 1, variables = variables))
default <- analyse(df, own, wage ~ age + rent)
declared <- analyse(df, own, wage ~ age + rent, variables = variables)
stopifnot(identical(as.data.frame(default), as.data.frame(declared)))
"""


def people(n=400):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(20, 70, n)})
    frame["wage"] = np.round(500 + 30 * frame["age"] + rng.normal(0, 300, n), 2)
    frame["rent"] = np.round(200 + 0.3 * frame["wage"] + rng.normal(0, 40, n), 2)
    frame["total"] = frame["wage"] + frame["rent"]
    frame.loc[::13, "wage"] = 99999
    frame.loc[::17, "rent"] = -1
    frame["month"] = 100 * rng.integers(1995, 2010, n) + rng.integers(1, 13, n)
    frame["q1"] = rng.integers(1, 7, n)
    frame["region"] = rng.choice(["north", "south", "9"], n)
    frame["paid"] = [f"{value:,.2f}" for value in 900 + 40 * frame["age"] + rng.normal(0, 300, n)]
    return frame


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A file, its release, the declarations, and R's tables."""
    folder = tmp_path_factory.mktemp("declared")
    people().to_csv(folder / "in.csv", index=False)
    (folder / "variables.toml").write_text(TOML)
    source, release = folder / "in.csv", folder / "out.csv"
    pf.protect_file(source, release, pf.IPSO("C"), ROLES, 1, variables=DECLARED, shuffle=False)
    r_with_fcrm(R, source)
    return folder


def python_tables(source, release):
    """Each function's table in Python with what is declared, and with nothing declared."""
    names = ROLES.dependent

    def tables(variables):
        return {
            "changes": pf.variable_changes(source, release, variables=variables),
            "at_risk": pf.records_at_risk(source, release, names, variables=variables),
            "analyse": pf.analyse(source, release, "wage ~ age + region + rent", variables=variables),
            "dependence": pf.dependence_test(source, release, ROLES, variables=variables),
            "key_risk": pf.key_risk(source, ["region", "q1"], variables=variables),
            "roles": pf.suggest_roles(source, variables=variables),
        }

    return tables(DECLARED), tables(None)


def same_figures(first, second):
    """Whether the columns of both tables that hold numbers or text are equal; R writes 15 digits."""
    second = second[list(first.columns)]
    pd.testing.assert_frame_equal(
        first.reset_index(drop=True).convert_dtypes(), second.reset_index(drop=True).convert_dtypes(),
        check_dtype=False, rtol=1e-13, atol=1e-12,
    )  # fmt: skip


def test_r_has_pythons_figures(folder):
    declared, plain = python_tables(folder / "in.csv", folder / "out.csv")
    for name, result in declared.items():
        r = pd.read_csv(folder / f"{name}.csv", keep_default_na=False, na_values=["NA", "NaN"])
        same_figures(r, result.to_frame())
        assert not result.to_frame().equals(plain[name].to_frame()), name
    words = [one.words for one in pf.find_structure(
        people(), pf.Roles(["age"], ["wage", "rent", "total"]), variables=DECLARED
    )]  # fmt: skip
    assert pd.read_csv(folder / "structure.csv")["words"].tolist() == words
    assert any(one.startswith("total == wage + rent") for one in words)


def test_the_command_line_has_pythons_figures(folder):
    source, release = folder / "in.csv", folder / "out.csv"
    declared, _ = python_tables(source, release)
    commands = {
        "changes": ["changes", source, release],
        "at_risk": ["records-at-risk", source, release, "--columns", "wage,rent,month,paid"],
        "analyse": ["analyse", source, release, "wage ~ age + region + rent"],
        "dependence": [
            "dependence", source, release, "--independent", "age,region", "--dependent", "wage,rent,month,paid",
        ],
        "key_risk": ["key-risk", source, "--keys", "region,q1"],
        "roles": ["roles", source],
    }  # fmt: skip
    for name, command in commands.items():
        for words in (["--variables", folder / "variables.toml"], ["--missing-codes", CODES]):
            ran = pyfcrm(*command, *words, "--json")
            assert ran.status == 0, ran.err
            rows = json.loads(ran.out)["rows"]
            if name == "roles":
                rows = [{key: row[key] for key in ("column", "role", "doubtful", "reason")} for row in rows]
                expected = declared[name].to_frame().drop(columns="label").to_dict("records")
            else:
                expected = declared[name].rows()
            assert rows == json.loads(json.dumps(expected)), (name, words)
    ran = pyfcrm("structure", source, "--dependent", "wage,rent,total", "--missing-codes", CODES)
    assert "total == wage + rent" in ran.out


def test_evaluate_and_report_take_codes_of_missing_values(folder):
    source, release = folder / "in.csv", folder / "out.csv"
    words = ["--independent", "age,region", "--dependent", "wage,rent,month,paid"]
    expected = pf.evaluate(source, release, roles=ROLES, variables=DECLARED).rows()
    for typed in (["--variables", folder / "variables.toml"], ["--missing-codes", CODES]):
        ran = pyfcrm("evaluate", source, release, *words, *typed, "--json")
        assert ran.status == 0, ran.err
        assert json.loads(ran.out)["rows"] == json.loads(json.dumps(expected))
    ran = pyfcrm("report", source, release, "-o", folder / "page.html", *words, "--missing-codes", CODES)
    assert ran.status == 0, ran.err
