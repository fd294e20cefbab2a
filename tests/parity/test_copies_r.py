"""Copies and their combination from R. Oracle: Python's own, of the same frame and seed. Close: figures went through text."""

import numpy as np
import pandas as pd
import pytest
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r_package]


@pytest.mark.slow(13)
def test_copies_and_their_combination(tmp_path):
    text = r_with_fcrm(
        f"""
        df <- survey(200); formula <- wage + rent ~ age + hours
        copies <- protect(df, gadp(), formula, identifiers = "name", seed = 1, copies = 3)
        stopifnot(inherits(copies, "fcrm_copies"), length(copies) == 3)
        amounts <- c("wage", "rent")
        stopifnot(identical(protect(df, gadp(), formula, identifiers = "name", seed = 1)[amounts], copies[[1]][amounts]))
        for (k in 1:3) write.csv(copies[[k]], file.path("{tmp_path}", paste0(k, ".csv")), row.names = FALSE)
        put <- function(x, name) write.csv(as.data.frame(x), file.path("{tmp_path}", name), row.names = FALSE)
        put(combine(copies, formula = wage ~ age + hours), "combined.csv")
        put(combine(lm(wage ~ age + hours, copies[[1]]), rule = "exact"), "exact.csv")
        put(evaluate(df, copies, c("wage", "rent"), measures = c("id", "pil")), "report.csv")
        write.csv(df, "{tmp_path}/in.csv", row.names = FALSE, na = "")
        of_files <- function(copies, name) protect_file("{tmp_path}/in.csv", file.path("{tmp_path}", name), gadp(), c("age", "hours"),
                                                        c("wage", "rent"), "name", seed = 1, copies = copies)
        paths <- of_files(3, "out.csv")
        stopifnot(identical(basename(paths), paste0("out-", 1:3, ".csv")), file.exists(paths), seed_of(paths) == 1)
        stopifnot(identical(basename(of_files(1, "one.csv")), "one.csv"))
        put(evaluate(read_table("{tmp_path}/in.csv"), paths, c("wage", "rent"), measures = c("id", "pil")), "files.csv")
        found <- audit(df, ipso("C"), formula, identifiers = "name", repeats = 1, weights = "weight", preserve = "size")
        put(found, "audit.csv")
        cat(tryCatch(combine(list(1, 2)), fcrm_invalid_parameter = conditionMessage), "\\n")
        """
    )
    frame = pf.datasets.survey(200)
    roles = pf.Roles(["age", "hours"], ["wage", "rent"], ["name"])
    released = pf.protect(frame, pf.GADP(), roles, seed=1, copies=3)
    for k, copy in enumerate(released.frames, 1):
        there = pd.read_csv(tmp_path / f"{k}.csv")
        np.testing.assert_allclose(there[["wage", "rent"]], copy[["wage", "rent"]], rtol=1e-12)
    formula = "wage ~ age + hours"
    expected = {
        "combined": pf.combine(released.frames, formula=formula),
        "exact": pf.combine([released.frame], "exact", formula=formula),
        "report": pf.evaluate(frame, released, ["wage", "rent"], ["id", "pil"]),
        "files": pf.evaluate(frame, released.frames, ["wage", "rent"], ["id", "pil"]),
        "audit": pf.audit(frame, pf.IPSO("C"), roles, repeats=1, weights="weight", preserve=["size"]),
    }
    for name, result in expected.items():
        found, local = pd.read_csv(tmp_path / f"{name}.csv"), result.to_frame()
        numbers = [column for column in local if local[column].dtype.kind == "f"]
        np.testing.assert_allclose(found[numbers].to_numpy(float), local[numbers].to_numpy(), rtol=1e-8)
    assert "`analyses` must be a list of fits" in text
