"""The cross-check called from R. Oracle: its own verdicts on files that agree, and a planted fault. Grade: identical."""

from __future__ import annotations

import pytest
from support.r_package import r_with_fcrm, requires_r_package

pytest.importorskip("rpy2")
pytestmark = [pytest.mark.r, pytest.mark.slow, requires_r_package]


def test_a_check_from_r_has_its_rows_and_no_failure_is_a_pass() -> None:
    text = r_with_fcrm(
        """
        found <- crosscheck(survey(80), wage + tax ~ age + hours)
        stopifnot(is.data.frame(found), nrow(found) > 100, sum(found$verdict == "ok") > 100, !"FAIL" %in% found$verdict)
        stopifnot(c("R", "pyfcrm") %in% names(attr(found, "versions")))
        stopifnot(attr(found, "status") == 3, !attr(found, "passed"), any(found$verdict == "skipped")) # 80 records are few for strata
        print(found)
        wrong <- function(...) cat(tryCatch({ crosscheck(...); "passed" }, fcrm_invalid_input = conditionMessage), "\\n")
        wrong(survey(200), wage + txa ~ age + hours)
        writeLines('quit(save = "no")', "quits.R")
        wrong(ipso_r = "quits.R")
        """
    )
    lines = text.splitlines()
    assert " agree, 0 undecided, " in lines[0]
    assert lines[0].endswith(" skipped, 0 disagree")
    assert any(line.startswith("crosscheck: no column is called `txa`") for line in lines)
    assert lines[-1].startswith("crosscheck: ")
    assert "passed" not in text
