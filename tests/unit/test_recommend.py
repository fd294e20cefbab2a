"""recommend(): the choice by hand from given figures, and the search on small files."""

import numpy as np
import pandas as pd
import pytest
from support.data import frame as make_frame

from pyfcrm import (
    FCRM,
    IPSO,
    Calibrated,
    Candidate,
    Hybrid,
    Noise,
    RankSwapping,
    Roles,
    RStream,
    Sampling,
    evaluate,
    protect,
    recommend,
)  # fmt: skip
from pyfcrm.errors import InvalidInput, InvalidParameter
from pyfcrm.evaluation.attributable import Attributable
from pyfcrm.evaluation.limits import LIMITS
from pyfcrm.evaluation.report import Report
from pyfcrm.evaluation.verdict import Test, Verdict
from pyfcrm.measures.measure import Parts
from pyfcrm.search.grid import between, default_grid, dial, family, turned
from pyfcrm.search.recommend import Search

ROLES = Roles(["a", "b"], ["y", "whole"], "id")
KEYS = Roles(["a", "b"], ["u", "v", "w"])


def amounts(n: int = 300, sd: float = 0.4) -> pd.DataFrame:
    """Whole, skewed amounts u, v, w, and predictors a, b that many records share."""
    draw = np.random.default_rng(5)
    X = draw.integers(1, 5, size=(n, 2)).astype(float)
    Y = np.round(100 * np.exp(0.4 * X[:, [0]] + 0.2 * X[:, [1]] + sd * draw.normal(size=(n, 3))))
    return pd.DataFrame(np.hstack([X, Y]), columns=list("abuvw"))


def report(loss: float, risk: float, *held: str, audit: str = "not examined") -> Report:
    """A report with this PIL and attributable risk, whose verdict holds on the tests named."""
    values = {"pil": loss, "dr": risk}
    tests = [Test(key, "hold" if key in held else "pass", key, (9.0,), (5.0,), ("",)) for key in ("risk", "linkage")]
    compared = dict.fromkeys(("dbrl", "prl", "dr"), risk)
    attributable = Attributable(("y",), compared, dict.fromkeys(compared, 0.0), np.array([risk]), np.zeros(1), 10)
    verdict = Verdict((*tests, Test("audit", audit)))
    return Report({key: Parts(value) for key, value in values.items()}, ("y",), 10, (), verdict, attributable)


class Table:
    """A task whose figures are given: by method, the report of the search's seed and those of two fresh seeds.

    alarms : methods whose audit raises one; audits : of which methods an audit was made.
    """

    def __init__(self, figures, alarms=()):
        self.figures, self.alarms, self.audits = figures, alarms, []

    def candidate(self, method, starts, progress):
        reports = [self.figures[method][start - 1] for start in starts]
        return Candidate(method, reports[0], (), further=tuple(reports[1:]))

    def audited(self, candidate, start, progress):
        self.audits.append(candidate.method)
        status = "hold" if candidate.method in self.alarms else "pass"
        tests = (*candidate.verdict.tests[:2], Test("audit", status))
        reports = [Report(r.results, ("y",), 10, (), Verdict(tests), r.attributable) for r in candidate.reports]
        return Candidate(candidate.method, reports[0], (), further=tuple(reports[1:]))


def search(figures, alarms=()) -> Search:
    """After the grid of all methods in `figures`."""
    made = Search(Table(figures, alarms), 1, (2, 3))
    made.grid(list(figures), None)
    return made


A, B, C = IPSO("A"), IPSO("B"), IPSO("C")


def test_the_choice_is_the_least_loss_on_fresh_seeds():
    """By hand: A is lucky on the search's seed (1), and loses 8 on fresh ones; B loses 3. Figures are the fresh ones."""
    made = search({A: [report(1, 0), report(7, 0), report(9, 0)], B: [report(2, 0), report(2, 0), report(4, 0)]})
    best = made.choose(None)
    assert (best.method, best["pil"]) == (B, 3)
    assert best.spread("pil") == pytest.approx(2**0.5)
    assert [one["pil"] for one in made.candidates] == [8, 3]


