"""Key-side risk from R. Oracle: Python's own, of the same frame. Close: figures went through text."""

import numpy as np
import pandas as pd
import pytest
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r_package]


def test_the_same_values_from_r(tmp_path):
    text = r_with_fcrm(
        f"""
        found <- key_risk(survey(300), c("region", "age", "size"), weights = "weight", household = "stratum", form = "exact")
        write.csv(as.data.frame(found), file.path("{tmp_path}", "rows.csv"), row.names = FALSE)
        print(found)
        stopifnot(all.equal(attr(found, "global_risk"), mean(found$individual), tolerance = 1e-14))
        cat(tryCatch(key_risk(survey(9), "ages"), fcrm_invalid_input = conditionMessage), "\\n")
        cat(tryCatch(key_risk(survey(9), "age", form = "fine"), fcrm_invalid_parameter = conditionMessage), "\\n")
        """
    )
    options = {"weights": "weight", "household": "stratum", "form": "exact"}
    expected = pf.key_risk(pf.datasets.survey(300), ["region", "age", "size"], **options)
    found = pd.read_csv(tmp_path / "rows.csv")
    assert list(found.columns) == list(expected.to_frame().columns)
    np.testing.assert_allclose(found.to_numpy(), expected.to_frame().to_numpy(), rtol=1e-13)
    assert expected.describe()[0] in " ".join(text.split())
    assert "no column is called `ages`; did you mean `age`" in text
    assert "`form` must be one of" in text
