"""Files of SPSS and Stata with codes of missing values, durations and times of day: R, with package haven, releases what Python does.

Oracle: pf.protect_file of the same file, and pf.describe. Grade: identical.
"""

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from support.r_package import needs_r_packages, r_with_fcrm

import pyfcrm as pf

pytestmark = [pytest.mark.r, pytest.mark.slow, needs_r_packages("reticulate", "haven", "hms")]
ROLES = pf.Roles(["age"], ["wage", "rent", "group"])
SCRIPT = """
source <- commandArgs(TRUE)[1]
df <- (if (grepl("sav$", source)) haven::read_sav(source, user_na = TRUE) else haven::read_dta(source))
write.csv(describe(df)[c("column", "label", "kind", "values", "missing_codes")], sub("[.][a-z]+$", ".csv", source), row.names = FALSE)
released <- suppressMessages(protect(df, ipso("C"), "age", c("wage", "rent", "group"), seed = 1, shuffle = FALSE))
target <- sub("[.]", "-r.", source)
if (grepl("sav$", source)) haven::write_sav(released, target) else haven::write_dta(released, target)
"""


def people(n=300):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"age": rng.integers(20, 70, n).astype(float)})
    frame["wage"] = np.round(500 + 30 * frame["age"] + rng.normal(0, 300, n))
    frame["rent"] = np.round(200 + 0.3 * frame["wage"] + rng.normal(0, 40, n))
    frame["group"] = rng.integers(1, 4, n).astype(float)
    return frame


def read_as_r(path, **options):
    """The file's cells; codes of missing values as such."""
    reader = pyreadstat.read_sav if path.suffix == ".sav" else pyreadstat.read_dta
    return reader(path, user_missing=True, **options)[0]


def test_spss(tmp_path):
    frame = people()
    frame.loc[::11, "wage"] = 99999
    frame.loc[::13, "rent"] = -8
    frame.loc[5::13, "rent"] = -9
    path = tmp_path / "in.sav"
    ranges = {"wage": [{"lo": 99990, "hi": 99999}], "rent": [{"lo": -8, "hi": -8}, {"lo": -9, "hi": -9}]}
    labels = {"group": {1: "low", 2: "middle", 3: "high"}, "rent": {-9: "refused"}}
    pyreadstat.write_sav(
        frame, str(path), missing_ranges=ranges, variable_value_labels=labels, column_labels={"wage": "Wage a month"}
    )
    r_with_fcrm(SCRIPT, path)
    pf.protect_file(path, tmp_path / "python.sav", pf.IPSO("C"), ROLES, 1, shuffle=False)
    python, r = (read_as_r(tmp_path / name) for name in ("python.sav", "in-r.sav"))
    pd.testing.assert_frame_equal(python, r, check_dtype=False)
    assert ((python["wage"] == 99999) == (frame["wage"] == 99999)).all()
    assert (python["rent"][frame["rent"] < 0] == frame["rent"][frame["rent"] < 0]).all()
    described = pd.read_csv(tmp_path / "in.csv", keep_default_na=False)
    expected = pf.describe(path).to_frame()
    for name in described.columns:
        assert described[name].astype(str).tolist() == expected[name].astype(str).tolist(), name


def test_stata(tmp_path):
    frame = people().astype(object)
    frame.loc[::11, "wage"] = "a"
    frame.loc[5::11, "wage"] = "b"
    path = tmp_path / "in.dta"
    pyreadstat.write_dta(frame, str(path), missing_user_values={"wage": ["a", "b"]})
    r_with_fcrm(SCRIPT, path)
    pf.protect_file(path, tmp_path / "python.dta", pf.IPSO("C"), ROLES, 1, shuffle=False)
    python, r = (read_as_r(tmp_path / name) for name in ("python.dta", "in-r.dta"))
    pd.testing.assert_frame_equal(python, r, check_dtype=False)
    assert (python["wage"].map(str)[::11] == "a").all()
    described = pd.read_csv(tmp_path / "in.csv", keep_default_na=False)
    expected = pf.describe(path).to_frame()
    for name in described.columns:
        assert described[name].astype(str).tolist() == expected[name].astype(str).tolist(), name