def test_a_verdict_that_fails_on_one_fresh_seed_rejects_a_method():
    """By hand: A passes the search and one fresh seed only."""
    made = search({A: [report(1, 0), report(1, 0), report(1, 9, "risk")], B: [report(2, 0)] * 3})
    assert made.choose(None).method == B


def test_an_alarm_is_never_proposed_and_audits_go_on_by_loss():
    """By hand: A raises an alarm, B does not, C needs no audit any more."""
    made = search({A: [report(1, 0)] * 3, B: [report(2, 0)] * 3, C: [report(3, 0)] * 3}, alarms=[A])
    assert made.choose(None).method == B
    assert made.task.audits == [A, B]


def test_the_least_risk_within_the_loss():
    """By hand: the best has PIL 4 and risk 3; B has risk 1 at 7, within twice the loss; C has risk 0 at 9, beyond it."""
    made = search({A: [report(4, 3)] * 3, B: [report(7, 1)] * 3, C: [report(9, 0)] * 3})
    best = made.choose(None)
    assert best.method == A
    assert made.least_risk(best, None).method == B
    alike = search({A: [report(4, 2), report(4, 2), report(4, 4)], B: [report(7, 1.9)] * 3})
    assert alike.least_risk(alike.choose(None), None) is None  # 3 and 1.9: less than the spread, 1.4, apart


def test_the_two_nearest_where_none_qualifies():
    """By hand: B fails one test, C one and loses more, A two; an alarm counts as a test."""
    figures = {
        A: [report(1, 9, "risk", "linkage")] * 3, B: [report(2, 9, "risk")] * 3, C: [report(3, 0)] * 3,
    }  # fmt: skip
    made = search(figures, alarms=[C])
    assert made.choose(None) is None
    assert {one.method for one in made.nearest(None)} == {B, C}
    assert all(len(one.reports) == 2 for one in made.nearest(None))


def test_refining_finds_what_lies_between_the_grids_settings():
    """By hand: PIL = 20 - c and risk c, at most 9; the grid has 4 and 12, between which 8 lies."""
    rows = {FCRM(c): [report(20 - c, c, *(["risk"] if c > 9 else []))] * 3 for c in range(1, 41)}
    made = Search(Table(rows), 1, (2, 3))
    made.grid([FCRM(4), FCRM(12)], None)
    made.refine(None)
    assert made.choose(None).method in (FCRM(8), FCRM(9))


def test_settings_halfway_to_the_neighbours():
    known = [FCRM(2), FCRM(8), FCRM(20), FCRM(4, release="draw"), IPSO("C")]
    assert between(FCRM(8), known) == [FCRM(5), FCRM(14)]
    assert between(FCRM(20), known) == [FCRM(14), FCRM(30)]
    assert between(FCRM(4, release="draw"), known) == [FCRM(3, release="draw"), FCRM(6, release="draw")]
    assert between(FCRM(1), [FCRM(1), FCRM(2)]) == []
    assert between(Noise("linear", 30), [Noise("uncorrelated", 40), Noise("linear", 30)]) == [
        Noise("linear", 20), Noise("linear", 45)
    ]  # fmt: skip
    assert between(IPSO("C"), known) == []
    assert between(Hybrid("regression", 1.0), [Hybrid("regression", 1.0), Hybrid("regression", 0.5)]) == [
        Hybrid("regression", 0.75)
    ]


def test_a_calibrated_methods_dial_is_its_methods():
    method = Calibrated(FCRM(4))
    assert dial(method) == 4
    assert turned(method, 6.2) == Calibrated(FCRM(6))
    assert family(method) == family(Calibrated(FCRM(8))) != family(FCRM(4))
    assert dial(Calibrated(IPSO("C"))) is None


def test_the_default_grid_begins_with_methods_that_replace_every_value():
    for s in (0, 2):
        masks = [method.masks for method in default_grid(s)]
        assert masks == sorted(masks, key=["values", "perturb"].index)
        assert not [method for method in default_grid(s) if method.weak_generator]


