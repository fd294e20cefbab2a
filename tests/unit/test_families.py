"""The study beyond the paper. Oracles: counted by hand, and protect() and evaluate() as a user calls them."""

import families
import family_files
import goals
from families import ATTACKED, QUANTITIES, Measured, Row, measure
from family_files import (
    AUDITED,
    IPSO_C,
    IPSO_SMOOTH,
    SETTINGS,
    Broken,
)
from goals import GOALS, HOLDS, MISSED, NOT_REACHED, Goal, verdicts

import pyfcrm as pf
from pyfcrm.studies import Case


def test_a_row_is_protect_and_evaluate():
    """Identical: the measures of the report, and these less their inference baselines."""
    frame, case = pf.datasets.accounts(90), Case(("AGE", "RISK"), ("NET", "RETURN"))
    file = family_files.File("small", "small", "accounts", case)
    baseline = families._inference(file, frame, (4,))[4]
    found = measure(case, IPSO_SMOOTH, frame, 4, baseline)
    released = pf.protect(frame, SETTINGS[IPSO_SMOOTH], pf.Roles(case.independent, case.dependent), seed=4).frame
    report = pf.evaluate(frame, released, case.dependent, independent=case.independent)
    assert set(found) == set(QUANTITIES)
    for key in ("pil", "dbrl", "prl", "id", "dr", "score"):
        assert found[key] == report[key]
    assert found["own_score"] == 0.5 * report["pil"] + 0.5 * max(report["dr"] - report.inference["dr"], 0)
    for key in ("dbrl", "prl", "id", "dr"):
        assert found[f"{key}_leak"] == report[key] - report.inference[key]


def made(**changed):
    """A study of S1 and accounts in which everything is 0.05, detection and membership 50, IPSO-C's SCORE 9, and what is
    changed."""
    rows = []
    for file in ("S1", "accounts"):
        for setting in SETTINGS:
            mean = dict.fromkeys(QUANTITIES, 0.05) | {"extremes": 0.0}
            mean |= dict.fromkeys(ATTACKED, 50.0) if setting in AUDITED else {}
            mean["score"] = 9.0 if setting == IPSO_C else 0.05
            mean |= {name: value for name, value in changed.items() if setting != IPSO_C or "everywhere" in changed}
            rows.append(Row(file, setting, mean, dict.fromkeys(QUANTITIES, 0.0)))
    broken = (Broken("S1", IPSO_C, 0, 7, 0, 10), Broken("S1", "Dummy", 0, 9, int(changed.get("broken", 0)), 10))
    return Measured(tuple(rows), broken, {}, (1,))


def test_goals_by_hand():
    found = verdicts(made())
    asked = sum(file in goal.limits for goal in GOALS for file in ("S1", "accounts"))
    assert len(found) == asked + 2 + 1
    assert {one.verdict for one in found} == {HOLDS}


def test_a_goal_missed_and_one_not_reached_for_a_known_reason(monkeypatch):
    """PIL 2 is above S1's 1, for which nobody has a reason, and above accounts' 1, for which there is one, up to 3."""
    goal = Goal("PIL", "pil", (IPSO_SMOOTH,), {"S1": 1.0, "accounts": 1.0}, unreached={"accounts": ("sums", 3.0)})
    monkeypatch.setattr(goals, "GOALS", (goal,))
    first, second, *_ = verdicts(made(pil=2.0))
    assert (first.file, first.value, first.verdict, first.why) == ("S1", 2.0, MISSED, "")
    assert (second.file, second.limit, second.verdict, second.why) == ("accounts", 1.0, NOT_REACHED, "sums")
    assert verdicts(made(pil=4.0))[1].verdict == MISSED
