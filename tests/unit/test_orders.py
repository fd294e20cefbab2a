"""The order of every list that a user acts on: what is worst, clearest or nearest comes first. By hand. Identical.

The order of the records at risk is in test_changes_at_risk.py, that of notes in test_notes.py.
"""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.data.unmodified import SampleUniques
from pyfcrm.errors import Note
from pyfcrm.evaluation.auditing.attacks import COPIES, NEAREST
from pyfcrm.evaluation.auditing.audit_statistics import audit_of_splits
from pyfcrm.evaluation.auditing.dependence import Dependence
from pyfcrm.evaluation.auditing.own_record_statistics import OwnRecord
from pyfcrm.evaluation.auditing.split_results import SplitResult
from pyfcrm.evaluation.report import Report
from pyfcrm.evaluation.utility.changes import VariableChanges
from pyfcrm.evaluation.verdict.decision import Test, Verdict, worst
from pyfcrm.measures.measure import Parts
from pyfcrm.search.candidates import Candidate, Frontier
from pyfcrm.search.recommendation import Recommendation


def places(text, *words):
    """Where each word first stands in a text."""
    return [str(text).index(word) for word in words]


def in_this_order(text, *words):
    found = places(text, *words)
    return found == sorted(found)


def test_a_verdict_shows_its_worst_tests_first():
    """Failed, not examined, passed; each in the order of the limits; what is not applicable is the last line."""
    statuses = {
        "one": "pass",
        "two": "not examined",
        "three": "not applicable",
        "four": "hold",
        "five": "pass",
        "six": "hold",
    }
    verdict = Verdict(tuple(Test(key, status) for key, status in statuses.items()))
    assert [test.key for test in verdict.applicable] == ["four", "six", "two", "one", "five"]
    assert [line.split()[-1] for line in verdict.lines()[1:]] == ["four", "six", "two", "one", "five", "three"]
    assert [row["key"] for row in verdict.rows()] == [*statuses]


def test_of_several_verdicts_the_worst_outcome_of_each_test_counts():
    """A hold beats what was not examined, that a pass; of equal outcomes the largest quantity counts, whatever the copies' order."""

    def verdict(status, found):
        return Verdict((Test("a", status, found=(found,)), Test("b", "pass", found=(found, 1.0))))

    verdicts = [verdict("pass", 3.0), verdict("hold", 1.0), verdict("not examined", 9.0), verdict("hold", 2.0)]
    for turn in range(4):
        found = worst([*verdicts[turn:], *verdicts[:turn]])
        assert (found["a"].status, found["a"].found) == ("hold", (2.0,))
        assert found["b"].found == (9.0, 1.0)


def test_variables_are_in_the_order_requested():
    frame = pd.DataFrame({"z": [1.0, 2, 9], "a": [3.0, 5, 4], "m": [1.0, 7, 2]})
    changes = pf.variable_changes(frame, frame + 1, ["m", "z", "a"])
    assert [row["variable"] for row in changes.rows()] == ["m", "z", "a"]
    assert [row["variable"] for row in pf.variable_changes(frame, frame + 1).rows()] == ["z", "a", "m"]


def test_notes_of_a_result_begin_with_warnings():
    """As in a release's notes: every result sorts its own."""
    info, warning = Note.of("rounded", "info"), Note.of("risk", "warning")
    assert Report({}, (), 1, (info, warning)).notes == (warning, info)
    assert VariableChanges((), 1, (info, warning, "text")).notes == (warning, info, "text")


def candidate(method, loss, dr, status="pass"):
    risk = Test("risk", status, found=(dr / 2,), limit=(5.0,))
    return Candidate(method, (Report({"pil": Parts(loss), "dr": Parts(dr)}, ("y",), 10, (), Verdict((risk,))),), ())


def test_a_frontier_shows_pareto_optimal_candidates_first_by_risk():
    """Points of (loss, risk): (1, 9), (5, 5) and (9, 1) are optimal, (6, 6) and (9, 9) are not."""
    points = {2: (6, 6), 3: (1, 9), 4: (9, 9), 5: (9, 1), 6: (5, 5)}
    frontier = Frontier(tuple(candidate(pf.FCRM(c), *point) for c, point in points.items()), seed=1)
    assert in_this_order(frontier, "FCRM(c=5)", "FCRM(c=6)", "FCRM(c=3)", "FCRM(c=2)", "FCRM(c=4)")
    assert [row["parameters"] for row in frontier.rows()] == [f"c={c}" for c in points]


