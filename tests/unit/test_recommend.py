"""recommend(): the pick by hand from made-up figures, the search on a small file, the budget, and the words."""

import itertools

import numpy as np
import pandas as pd
import pytest
from support.data import frame as make_frame

from pyfcrm import FCRM, IPSO, Calibrated, Hybrid, Noise, RankSwapping, Roles, Sampling, evaluate, protect, recommend
from pyfcrm.errors import InvalidInput, InvalidParameter
from pyfcrm.evaluation.report import Report
from pyfcrm.measures.measure import Parts
from pyfcrm.search.candidates import Judged, nondominated
from pyfcrm.search.grid import between, default_grid, dial, turned
from pyfcrm.search.reasons import largest_change
from pyfcrm.search.recommend import Search

ROLES = Roles(["a", "b"], ["y", "whole"], "id")
FEW = [IPSO("C"), FCRM(2), FCRM(8), RankSwapping(20)]


def report(loss: float, risk: float) -> Report:
    made = {"pil": loss, "dbrl": risk, "prl": risk, "id": risk, "dr": risk, "score": (loss + risk) / 2}
    return Report({key: Parts(value) for key, value in made.items()}, ("y",), 10)


def search(figures, max_dr=10.0, seeds=2, seconds=1e9):
    """A search in which method k has figures[k][seed - 1] = (PIL, DR)."""

    def judge(method, seed):
        return report(*figures[str(method)][seed - 1]), ()

    return Search(judge, tuple(range(1, seeds + 1)), max_dr, seconds)


def test_the_pick_is_the_least_loss_within_the_limit_with_every_seed():
    """By hand: A loses least but breaks the limit with its second seed, B keeps it, C loses more."""
    A, B, C = IPSO("A"), IPSO("B"), IPSO("C")
    made = search({str(A): [(1, 9), (1, 11)], str(B): [(3, 9), (5, 10)], str(C): [(6, 1), (6, 1)]})
    made.grid([A, B, C])
    made.confirm()
    assert made.pick().method == B
    assert made.pick()["pil"] == 4
    assert made.pick().worst("dr") == 10
    assert made.pick().spread("pil") == pytest.approx(2**0.5)


def test_none_within_the_limit():
    A = IPSO("A")
    made = search({str(A): [(1, 11), (1, 12)]})
    made.grid([A])
    made.confirm()
    assert made.pick() is None


def test_the_frontier_by_hand():
    points = [(1, 9), (2, 5), (3, 6), (2, 5), (9, 1)]
    judged = [Judged(FCRM(k + 1), (report(*point),)) for k, point in enumerate(points)]
    assert nondominated(judged) == [True, True, False, True, True]


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
    assert dial(Calibrated(IPSO("C"))) is None


def test_refining_finds_what_lies_between_the_grids_settings():
    """By hand: DR = c, PIL = 20 - c, limit 10; the grid has 4 and 16, and halving arrives at 10."""
    figures = {f"FCRM(c={c})": [(20 - c, c)] for c in range(1, 41)}
    made = search(figures, seeds=1)
    made.grid([FCRM(4), FCRM(16)])
    made.refine()
    made.confirm()
    assert made.pick().method == FCRM(10)


@pytest.mark.slow
def test_by_strata_each_is_protected_and_judged_by_itself():
    """Oracle: protect() and evaluate() by strata. Identical."""
    frame = make_frame(120)
    frame["part"] = np.arange(len(frame)) % 2
    found = recommend(frame, ROLES, 60, seed=3, seeds=1, candidates=[IPSO("C")], audits=1, strata=["part"])
    released = protect(frame, IPSO("C"), ROLES, seed=found.seeds[0], strata="part")
    judged = evaluate(frame, released.frame, roles=ROLES, method=IPSO("C"), guesses=0, strata="part")
    pd.testing.assert_frame_equal(found.judged[0].reports[0].to_frame(), judged.to_frame())
    assert found.pick is not None


@pytest.mark.slow
def test_each_judged_method_is_protect_then_evaluate_from_the_seeds():
    """Oracle: protect() and evaluate(), one by one. Identical."""
    frame = make_frame(120)
    found = recommend(frame, ROLES, 60, seed=3, seeds=2, candidates=FEW, audits=0)
    assert [one.method for one in found.judged[:4]] == FEW
    assert len(found.seeds) == 2
    for one in found.judged[:4]:
        for start, made in zip(found.seeds, one.reports, strict=False):
            released = protect(frame, one.method, ROLES, seed=start)
            judged = evaluate(frame, released.frame, roles=ROLES, method=one.method, guesses=0)
            pd.testing.assert_frame_equal(made.to_frame(), judged.to_frame())
    pick = found.pick
    assert len(pick.reports) == 2
    assert pick.worst("dr") <= 60
    whole = [one for one in found.judged if len(one.reports) == 2 and one.worst("dr") <= 60]
    assert pick["pil"] == min(one["pil"] for one in whole)
    assert pick in found.frontier


