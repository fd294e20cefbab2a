"""Constraints from R. Oracle: Python on the same frame, and R's own comparisons. Grade: identical."""

import numpy as np
import pytest
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r_package]


def test_protect_and_sweep_methods_keep_them(tmp_path):
    """Odd names, columns without a role, one text or several, a strict rule; the conditions of a bad text and an unknown column."""
    frame = pf.datasets.census_like(90)
    frame.to_csv(tmp_path / "in.csv", index=False)
    script = r"""
    argument <- commandArgs(TRUE)
    df <- read.csv(argument[1], check.names = FALSE)
    names(df)[names(df) == "PTOTVAL"] <- "all income"
    df$word <- "PEARNVAL"
    keep <- c("`all income` == POTHVAL + PEARNVAL; POTHVAL >= 0", "PEARNVAL >= 0", "WSALVAL <= ERNVAL")
    given <- list(c("AGI", "INTVAL"), c("all income", "POTHVAL", "PEARNVAL", "WSALVAL"))
    out <- suppressMessages(protect(df, ipso("C"), given[[1]], given[[2]], seed = 1, constraints = keep))
    stopifnot(any(startsWith(notes(out), "constraints: all are kept, and moved ")))
    plain <- suppressMessages(protect(df, ipso("C"), given[[1]], given[[2]], seed = 1))
    holds <- function(x) with(x, `all income` == POTHVAL + PEARNVAL & POTHVAL >= 0 & PEARNVAL >= 0 & WSALVAL <= ERNVAL)
    stopifnot(all(holds(out)), !all(holds(plain)), is.integer(out$POTHVAL), identical(out$word, df$word))
    one <- suppressMessages(protect(df, ipso("C"), given[[1]], given[[2]], seed = 1, constraints = paste(keep, collapse = ";")))
    stopifnot(identical(one[names(out)], out[names(out)]))
    writeBin(as.double(as.matrix(out[given[[2]]])), argument[2])
    frontier <- suppressMessages(sweep_methods(df, ipso("C"), given[[1]], given[[2]], seed = 1, constraints = keep))
    writeBin(as.data.frame(frontier)$pil, argument[3])
    failed <- function(text) tryCatch(protect(df, ipso("C"), "AGI", "POTHVAL", seed = 1, constraints = text), error = identity)
    strict <- suppressMessages(protect(df, ipso("C"), "AGI", "POTHVAL", seed = 1, constraints = "0 < POTHVAL"))
    stopifnot(all(strict$POTHVAL > 0), attr(suppressMessages(evaluate(df, strict)), "verdict")$status != "")
    stopifnot(inherits(failed("POTHVAL != 3"), "fcrm_invalid_parameter"))
    unknown <- failed("POTHVL >= 3")
    stopifnot(inherits(unknown, "fcrm_invalid_input"), grepl("did you mean `POTHVAL`", conditionMessage(unknown)))
    stopifnot(inherits(failed("word == 3"), "fcrm_invalid_input"), inherits(failed(3), "fcrm_invalid_parameter"))
    """
    r_with_fcrm(script, tmp_path / "in.csv", tmp_path / "out", tmp_path / "pil")
    named = frame.rename(columns={"PTOTVAL": "all income"}).astype("int32")
    roles = pf.Roles(["AGI", "INTVAL"], ["all income", "POTHVAL", "PEARNVAL", "WSALVAL"])
    keep = ["`all income` == POTHVAL + PEARNVAL; POTHVAL >= 0", "PEARNVAL >= 0", "WSALVAL <= ERNVAL"]
    expected = pf.protect(named, pf.IPSO("C"), roles, seed=1, constraints=keep).frame[list(roles.dependent)]
    found = np.fromfile(tmp_path / "out", dtype="<f8").reshape(4, -1).T
    np.testing.assert_array_equal(found, expected.to_numpy(dtype=float))
    frontier = pf.sweep(named, roles, [pf.IPSO("C")], seed=1, constraints=keep)
    np.testing.assert_array_equal(np.fromfile(tmp_path / "pil"), frontier.to_frame()["pil"])
