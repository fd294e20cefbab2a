"""Standard errors of sampling designs against live R: its survey package, on its files, nhanes among them. Close: 1e-8."""

import subprocess
from pathlib import Path

import pytest
from support.design_cases import cases, design_of, differences
from support.r import RSCRIPT, requires_r

pytestmark = [pytest.mark.r, requires_r]
SCRIPT = Path(__file__).parents[1] / "golden" / "make_designs.R"


def test_estimates_and_standard_errors_are_those_of_survey(tmp_path):
    if subprocess.run([RSCRIPT, "-e", "library(survey)"], capture_output=True).returncode:
        pytest.skip("r-cran-survey is not installed")
    path = tmp_path / "designs.json"
    subprocess.run([RSCRIPT, SCRIPT, path, "live"], check=True, capture_output=True)
    live = cases(path)
    assert live[-1]["name"] == "nhanes"
    assert [case["name"] for case in live if design_of(case)[1].freedom != case["degf"]] == []
    different = [(case["name"], found) for case in live for e in case["estimates"] if (found := differences(case, e))]
    assert different == []