@pytest.mark.slow
def test_one_seed_one_answer():
    frame = make_frame(80)
    one, two = (recommend(frame, ROLES, 50, seed=4, candidates=FEW, seconds=600) for _ in range(2))
    pd.testing.assert_frame_equal(one.to_frame(), two.to_frame())
    assert one.reasons[:-1] == two.reasons[:-1]  # the last says how long it took
    assert one.complete


@pytest.mark.slow
def test_what_singles_records_out_is_said_before_a_method_is_named():
    """Kept columns that few share: said first; where nobody is unique on them, or no intruder knows them, not at all. Identical."""
    frame = make_frame(120)
    kept = list(ROLES.independent)
    once = {"seed": 3, "candidates": [FCRM(2)], "seeds": 1, "audits": 0}
    rare = recommend(frame, ROLES, 99, **once)
    assert rare.kept.too_many
    assert rare.reasons[0].endswith("came: " + ", ".join(name for name in frame if name in rare.kept.columns) + ".")
    assert rare.reasons[1] == rare.kept.verdict()
    others = [name for name in frame if name not in (*ROLES.dependent, *ROLES.identifiers)]
    unknown = Roles(kept, ROLES.dependent, ROLES.identifiers, unknown=others)
    hidden = recommend(frame, unknown, 99, **once)
    assert " is recommended: of " in hidden.reasons[0]
    coarse = frame.assign(**{name: np.arange(120) % 2 + k for k, name in enumerate(kept)})[[*kept, *ROLES.dependent]]
    shared = recommend(coarse, Roles(kept[:1], ROLES.dependent), 99, **once)
    assert not any("unique on" in reason for reason in shared.reasons)


@pytest.mark.slow
def test_the_reasons_name_the_pick_its_figures_the_limit_and_the_search():
    found = recommend(make_frame(120), ROLES, 60, seed=3, candidates=FEW, audits=0)
    text = "\n".join(found.reasons)
    pick = found.pick
    chosen = f"{pick.method} is recommended: of {len(found.judged)} methods it loses the least information"
    assert found.reasons[:2] == found.kept.sentences()[:2]  # every record is unique on what leaves as it came
    assert found.reasons[2].startswith(chosen)
    for figure in (pick["pil"], pick["dr"], pick.spread("pil"), pick.worst("dr"), pick["dbrl"], pick["id"]):
        assert f"{figure:.2f}" in text
    assert "at most 60 per cent" in text
    assert "a model that has not seen the record" in text
    assert "The whole search was made" in text
    assert all(sentence.endswith(".") or sentence.endswith("tell either.") for sentence in found.reasons)


@pytest.mark.slow
def test_where_none_is_within_the_limit_the_least_is_said():
    found = recommend(make_frame(60), ROLES, 0, seed=3, candidates=[FCRM(2), FCRM(8)])
    assert found.pick is None
    assert found.least["dr"] == min(one["dr"] for one in found.judged)
    assert found.reasons[0].startswith("No method is recommended")
    assert f"{found.least['dr']:.2f}" in found.reasons[1]
    assert str(found.least.method) in found.reasons[1]
    assert not any(row["pick"] or row["within"] for row in found.rows())


@pytest.mark.slow(3)
@pytest.mark.parametrize("most", [2.0, 15.0])
def test_zeros_that_most_share_are_told_apart_from_what_a_release_adds(most):
    """Oracle: the release and its inference baseline, by evaluate. Four values of five are 0, so that a release that knows no
    record agrees with most of them: the limit on DR picks what blurs zeros, or nothing, and the reasons say what it passed over."""
    draw = np.random.default_rng(3)
    amounts = {name: np.where(draw.random(400) < 0.8, 0, draw.integers(20, 900, 400)) for name in ("y", "z")}
    frame = pd.DataFrame({"a": draw.integers(1, 9, 400), **amounts})
    roles, calm = Roles(["a"], ["y", "z"]), Calibrated(IPSO("C"))
    found = recommend(frame, roles, most, candidates=[calm, Noise("linear", 60)], seeds=1, audits=0, seed=2)
    released = protect(frame, calm, roles, seed=found.seeds[0]).frame
    report = evaluate(
        frame, released, roles.dependent, ["dbrl", "prl", "id", "dr"], independent=["a"], seed=found.seeds[0]
    )
    assert report["dr"] > most > report.leak("dr")
    assert (found.pick is None) == (most == 2.0)
    assert found.pick is None or found.pick["pil"] > 10
    said = next(reason for reason in found.reasons if "Were the limit of" in reason)
    assert f"Of any DR, {report.inference['dr']:.2f} is what" in said
    assert f"{calm} would lose least" in said
    assert f"{report.leak('dr'):+.2f} from it" in said