@pytest.fixture(scope="module")
def swapped():
    """RankSwapping by hand of a file: no audit applies to it."""
    return recommend(amounts(), KEYS, seed=3, candidates=[RankSwapping(70), FCRM(4)])


@pytest.mark.slow(2)
def test_figures_come_from_seeds_that_the_search_did_not_use(swapped):
    """J6. Oracle: protect() and evaluate() from the seeds handed out; the search's seed is R's first draw. Identical."""
    drawn = [int(k) for k in RStream(3).sample_int(2**31 - 1, 6)]
    assert swapped.seeds == tuple(drawn[1:])
    for one in swapped.shortlist:
        reports = [evaluate(amounts(), protect(amounts(), one.method, KEYS, seed=seed)) for seed in swapped.seeds]
        assert [r["pil"] for r in one.reports] == [r["pil"] for r in reports]
        assert [r.attributable.of("dr_informed") for r in one.reports] == [
            r.attributable.of("dr_informed") for r in reports
        ]
        assert one["pil"] == pytest.approx(np.mean([r["pil"] for r in reports]), rel=1e-12)
    first = evaluate(amounts(), protect(amounts(), swapped.shortlist[0].method, KEYS, seed=drawn[0]))
    assert first["pil"] not in [r["pil"] for r in swapped.shortlist[0].reports]


@pytest.mark.slow(2)
def test_a_recommendation_shows_its_verdict_first(swapped):
    assert swapped.best is not None
    assert swapped.verdict.ok
    assert str(swapped).startswith(f"{swapped.verdict.headline} {swapped.best.method}")
    assert 3 <= len(swapped.reasons) <= 6
    assert f"{swapped.best['pil']:.2f}" in swapped.reasons[0]
    table = swapped.to_frame()
    assert table.set_index("choice").loc["best", "pil"] == swapped.best["pil"]
    assert set(table.loc[table["seeds"] == 0, "choice"]) == {""}
    again = recommend(amounts(), KEYS, seed=3, candidates=[RankSwapping(70), FCRM(4)])
    pd.testing.assert_frame_equal(table, again.to_frame())  # no clock: one seed, one answer
    assert swapped.plot().axes


@pytest.mark.slow(3)
def test_a_limit_on_absolute_risk_does_not_choose_what_links_more():
    """J7: of a skewed file a release without the records' own values has DR above 15, a hybrid below it."""
    frame, calm, hybrid = amounts(400, 2.0), Calibrated(IPSO("C")), Hybrid("regression", 0.8)
    found = recommend(frame, KEYS, seed=1, candidates=[calm, hybrid])
    by = {str(one.method): one for one in found.candidates}
    assert by[str(calm)]["dr"] > 15 > by[str(hybrid)]["dr"]
    assert found.best.method == calm
    assert not found.verdict["audit"].found[0]
    assert {"linkage"} <= {test.key for test in by[str(hybrid)].verdict.tests if test.status == "hold"}


@pytest.mark.slow(3)
def test_an_alarm_leaves_no_method_and_the_nearest_names_the_audit():
    """J16: original margins reuse members' values. Oracle: evaluate(audit=True) from the first fresh seed. Identical."""
    leaky = Calibrated(IPSO("C"), margins="original")
    found = recommend(amounts(), KEYS, seed=1, candidates=[leaky])
    assert found.best is found.second is None
    assert found.verdict.status == "hold"
    assert [test.key for test in found.nearest[0].verdict.tests if test.status == "hold"] == ["audit"]
    assert "No method qualifies" in str(found).splitlines()[0]
    assert any("fails: audit" in reason for reason in found.reasons)
    released = protect(amounts(), leaky, KEYS, seed=found.seeds[0])
    judged = evaluate(amounts(), released, audit=True)
    assert found.nearest[0].report.verdict["audit"] == judged.verdict["audit"]


def test_what_no_method_changes_is_said():
    """Every record of this file is unique on its predictors: no method qualifies, and the reasons give the remedy."""
    found = recommend(make_frame(120), ROLES, seed=1, candidates=[RankSwapping(90)])
    assert found.best is None
    assert "sample_uniques" in {test.key for test in found.nearest[0].verdict.tests if test.status == "hold"}
    assert any("name in `unknown`" in reason for reason in found.reasons)


