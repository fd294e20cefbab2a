"""The product of the roles: R, Python and the shell release the same public file.

Oracle: the other two languages. Grade: identical.
"""

from __future__ import annotations

import json

import pandas as pd
import pytest
from support.cli import pyfcrm_process
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r_package]

IN_R = """
df <- read.csv(commandArgs(TRUE)[1])
of <- function(...) suppressWarnings(suppressMessages(protect(df, sequential_trees(), ..., seed = 1)))
released <- of(suggest_roles(df, product = "public"))
write.csv(released, commandArgs(TRUE)[2], row.names = FALSE)
stopifnot(all.equal(of(dependent = names(df), product = "public"), released, check.attributes = FALSE))
refused <- tryCatch(of(dependent = "wage", product = "public"), error = conditionMessage)
stopifnot(grepl("product", refused), grepl("hours", refused), nrow(of("age", c("hours", "wage"))) == nrow(df))
searched <- function(f, ...) suppressWarnings(suppressMessages(f(df, ..., dependent = names(df), product = "public", seed = 1)))
found <- searched(audit, sequential_trees(), repeats = 1, shadows = 0)
cat(attr(found, "digest"), "")
swept <- searched(sweep_methods, list(sequential_trees()))
cat(as.data.frame(swept)$attributable, "")
refused <- tryCatch(audit(df, sequential_trees(), dependent = "wage", product = "public"), error = conditionMessage)
stopifnot(grepl("product", refused), grepl("hours", refused))
report <- suppressWarnings(evaluate(df, released, measures = "pil"))
cat(attr(report, "verdict")$headline)
"""


@pytest.mark.slow(15)
def test_a_public_file_in_three_interfaces(tmp_path):
    frame = pf.datasets.survey(200, seed=3)[["age", "hours", "wage"]]
    frame.to_csv(tmp_path / "in.csv", index=False)
    released = pf.protect(frame, pf.Sequential(), pf.suggest_roles(frame, product="public"), seed=1)
    written = r_with_fcrm(IN_R, tmp_path / "in.csv", tmp_path / "r.csv")
    proposed = pyfcrm_process("roles", "in.csv", "--product", "public", "--json", cwd=tmp_path).out
    assert json.loads(proposed)["product"] == "public"
    (tmp_path / "roles.json").write_text(proposed, encoding="utf-8")
    words = ["--method", "sequential", "--roles", "roles.json", "--seed", "1", "-o", "shell.csv"]
    assert pyfcrm_process("protect", "in.csv", *words, cwd=tmp_path).status == 0
    own = released.frame.reset_index(drop=True)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "r.csv"), own)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "shell.csv"), own)
    headline = pf.evaluate(frame, released, measures="pil").verdict.headline
    assert "Product: public." in headline
    assert written.strip().endswith(headline)
    roles = pf.Roles(dependent=list(frame.columns), product="public")
    audit = pf.audit(frame, pf.Sequential(), roles, seed=1, repeats=1, shadows=0)
    [candidate] = pf.sweep(frame, roles, [pf.Sequential()], seed=1).candidates
    digest, attributable = written.split()[:2]
    assert digest == audit.digest
    assert float(attributable) == pytest.approx(candidate["attributable"], abs=1e-4)
