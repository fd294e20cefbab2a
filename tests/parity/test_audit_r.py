"""An audit from R. Oracle: Python's own, of the same frame and seed. Close: figures went through text."""

import numpy as np
import pandas as pd
import pytest
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r_package]


def test_the_same_values_from_r(tmp_path):
    text = r_with_fcrm(
        f"""
        kept <- c("age", "hours", "size"); amounts <- c("wage", "rent", "tax")
        found <- audit(survey(150), fcrm(c = 12), kept, amounts, repeats = 1, identifiers = "name")
        cat(attr(found, "digest"), file = file.path("{tmp_path}", "digest"))
        write.csv(as.data.frame(found), file.path("{tmp_path}", "rows.csv"), row.names = FALSE)
        print(found)
        stopifnot(found$membership > found$membership_control, length(attr(found, "alarms")) > 0, length(notes(found)) == 0)
        cat(tryCatch(audit(survey(150), fcrm(c = 12), kept, amounts, share = 2), fcrm_invalid_parameter = conditionMessage), "\\n")
        """
    )
    roles = pf.Roles(["age", "hours", "size"], ["wage", "rent", "tax"], ["name"])
    expected = pf.audit(pf.datasets.survey(150), pf.FCRM(12), roles, repeats=1)
    found = pd.read_csv(tmp_path / "rows.csv")
    assert (tmp_path / "digest").read_text() == expected.digest
    assert list(found["attack"]) == list(expected.to_frame()["attack"])
    np.testing.assert_allclose(
        found.iloc[:, 1:].to_numpy(), expected.to_frame().iloc[:, 1:].to_numpy(), rtol=1e-12, atol=1e-12
    )
    result = " ".join(text.split())  # wrapped at the width of R's lines
    assert all(f"ALARM {one}" in result for one in expected.alarms)
    assert expected.title.replace("FCRM(c=12)", "fcrm(c = 12)") in result
    assert "`share` must be" in text


def test_structure_that_is_kept_from_r(tmp_path):
    text = r_with_fcrm(
        """
        df <- survey(200); df$total <- df$wage + df$rent
        kept <- c("age", "hours"); amounts <- c("wage", "rent", "total")
        found <- find_structure(df, kept, amounts)
        for (accepted in list("find", found[found$kind == "identity", ]))
          cat(audit(df, ipso("C"), kept, amounts, repeats = 1, shadows = 2, structure = accepted)$membership, "")
        """
    )
    frame = pf.datasets.survey(200).assign(total=lambda f: f["wage"] + f["rent"])
    roles = pf.Roles(["age", "hours"], ["wage", "rent", "total"])
    for word, structure in zip(
        text.split(), ("find", pf.find_structure(frame, roles).of_kind("identity")), strict=True
    ):
        expected = pf.audit(frame, pf.IPSO("C"), roles, repeats=1, shadows=2, structure=structure)
        assert float(word) == pytest.approx(expected["membership"], rel=1e-6)  # as R prints