def test_the_budget_ends_the_search_and_one_method_is_whole():
    """A clock that moves 10 s at every look, 60 s in all. By hand: the start at 0; looks before the second, third and
    fourth candidates at 10, 20, 30, which is not above half; at 40 it is, with four judged and five left."""
    clock = itertools.count(0, 10)
    figures = {f"FCRM(c={c})": [(20 - c, c)] * 3 for c in range(1, 41)}
    made = search(figures, seeds=3, seconds=60)
    made.clock, made.started = (lambda: float(next(clock))), float(next(clock))
    made.grid([FCRM(c) for c in range(2, 20, 2)])
    assert [one.method.c for one in made.judged] == [2, 4, 6, 8]
    assert made.left == 5
    made.refine()
    made.confirm()
    assert not made.complete
    assert made.pick().method.c == max(one.method.c for one in made.judged)


def test_a_search_cut_short_says_so():
    found = recommend(make_frame(60), ROLES, 100, seed=1, seconds=0.001, audits=0)
    assert not found.complete
    assert len(found.judged) == 1
    assert len(found.pick.reports) == 3
    assert "before it was complete; " in found.reasons[-1]


def test_what_cannot_be_used_is_set_aside():
    found = recommend(make_frame(30), ROLES, 100, seed=1, candidates=[IPSO("C"), FCRM(31)], audits=0)
    assert list(found.set_aside) == ["FCRM(c=31)"]
    assert "at most the number of records, 30" in found.set_aside["FCRM(c=31)"]
    assert "1 could not be used" in found.reasons[-1]


@pytest.mark.slow
def test_no_independent_columns():
    found = recommend(
        make_frame(60), Roles(dependent=["y", "whole"]), 100, seed=1, candidates=[IPSO("C"), Noise()], audits=0
    )
    assert found.pick is not None
    assert "a model that has not seen the record" not in "\n".join(found.reasons)
    assert all(not isinstance(method, FCRM) for method in default_grid(0))


@pytest.mark.slow
def test_constraints_are_kept_in_what_is_judged():
    frame = make_frame(60)
    frame["y"] = frame["y"].abs()
    found = recommend(frame, ROLES, 100, "y >= 0", 1, candidates=[Noise("uncorrelated", 150)])
    released = protect(frame, found.pick.method, ROLES, found.seeds[0], constraints="y >= 0").frame
    assert (released["y"] >= 0).all()
    assert found.pick.reports[0]["pil"] == evaluate(frame, released, ROLES.dependent)["pil"]


def test_progress_is_told_and_may_stop_the_search():
    class Stop(Exception):
        pass

    told = []

    def progress(done, total, what):
        told.append((done, total, what))
        if len(told) == 3:
            raise Stop

    with pytest.raises(Stop):
        recommend(make_frame(60), ROLES, 100, seed=1, progress=progress)
    assert told[0][2] == str(default_grid(2)[0])


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"max_dr": 101}, "`max_dr` must be a finite number from 0 to 100"),
        ({"seconds": 0}, "`seconds` must be a finite number above 0"),
        ({"seeds": 0}, "`seeds` must be a whole number"),
        ({"audits": -1}, "`audits` must be a whole number"),
        ({"risk": "DR"}, "`risk` must be one of 'dr', 'dr_informed'"),
        ({"candidates": []}, "`candidates` must hold at least one method"),
        ({"candidates": [Sampling(0.5)]}, "`candidates` must hold at least one method"),
    ],
)
def test_bad_arguments(changed, said):
    with pytest.raises(InvalidParameter, match=said):
        recommend(make_frame(30), ROLES, **changed)


