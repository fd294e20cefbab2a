"""What may be green: one function decides, and the page and both reports follow it.

Oracle: the rule. No verdict is green while DR is above the limit, more than 5 per cent of the records are unique on the
columns that leave as they came, this was not counted, or anything else speaks against the release. Grade: identical.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

import pyfcrm as pf
from pyfcrm.evaluation.verdict import verdict, weaknesses
from pyfcrm.measures.measure import Parts
from pyfcrm.report import report_page


def report(dr: float, together: int | None) -> pf.Report:
    kept = None if together is None else pf.Kept(("a",), 1000, {"a": together}, {}, together)
    return pf.Report({"dr": Parts(dr)}, ("b",), 1000, kept=kept)


@pytest.mark.parametrize(
    ("dr", "together", "limit", "against", "green"),
    [
        (10.0, 50, 15, (), True),
        (15.0, 0, 15, (), True),
        (15.1, 0, 15, (), False),
        (10.0, 51, 15, (), False),
        (0.0, 1000, 100, (), False),
        (10.0, None, 15, (), False),
        (10.0, 0, None, (), False),
        (float("nan"), 0, 15, (), False),
        (10.0, 0, 15, ("its generator has 32 bits",), False),
    ],
)
def test_green_or_not(
    dr: float, together: int | None, limit: float | None, against: tuple[str, ...], green: bool
) -> None:
    found = verdict(report(dr, together), limit, against)
    assert found.green is green
    assert bool(found.against) is not green
    assert set(against) <= set(found.against)


def test_without_dr_nothing_is_green() -> None:
    assert not verdict(replace(report(1, 0), results={}), 100).green


def test_a_methods_own_facts_speak_against_it() -> None:
    class Weak(pf.IPSO):
        weak_generator = True

    assert weaknesses(pf.IPSO()) == ()
    assert len(weaknesses(Weak())) == 1
    assert not verdict(report(1, 0), 15, weaknesses(Weak())).green


def test_the_survey_may_be_green_and_a_file_of_amounts_not() -> None:
    survey, amounts = pf.datasets.survey(), pf.datasets.census_like()
    good = pf.suggest_roles(survey)
    bad = pf.Roles(["AGI", "POTHVAL"], ["FEDTAX", "TAXINC"])
    for frame, roles, green in ((survey, good, True), (amounts, bad, False)):
        made = pf.protect(frame, pf.IPSO("C"), roles, seed=1)
        judged = pf.evaluate(frame, made.frame, roles=roles)
        assert judged["dr"] < 15
        assert verdict(judged, 15).green is green


@pytest.mark.slow
@pytest.mark.parametrize("form", ["internal", "external"])
def test_both_reports_begin_with_what_leaves_as_it_came(form: str) -> None:
    pytest.importorskip("matplotlib")
    frame = pf.datasets.survey(300)
    roles = pf.Roles(["age", "hours"], ["wage", "rent", "tax"], ["name"], unknown=["weight"])
    released = pf.protect(frame, pf.IPSO("C"), roles, seed=1).frame
    by_roles = pf.evaluate(frame, released, roles=roles)
    page = report_page(frame, released, by_roles, form)
    seen = report_page(frame, released, pf.evaluate(frame, released, roles.dependent), form, unknown=("weight",))
    first = page.split("<section>")[1]
    assert first == seen.split("<section>")[1]
    assert first.startswith("<h2>What leaves as it came</h2>")
    assert by_roles.kept is not None
    assert by_roles.kept.too_many
    assert f"{by_roles.kept.together:,} of 300 records are unique on them together" in first
    assert 'class="kept many"' in first
    assert "No intruder is taken to know weight" in first
