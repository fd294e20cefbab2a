"""Designs that suggest_roles() proposes for files of R: those of its package survey, and none for others.

Oracle: the designs that the help of survey has for its files. Grade: identical, in Python and in R.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pandas as pd
import pytest
from support.r import RSCRIPT
from support.r_package import needs_r_packages, r_with_fcrm, requires_r_package

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r_package, needs_r_packages("survey")]
SCRIPT = Path(__file__).parent.parent / "support" / "r_datasets.R"
# weight, psu, sampling_stratum: svydesign() of the examples of data(api), data(nhanes), data(election). Units of one record need no
# psu. `stype` of apistrat has no name of a design; neither have `dnum` of apiclus1 and apiclus2.
DESIGNS = {
    "apisrs": ("pw", None, None),
    "apistrat": ("pw", None, "stype"),
    "apiclus1": ("pw", "dnum", None),
    "apiclus2": ("pw", "dnum", None),
    "apipop": (None, None, None),
    "nhanes": ("WTMEC2YR", "SDMVPSU", "SDMVSTRA"),
    "election": (None, None, None),
    "election_pps": ("wt", None, None),
}
WITHOUT_DESIGN = ("datasets", "MASS")


def files_of(folder: Path, *packages: str) -> dict[str, pd.DataFrame]:
    """The data sets of R packages, by name."""
    subprocess.run([RSCRIPT, SCRIPT, folder, *packages], check=True, capture_output=True)
    paths = [path for path in sorted(folder.glob("*.csv")) if not path.name.endswith(".types.csv")]
    return {path.stem.split("-", 1)[1]: pd.read_csv(path) for path in paths}


def test_designs_of_the_files_of_survey(tmp_path):
    files = files_of(tmp_path, "survey")
    assert {*DESIGNS} <= {*files}
    for name, expected in DESIGNS.items():
        roles = pf.suggest_roles(files[name])
        assert (name, (roles.weight, roles.psu, roles.sampling_stratum)) == (name, expected)
    assert [pf.suggest_roles(files["election_pps"]).role_of(name) for name in ("p", "votes")] == ["leave", "leave"]
    written = r_with_fcrm(
        """
        library(survey, quietly = TRUE, warn.conflicts = FALSE)
        data(api)
        for (file in list(apistrat, apiclus1)) {
          roles <- suggest_roles(file)
          design <- roles[roles$role %in% c("weight", "psu", "sampling_stratum"), ]
          cat(paste(design$column, design$role, collapse = " "), "\\n")
        }
        """
    ).splitlines()
    assert [line.strip() for line in written[-2:]] == ["stype sampling_stratum pw weight", "dnum psu pw weight"]


def test_files_without_a_design_have_none(tmp_path):
    files = files_of(tmp_path, *WITHOUT_DESIGN)
    assert len(files) > 100
    found = {name: pf.suggest_roles(frame) for name, frame in files.items()}
    assert {name for name, roles in found.items() if roles.has_sampling_design or roles.replicate_weights} == set()