def test_an_unknown_column_is_an_error_and_not_a_method_set_aside():
    with pytest.raises(InvalidInput, match="nope"):
        recommend(make_frame(30), Roles(["nope"], ["y"]), candidates=FEW)


@pytest.mark.slow
def test_every_default_applies_to_a_small_file():
    """Every family of the grid gives a finite release of 60 records."""
    frame = make_frame(60)
    for columns in (ROLES, Roles(dependent=["y", "whole"])):
        for method in default_grid(len(columns.independent)):
            if "Sequential" in str(method):
                pytest.importorskip("sklearn")
            assert np.isfinite(protect(frame, method, columns, seed=1).frame["y"]).all(), method


def test_what_becomes_of_relations_with_the_columns_that_stay():
    """By hand: y keeps its correlation 1 with a, whole loses its own; a constant has correlation 0; gaps are left out."""
    before = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [5.0] * 4, "y": [2.0, 4, 6, 8], "whole": [1.0, 0, 0, 1]})
    after = before.assign(y=[3.0, 5, 7, 9], whole=[0.0, 0, 1, 1])
    roles = Roles(["a", "b"], ["y", "whole"])
    change = largest_change(before, after, roles)
    assert (change.independent, change.dependent) == ("a", "whole")
    assert change.before == pytest.approx(0, abs=1e-15)
    assert change.after == pytest.approx(2 / 5**0.5)
    gap = pd.DataFrame({"a": [np.nan], "b": [5.0], "y": [-1e9], "whole": [7.0]})
    assert largest_change(pd.concat([before, gap]), pd.concat([after, gap]), roles) == change
    assert largest_change(before, after, Roles([], ["y"])) is None
    assert largest_change(before.head(1), after.head(1), roles) is None


def test_the_reasons_say_what_pil_does_not_see():
    """A method that ignores X: its PIL over one column is 0, its correlation with X is gone. By hand from the release."""
    frame = make_frame(150)
    found = recommend(
        frame, Roles(["a", "b"], "y"), max_dr=100, seed=1, seeds=1, seconds=20, candidates=RankSwapping(100), audits=0
    )
    released = protect(frame, found.pick.method, Roles(["a", "b"], "y"), found.seeds[0]).frame
    before, after = (one[["a", "b"]].corrwith(one["y"]) for one in (frame, released))
    name = (after - before).abs().idxmax()
    assert f"that of y with {name} changes most, from {before[name]:.2f} to {after[name]:.2f}." in " ".join(
        found.reasons
    )


def test_a_file_that_no_method_can_be_used_on_does_not_outlast_the_time():
    """One reason for all of them, and the time gone: three are asked, not thirty. A method's own reason does not count."""
    asked = []
    clock = itertools.count(0, 10)

    def judge(method, seed):
        asked.append(method)
        raise InvalidInput("protect", "no values keep `A`")

    made = Search(judge, (1,), 10.0, 5.0, clock=lambda: next(clock))
    made.grid(default_grid(2))
    assert len(asked) == 3
    assert not made.judged
    assert "no values keep `A`" in str(made.failure)


def test_a_generator_of_32_bits_is_never_recommended():
    """Set aside with the reason, within another method too, and refused where there is nothing else; no grid has one."""
    weak = RankSwapping(20, form="sdcmicro")
    found = recommend(
        make_frame(), ROLES, max_dr=100, seed=1, seconds=5, seeds=1, candidates=[weak, IPSO("A")], audits=0
    )
    assert type(found.pick.method) is IPSO
    assert [name for name, why in found.set_aside.items() if "32 bits" in why] == [str(weak)]
    for only in (weak, Calibrated(weak)):
        with pytest.raises(InvalidParameter, match="32 bits"):
            recommend(make_frame(), ROLES, candidates=only)
    assert not [method for n in (0, 2) for method in default_grid(n) if method.weak_generator]


def test_without_a_seed_every_release_begins_from_a_whole_state():
    """Oracle: protect() and evaluate() from the state that is handed out, twice. Identical."""
    found = recommend(make_frame(), ROLES, max_dr=100, seconds=5, seeds=2, candidates=[Noise(amount=20)], audits=0)
    assert [type(seed).__name__ for seed in found.seeds] == ["RStream", "RStream"]
    first = found.judged[0]
    assert not any("seed" in note for note in first.notes)
    for _ in range(2):
        released = protect(make_frame(), first.method, ROLES, found.seeds[0]).frame
        assert evaluate(make_frame(), released, ROLES.dependent)["pil"] == first.reports[0]["pil"]
