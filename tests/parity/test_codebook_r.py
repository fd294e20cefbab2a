"""codebook(released, format) in R: the text that Python gives for the same release. Grade: identical."""

import pandas as pd
import pytest
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r_package]


def test_formats_are_those_of_python(tmp_path):
    path = tmp_path / "in.csv"
    pf.datasets.survey(300).dropna().to_csv(path, index=False)
    frame = pd.read_csv(path)
    released = pf.protect(frame, pf.IPSO("C"), pf.Roles(["age", "hours"], ["wage", "tax"], ["name"]), seed=1)
    out = r_with_fcrm(
        """
        paths <- commandArgs(TRUE)
        df <- read.csv(paths[1])
        released <- suppressMessages(protect(df, ipso("C"), wage + tax ~ age + hours, identifiers = "name", seed = 1))
        for (format in c("ddi", "frictionless")) {
          writeLines(enc2utf8(codebook(released, format)), file.path(paths[2], format), useBytes = TRUE)
        }
        cat(class(tryCatch(codebook(released, "sdmx"), fcrm_error = identity))[1])
        """,
        path,
        tmp_path,
    )
    for name in ("ddi", "frictionless"):
        assert (tmp_path / name).read_text(encoding="utf-8") == pf.codebook(released, name) + "\n"
    assert out.strip() == "fcrm_invalid_parameter"
