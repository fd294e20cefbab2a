"""What is said of each confidential variable. Oracle: the panel's own table, by hand."""

import re

import pytest

import pyfcrm as pf
from pyfcrm.evaluation.utility.panel.measured_variables import deviation_text


@pytest.fixture(scope="module")
def utility():
    frame = pf.datasets.survey(n=600).dropna()
    roles = pf.Roles(["region", "age", "hours"], ["wage", "tax"])
    return pf.evaluate(frame, pf.protect(frame, pf.IPSO("C"), roles, seed=1), measures=["pil"]).utility


def test_each_variable_has_its_estimates_and_its_largest_deviations(utility):
    """The medians of wage by hours, from the table of estimates. Identical, rounded up to a tenth."""
    table = utility.to_frame()
    assert [variable.variable for variable in utility.variables] == ["wage", "tax"]
    wage = utility.variables[0]
    medians = table[(table["estimate"] == "median wage") & table["group"].str.startswith("hours")]
    line = next(line for line in wage.lines if line.startswith("medians by") and "hours" in line)
    figure = float(line.rsplit(" ", 1)[1])
    assert figure >= medians["z"].abs().max() > figure - 0.1000001 or "within" in line
    own = [
        estimate for estimate in utility.estimates if "wage" in estimate.variables and estimate.family != "relations"
    ]
    assert wage.estimates == len(own)
    assert wage.above == pytest.approx(100 * sum(abs(e.z) > 3 for e in own) / len(own))


def test_no_line_says_less_than_the_largest_deviation(utility):
    """Oracle: the maximum over the kind of estimates and the columns that a line names. Every estimate is in a line."""
    for variable in utility.variables:
        own = [e for e in utility.estimates if variable.variable in e.variables and e.family != "relations"]
        found = 0
        for line in variable.lines:
            place, figure = re.fullmatch(r"(.*): (?:within|up to) (.*)", line).groups()
            kind, _, columns = place.partition(" by ")
            names = [name for name in re.split(", | and ", columns) if name]
            inside = [e for e in own if e.kind == kind and (e.by in names if names else not e.by)]
            assert max(abs(e.z) for e in inside) <= float(figure.replace(",", "")) + 1e-9
            found += len(inside)
        assert found == len(own)
        assert variable.sentence.count("standard errors") == 1


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0.1"), (0.1, "0.1"), (0.11, "0.2"), (3.04, "3.1"), (1234.2, "1,235")]
)
def test_deviations_are_rounded_up(value, text):
    assert deviation_text(value) == text
