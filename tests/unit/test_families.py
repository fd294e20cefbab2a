"""The study beyond the paper. Oracles: counted by hand, and protect() and evaluate() as a user calls them."""

import families
import family_files
from families import QUANTITIES, measure
from family_files import (
    IPSO_SMOOTH,
    SETTINGS,
)

import pyfcrm as pf


def test_a_row_is_protect_and_evaluate():
    """Identical: the measures of the report, and these less their inference baselines."""
    frame, case = pf.datasets.accounts(90), pf.Roles(("AGE", "RISK"), ("NET", "RETURN"))
    file = family_files.File("small", "small", "accounts", case)
    baseline = families._inference(file, frame)
    found = measure(case, IPSO_SMOOTH, frame, 4, baseline)
    released = pf.protect(frame, SETTINGS[IPSO_SMOOTH], pf.Roles(case.independent, case.dependent), seed=4).frame
    report = pf.evaluate(frame, released, case.dependent, independent=case.independent)
    assert set(found) == set(QUANTITIES)
    for key in ("pil", "dbrl", "prl", "id", "dr", "score"):
        assert found[key] == report[key]
    assert found["own_score"] == 0.5 * report["pil"] + 0.5 * max(report["dr"] - report.inference["dr"], 0)
    assert found["above_floor"] == report["score"] - report.floors["score"]
    for key in ("dbrl", "prl", "id", "dr"):
        assert found[f"{key}_leak"] == report[key] - report.inference[key]