def test_limits_are_those_of_the_verdict_and_max_dr_is_one_of_them():
    """A limit of 0 on PIL or on DR leaves nothing; the nearest fails it, and the first line says that it was changed."""
    for given in ({"limits": {"pil": 0}}, {"max_dr": 0}):
        found = recommend(amounts(150), KEYS, seed=1, candidates=[RankSwapping(90)], **given)
        key = "pil" if "limits" in given else "dr"
        assert found.best is None
        assert found.verdict[key].status == "hold"
        assert f"Limits changed: {key} 0." in found.verdict.headline
    assert LIMITS["risk"].values == (5,)


@pytest.mark.slow
def test_by_strata_each_is_protected_and_judged_by_itself():
    """Oracle: protect() and evaluate() by strata. Identical."""
    frame = amounts().assign(part=np.arange(300) % 2)
    found = recommend(frame, KEYS, seed=3, candidates=[RankSwapping(90)], strata=["part"], constraints="u >= 0")
    for one in found.shortlist:
        released = protect(frame, one.method, KEYS, found.seeds[0], strata="part", constraints="u >= 0")
        judged = evaluate(frame, released, strata="part")
        pd.testing.assert_frame_equal(one.report.to_frame(), judged.to_frame())


def test_what_cannot_be_used_is_set_aside():
    found = recommend(make_frame(30), ROLES, seed=1, candidates=[RankSwapping(80), FCRM(31)])
    assert list(found.set_aside) == ["FCRM(c=31)"]
    assert "at most the number of records, 30" in found.set_aside["FCRM(c=31)"]
    assert "1 could not be used" in found.reasons[-1]


def test_a_generator_of_32_bits_is_never_recommended():
    weak = RankSwapping(80, form="sdcmicro")
    found = recommend(amounts(150), KEYS, seed=1, candidates=weak)
    assert found.best is None
    assert found.verdict["seed"].status == "hold"


def test_without_a_seed_every_release_begins_from_a_whole_state():
    """Oracle: protect() and evaluate() from the state that is handed out, twice. Identical."""
    found = recommend(amounts(150), KEYS, candidates=[Noise(amount=200)])
    assert {type(seed) for seed in found.seeds} == {RStream}
    first = found.shortlist[0]
    assert first.verdict["seed"].status == "pass"
    for _ in range(2):
        released = protect(amounts(150), first.method, KEYS, found.seeds[0])
        assert evaluate(amounts(150), released)["pil"] == first.report["pil"]


def test_progress_is_told_and_may_stop_the_search():
    class Stop(Exception):
        pass

    steps = []

    def progress(done, total, what):
        steps.append((done, total, what))
        if len(steps) == 3:
            raise Stop

    with pytest.raises(Stop):
        recommend(make_frame(60), ROLES, seed=1, progress=progress)
    assert steps[0][2].startswith(str(default_grid(2)[0]))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"max_dr": 101}, "`max_dr` must be a finite number from 0 to 100"),
        ({"limits": {"drr": 5}}, "no limit is called"),
        ({"candidates": []}, "`candidates` must hold at least one method"),
        ({"candidates": [Sampling(0.5)]}, "`candidates` must hold at least one method"),
    ],
)
def test_bad_arguments(changed, said):
    with pytest.raises(InvalidParameter, match=said):
        recommend(make_frame(30), ROLES, **changed)


def test_an_unknown_column_is_an_error_and_not_a_method_set_aside():
    with pytest.raises(InvalidInput, match="nope"):
        recommend(make_frame(30), Roles(["nope"], ["y"]), candidates=[IPSO("C"), FCRM(2)])


@pytest.mark.slow
def test_every_default_applies_to_a_small_file():
    """Every family of the grid gives a finite release of 60 records."""
    frame = make_frame(60)
    for columns in (ROLES, Roles(dependent=["y", "whole"])):
        for method in default_grid(len(columns.independent)):
            released = protect(frame, method, columns, seed=1, allow_unprotected=True).frame
            assert np.isfinite(released["y"]).all(), method
