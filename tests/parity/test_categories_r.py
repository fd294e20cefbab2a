"""A file with categories, a weight and flags: R, Python and the shell give the same release, to the bit.

Oracle: the other two languages. Grade: identical.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from support.cli import pyfcrm
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf
from pyfcrm.rstream import RStream

pytestmark = [pytest.mark.r, requires_r_package]
ROLES = pf.Roles(["age", "sex", "language"], ["wages", "tax"], weight="w")


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """300 records like carData's SLID."""
    n, draw = 300, RStream(5)
    age, female = 16 + np.floor(60 * draw.runif(n)), draw.runif(n) < 0.5
    wages = np.round(8 + 0.15 * age + 3.4 * ~female + 4 * np.abs(draw.rnorm(n)), 2)
    return pd.DataFrame(
        {
            "wages": wages,
            "tax": np.round(0.2 * wages + draw.runif(n), 1),
            "age": age.astype(int),
            "sex": np.where(female, "Female", "Male"),
            "language": np.array(["English", "French", "Other"])[np.floor(3 * draw.runif(n)).astype(int)],
            "w": np.round(50 + 100 * draw.runif(n), 3),
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "shell", "r"),
    [
        (pf.IPSO("C"), ["--method", "ipso", "--set", "kind=C"], 'ipso("C")'),
        (pf.FCRM(c=2), ["--method", "fcrm", "--set", "c=2"], "fcrm(c = 2)"),
        (pf.Sequential(), ["--method", "sequential"], "sequential_trees()"),
    ],
    ids=["ipso", "fcrm", "sequential"],
)
def test_the_same_release(method, shell, r, frame, tmp_path):
    source, out, ours = tmp_path / "in.csv", tmp_path / "shell.csv", tmp_path / "r.csv"
    frame.to_csv(source, index=False)
    columns = ["--independent", "age,sex,language", "--dependent", "wages,tax", "--weight", "w"]
    ran = pyfcrm("protect", source, "-o", out, *shell, *columns, "--seed", "7")
    assert ran.status == 0, ran.err
    values = r_with_fcrm(
        f"""
        given <- commandArgs(TRUE)
        roles <- wages + tax ~ age + sex + language
        suppressMessages(protect_file(given[1], given[2], {r}, roles, weight = "w", seed = 7))
        for (text in c(FALSE, TRUE)) {{
          df <- read.csv(given[1], stringsAsFactors = text)
          released <- suppressMessages(protect(df, {r}, roles, weight = "w", seed = 7))
          stopifnot(identical(released[c("age", "sex", "language", "w")], df[c("age", "sex", "language", "w")]))
          cat(sprintf("%a", c(released$wages, released$tax)), "\\n")
        }}
        """,
        source,
        ours,
    ).splitlines()
    assert ours.read_bytes() == out.read_bytes()
    released = pf.protect(frame, method, ROLES, seed=7).frame
    expected = [*released["wages"].tolist(), *released["tax"].tolist()]
    for line in values:
        assert [float.fromhex(word) for word in line.split()] == expected


def test_tables_roles_and_steps_from_r(frame, tmp_path):
    """Oracle: Python's own results of the same file."""
    frame.to_csv(tmp_path / "in.csv", index=False)
    steps = pf.Steps(
        [
            (pf.PRAM(keep=0.7), pf.Roles(dependent="language")),
            (pf.IPSO("C"), pf.Roles(["age", "sex", "language"], "wages")),
        ]
    )
    categories = frame.astype({"sex": "category", "language": "category"})
    released = pf.protect(categories, steps, seed=3).frame
    found = pf.analyse(frame, released, "wages ~ sex * age").to_frame()
    message = r_with_fcrm(
        """
        df <- read.csv(commandArgs(TRUE)[1], stringsAsFactors = TRUE)
        method <- steps(list(pram(keep = 0.7), dependent = "language"), list(ipso("C"), wages ~ age + sex + language))
        released <- suppressMessages(protect(df, method, seed = 3))
        cat(as.character(released$language), "\\n")
        cat(sprintf("%a", analyse(df, released, wages ~ sex * age)$protected), "\\n")
        cat(suggest_roles(df)$role, "\\n")
        cat(codebook(released)$role, sep = "|"); cat("\\n")
        cat(nrow(variable_changes(df, released)) > 0, is.data.frame(records_at_risk(df, released, "wages")), "\\n")
        limits <- list(wages = variable(bounds = c(0, 60), decimals = 1))
        other <- suppressMessages(protect(df, ipso("C"), wages ~ age + sex, seed = 9, variables = limits))
        stopifnot(seed_of(released) == 3, seed_of(other) == 9, !identical(notes(released), notes(other)))
        stopifnot(all(other$wages == round(other$wages, 1)), all(other$wages >= 0), generics::glance(evaluate(df, other))$pil >= 0)
        codes <- as.integer(df$sex)
        labelled <- structure(codes, labels = setNames(1:2, levels(df$sex)), class = c("haven_labelled", "vctrs_vctr", "integer"))
        coded <- suppressMessages(protect(`[[<-`(df, "sex", value = labelled), ipso("C"), wages ~ age + sex, seed = 9))
        plain <- suppressMessages(protect(df, ipso("C"), wages ~ age + sex, seed = 9))
        stopifnot(identical(coded$wages, plain$wages), identical(coded$sex, labelled))
        refused <- function(code) cat(class(tryCatch(code, fcrm_error = identity))[1], "\\n")
        refused(protect(structure(df, class = c("sf", "data.frame")), ipso("C"), wages ~ age))
        roles <- suggest_roles(df)
        roles$role[roles$column == "sex"] <- "identifiers"
        stopifnot(is.null(suppressMessages(protect(df, ipso("C"), roles, missing = "drop", seed = 1))$sex))
        stopifnot(grepl("identifiers", paste(capture.output(print(roles)), collapse = " ")))
        roles$role[1] <- "key"
        stopifnot(inherits(tryCatch(protect(df, ipso("C"), roles), fcrm_error = identity), "fcrm_invalid_input"))
        refused(protect(ts(as.matrix(df[1:3])), ipso("C"), wages ~ age))
        """,
        tmp_path / "in.csv",
    ).splitlines()
    assert message[0].split() == released["language"].tolist()
    assert [float.fromhex(word) for word in message[1].split()] == found["protected"].tolist()
    roles = pf.suggest_roles(frame).to_frame()["role"]
    assert message[2].split() == roles.tolist()
    assert message[3].split("|")[0] == "confidential variable"
    assert message[4].split() == ["TRUE", "TRUE"]
    assert message[5:7] == ["fcrm_invalid_input ", "fcrm_invalid_input "]
