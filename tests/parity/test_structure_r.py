"""find_structure() and the model release from R. Oracle: Python's own, of the same frame. Identical."""

from __future__ import annotations

import pandas as pd
import pytest
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r_package]


def test_the_same_from_r(tmp_path) -> None:
    said = r_with_fcrm(
        f"""
        df <- enterprises(300)
        print(find_structure(df))
        kept <- c("EMPLOYEES", "AGE", "ASSETS"); amounts <- c("PAYROLL", "EXPORTS", "INVESTMENT")
        made <- protect(df, fcrm(c = NULL, release = "model"), kept, amounts, seed = 1)
        write.csv(as.data.frame(made), file.path("{tmp_path}", "made.csv"), row.names = FALSE)
        cat(tryCatch(protect(df, fcrm(c = NULL), kept, amounts), error = conditionMessage), "\\n")
        """
    )
    frame = pf.datasets.enterprises(300)
    roles = pf.Roles(["EMPLOYEES", "AGE", "ASSETS"], ["PAYROLL", "EXPORTS", "INVESTMENT"])
    assert str(pf.find_structure(frame)) in said
    wanted = pf.protect(frame, pf.FCRM(None, release="model"), roles, seed=1).frame
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "made.csv"), wanted)
    assert "`c` must be given unless release" in said
