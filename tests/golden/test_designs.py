"""Standard errors of sampling designs against stored values of R's survey (make_designs.R). Close: 1e-8, see support.design_cases."""

from pathlib import Path

import pytest
from support.design_cases import cases, design_of, differences

STORED = cases(Path(__file__).parent / "values" / "designs.json")
ALL = [(case, estimate) for case in STORED for estimate in case["estimates"]]


def test_there_are_estimates_of_every_design_and_kind():
    assert sum(len(estimate["value"]) for _, estimate in ALL) > 200
    types = {case["roles"].get("replicate_type") for case in STORED}
    assert types == {None, "BRR", "Fay", "JK1", "JKn", "bootstrap", "SDR"}
    assert {estimate["kind"] for _, estimate in ALL} == {"total", "ratio", "means", "quantiles", "regression"}


@pytest.mark.parametrize("case", STORED, ids=lambda case: case["name"])
def test_degrees_of_freedom_are_those_of_survey(case):
    assert design_of(case)[1].freedom == case["degf"]


@pytest.mark.parametrize(
    ("case", "estimate"), ALL, ids=[f"{case['name']}-{k}-{estimate['kind']}" for k, (case, estimate) in enumerate(ALL)]
)
def test_estimates_and_standard_errors_are_those_of_survey(case, estimate):
    assert differences(case, estimate) == []
