"""recommend() by DR of who knows the method, and with the audit of what it proposes: alarms before the method's name."""

import numpy as np
import pytest
from pyfcrm.search.finalists import alarms_first, audit_words
from support.data import frame as make_frame

from pyfcrm import FCRM, IPSO, Microaggregation, RankSwapping, Roles, audit, datasets, recommend, sweep
from pyfcrm.errors import InvalidParameter, Note
from pyfcrm.evaluation.audit_result import Audit, Line
from pyfcrm.evaluation.report import Report
from pyfcrm.measures.measure import Parts
from pyfcrm.search.candidates import Frontier, Limit, nondominated
from pyfcrm.search.recommend import Search

ROLES = Roles(["a", "b"], ["y", "whole"], "id")


def report(loss: float, dr: float, informed: float) -> Report:
    return Report({"pil": Parts(loss), "dr": Parts(dr), "dr_informed": Parts(informed)}, ("y",), 10)


def made_audit(method, *attacks: str) -> Audit:
    lines = tuple(Line(key, 60.0, 50.0, 55.0, 65.0) for key in ("detection", "membership"))
    alarms = tuple(Note.of("alarm", "{attack}: too much", attack=one) for one in attacks)
    return Audit(lines, method, 100, 50, 1, alarms=alarms)


def searched(figures, risk: str = "dr", seconds: float = 1e9) -> Search:
    """figures : by method, (PIL, DR, informed DR)."""
    made = Search(lambda method, seed: (report(*figures[method]), ()), (1,), 10.0, seconds, risk=risk)
    made.grid(list(figures))
    made.confirm()
    return made


def test_the_limit_is_on_the_risk_that_was_asked_for():
    """By hand: A loses least and keeps DR 10, but not by who knows it; B does."""
    A, B = IPSO("A"), IPSO("B")
    figures = {A: (1, 9, 40), B: (2, 9.5, 9.9)}
    assert searched(figures).pick().method == A
    assert searched(figures, "dr_informed").pick().method == B
    judged = searched(figures).judged
    assert nondominated(judged) == [True, False]
    assert nondominated(judged, "dr_informed") == [True, True]
    assert Limit(9.9, "dr_informed").keeps(judged[1])


def test_audits_go_on_until_one_raises_no_alarm_on_membership():
    """By hand: the first two by PIL leak, the third only is detected; the pick stays, and the third is named."""
    methods = [FCRM(2), FCRM(3), IPSO("A"), IPSO("B")]
    attacks = dict(
        zip(methods, (["nearest record", "exact copies", "detection"], ["outliers"], ["detection"], []), strict=True)
    )
    made = searched({method: (k, 5, 6) for k, method in enumerate(methods)})
    made.audit(lambda method: made_audit(method, *attacks[method]))
    assert [one.audit is not None for one in made.finalists()] == [True, True, True, False]
    pick = made.pick()
    assert pick.method == FCRM(2)
    first, more, detected = alarms_first(pick)
    assert first.startswith("ALARM, FCRM(c=2) tells whose records it was made of: nearest record")
    assert more.startswith("So does another attack")
    assert detected.startswith("ALARM, detection")
    assert "raises none on membership is IPSO(kind=A), PIL 2.00" in audit_words(pick, made.finalists(), {})[-1]


def test_time_ends_the_audits_after_the_first():
    """By hand: with no time left only the pick is audited, and nothing is said of others."""
    made = searched({FCRM(2): (1, 5, 6), IPSO("A"): (2, 5, 6)})
    made.seconds = -1.0
    made.audit(lambda method: made_audit(method, "nearest record"))
    assert [one.audit is not None for one in made.judged] == [True, False]
    assert "all raise such an alarm" in audit_words(made.pick(), made.finalists(), {})[-1]


@pytest.fixture(scope="module")
def leaking():
    frame = datasets.census_like(n=200, seed=1)
    roles = Roles(["AFNLWGT", "AGI", "EMCONTRB"], ["FEDTAX", "PTOTVAL", "STATETAX"])
    return frame, roles, recommend(frame, roles, 100, seed=2, seeds=1, candidates=[FCRM(8)], seconds=0.01)


@pytest.mark.slow
def test_a_method_that_leaks_is_named_after_its_alarm(leaking):
    """Oracle: audit() of the pick from the first seed, one split. Identical; alarms come before the method's name."""
    frame, roles, found = leaking
    alone = audit(frame, found.pick.method, roles, found.seeds[0], repeats=1)
    assert found.pick.audit.rows() == alone.rows()
    assert found.pick.audit.alarms == alone.alarms
    named = next(k for k, reason in enumerate(found.reasons) if " is recommended: of " in reason)
    alarmed = [k for k, reason in enumerate(found.reasons) if reason.startswith("ALARM")]
    assert alarmed
    assert max(alarmed) < named
    row = next(row for row in found.rows() if row["pick"])
    assert row["membership"] == alone["membership"]
    assert row["alarms"] == len(alone.alarms)


def test_what_cannot_be_audited_says_why():
    """Twenty records a part are needed: 30 give 15. The method is still named, with the reason."""
    found = recommend(make_frame(30), ROLES, 100, seed=1, seeds=1, candidates=[IPSO("C")])
    assert found.pick.audit is None
    assert any(one.startswith("It could not be audited: audit: needs at least 20 records") for one in found.reasons)
    none = recommend(make_frame(30), ROLES, 100, seed=1, seeds=1, candidates=[IPSO("C")], audits=0)
    assert "It was not audited." in none.reasons
    assert np.isnan(none.rows()[0]["membership"])


@pytest.fixture(scope="module")
def frontier() -> Frontier:
    return sweep(make_frame(60), ROLES, [RankSwapping(30), IPSO("C"), Microaggregation(5)], seed=1)


@pytest.mark.slow
def test_a_frontier_by_who_knows_the_method(frontier):
    """Oracle: its own table. Identical."""
    pytest.importorskip("matplotlib")
    table = frontier.to_frame()
    most = table["dr_informed"].median()
    best = table[table["dr_informed"] <= most].sort_values(["pil", "dr_informed"]).iloc[0]
    assert frontier.best(most, "dr_informed")["pil"] == best["pil"]
    with pytest.raises(InvalidParameter, match="the least DR by who knows the method of these candidates"):
        frontier.best(0, risk="dr_informed")
    with pytest.raises(InvalidParameter, match="`risk` must be one of 'dr', 'dr_informed'"):
        frontier.best(5, risk="prl")
    axes = frontier.plot(risk="dr_informed").axes[0]
    assert "who knows the method" in axes.get_xlabel()
    drawn = {x for line in axes.lines if line.get_linestyle() == "None" for x in line.get_xdata()}
    assert drawn == set(table["dr_informed"])