def test_a_recommendation_shows_the_chosen_first_then_by_loss():
    best, second, other, last = (candidate(pf.FCRM(c), loss, 3) for c, loss in ((5, 4), (4, 6), (3, 5), (2, 9)))
    found = Recommendation(
        best, second, (), (), (last, other, second, best), seeds=(1,), shortlist=(last, other, second, best)
    )
    assert in_this_order(found, "FCRM(c=5)", "FCRM(c=4)", "FCRM(c=3)", "FCRM(c=2)")
    assert [row["choice"] for row in found.rows()] == ["", "", "second", "best"]


def test_the_most_significant_dependence_is_shown_first():
    """By p-value, then by the larger statistic."""
    lines = (
        ("first", "ranks", 1.0, 0.5),
        ("second", "ranks", 2.0, 0.01),
        ("third", "values", 3.0, 0.01),
        ("fourth", "ranks", 9.0, 0.2),
    )
    found = Dependence(0.01, "third", "values", lines, 100)
    table = str(found).split("the most significant")[0]
    assert in_this_order(table, "third", "second", "fourth", "first")


def test_the_columns_and_pairs_with_most_sample_uniques_are_named_first():
    alone = {"a": 2, "b": 9, "c": 0, "d": 5}
    pairs = {("a", "b"): 3, ("a", "d"): 40, ("b", "d"): 11, ("a", "c"): 0}
    text = " ".join(SampleUniques(tuple(alone), 100, alone, pairs, 60).sentences())
    assert in_this_order(text, "b 9", "d 5", "a 2; none on any other")
    assert in_this_order(text, "a with d 40", "b with d 11", "a with b 3")


def test_an_alarm_names_the_most_significant_statistic_of_its_attack():
    """Two columns whose statistic no permutation reaches; that of b is farther out and names the alarm."""
    usual = np.tile([-1.0, 1.0], 100)
    a, b = (np.concatenate([[value], usual[1:]]) for value in (8.0, 20.0))
    member, scores = np.arange(60) < 30, dict.fromkeys((COPIES, NEAREST), np.zeros(60))
    hits = {"any": (np.where(member, 0.1, 0.0), np.zeros(60))}  # large enough for an alarm
    for attributes in ({("a", "ranks"): a, ("b", "ranks"): b}, {("b", "ranks"): b, ("a", "ranks"): a}):
        own_record = OwnRecord(attributes, {}, records=30)
        split = SplitResult(member, scores, hits, own_record, {"detection": (0.5, 0.5, 0.01)})
        [alarm] = audit_of_splits(pf.IPSO("C"), [split], pf.RStream(1)).alarms
        assert alarm.facts["what"] == "ranks of b"


def test_roles_are_proposed_in_the_order_of_the_file():
    frame = pf.datasets.survey(120)
    found = pf.suggest_roles(frame)
    assert found.to_frame()["column"].tolist() == list(frame.columns)


def test_predictors_are_proposed_in_the_order_of_the_file():
    """Known truth: both codes explain the amounts' variance, and each stays where it stands."""
    rng = np.random.default_rng(3)
    codes = dict(zip(("strong", "weak"), rng.integers(0, 4, (2, 1000)), strict=True))
    amounts = {
        f"v{k}": np.round(100 * codes["strong"] + 10 * codes["weak"] + rng.normal(0, 20, 1000), 2) for k in range(2)
    }
    for columns in (["weak", "strong"], ["strong", "weak"]):
        frame = pd.DataFrame({name: codes[name] for name in columns} | amounts)
        assert pf.suggest_roles(frame).independent == tuple(columns)


def test_structure_proposals_begin_with_identities_the_shortest_first():
    """Sums that all records keep, of fewer terms first; then pairs, then signs, then habits of reporting."""
    rng = np.random.default_rng(4)
    a, b, c, d = np.round(rng.gamma(2.0, 1000, (4, 300)), 2)
    frame = pd.DataFrame({"long": a + b + c + d, "a": a, "b": b, "c": c, "d": d, "short": a + b}).round(2)
    found = pf.find_structure(frame)
    kinds = [one.kind for one in found]
    assert kinds == sorted(
        kinds, key=("identity", "rounded", "zero_together", "at_most", "sign", "often", "round").index
    )
    first, second = (one for one in found if one.kind == "identity")
    assert (set(first.columns), set(second.columns)) == ({"short", "a", "b"}, {"long", "short", "c", "d"})


@pytest.mark.parametrize("keys", [["g"], ["g", "h"]])
def test_key_risk_is_in_the_order_of_the_file(keys):
    """By hand: the group sizes, record by record, under the labels of the frame."""
    frame = pd.DataFrame({"g": ["x", "y", "x", "z", "y", "x"], "h": [1, 1, 1, 1, 1, 1]}, index=[9, 3, 7, 1, 5, 2])
    found = pf.key_risk(frame, keys).to_frame()
    assert found.index.tolist() == [9, 3, 7, 1, 5, 2]
    assert found["fk"].tolist() == [3, 2, 3, 1, 2, 3]
