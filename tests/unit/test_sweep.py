"""sweep(): every candidate judged as evaluate() would, and the frontier worked out by hand."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from support.data import frame as make_frame

import pyfcrm as pf
from pyfcrm import FCRM, IPSO, Candidate, Frontier, Noise, Roles, RStream, evaluate, protect, sweep
from pyfcrm.errors import Cancelled, InvalidInput, InvalidParameter
from pyfcrm.evaluation.report import Report
from pyfcrm.measures import DEFAULT, INFORMED
from pyfcrm.measures.measure import Parts

ROLES = Roles(independent=["a", "b"], dependent=["y", "whole"], identifiers="id")
METHODS = [FCRM(2), IPSO("A"), IPSO("C", "thesis")]


def by_hand(*points):
    """A frontier of candidates with these (PIL, DR), told apart by c = 1, 2, ..."""

    def candidate(c, loss, risk):
        results = {"pil": Parts(loss), "dr": Parts(risk), "score": Parts((loss + risk) / 2)}
        return Candidate(FCRM(c), (Report(results, ("y",), 10),), ())

    return Frontier(tuple(candidate(k + 1, *point) for k, point in enumerate(points)), seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"strata": "part"}, {"missing": "protect"}, {"missing": "drop"}], ids=str)
def test_every_candidate_is_protect_then_evaluate_from_one_seed(options):
    """Oracle: protect() and evaluate() one by one with the frontier's seed. Identical. Two records may miss a value."""
    frame, methods = make_frame(), METHODS[:1] if options else METHODS
    frame["part"] = np.arange(len(frame)) % 2
    if "missing" in options:
        frame.loc[4, "a"] = frame.loc[9, "y"] = np.nan
        with pytest.raises(InvalidInput, match="values are missing"):
            sweep(frame, ROLES, METHODS, seed=3)
    frontier = sweep(frame, ROLES, methods, seed=3, **options)
    assert [candidate.method for candidate in frontier.candidates] == methods
    table = frontier.to_frame()
    assert list(table.columns) == [
        "method",
        "parameters",
        "utility",
        "utility_rms",
        *DEFAULT,
        *INFORMED,
        "attributable",
    ]
    assert list(table["parameters"]) == ["c=2", "kind=A", "kind=C, variant=thesis"][: len(methods)]
    assert frontier.seed == 3
    strata = {key: value for key, value in options.items() if key == "strata"}
    for candidate in frontier.candidates:
        released = protect(frame, candidate.method, ROLES, seed=3, allow_unprotected=True, **options)
        # Only the result of protect() knows which records were dropped.
        release = released if options.get("missing") == "drop" else released.frame
        report = evaluate(frame, release, roles=ROLES, method=candidate.method, guesses=0, **strata)
        pd.testing.assert_frame_equal(candidate.report.to_frame(), report.to_frame())
        assert {key: candidate[key] for key in (*DEFAULT, *INFORMED)} == {
            key: report[key] for key in (*DEFAULT, *INFORMED)
        }
        assert candidate.notes == tuple(released.notes)
    with pytest.raises(InvalidParameter, match="sweep: `strata` must not name a dependent column"):
        sweep(frame, ROLES, METHODS, strata="y")


@pytest.mark.slow
def test_libraries_index_and_rounding_do_not_change_the_map():
    frame = make_frame()
    expected = sweep(frame, ROLES, METHODS[:1], seed=3).to_frame()
    identified = frame.set_index("id")  # which ROLES drop
    for other in (pl.from_pandas(frame), frame.set_axis(range(5, 65)), identified):
        pd.testing.assert_frame_equal(sweep(other, ROLES, METHODS[:1], seed=3).to_frame(), expected)
    unrounded = sweep(frame, ROLES, METHODS[:1], seed=3, variables="numbers")
    released = protect(frame, METHODS[0], ROLES, seed=3, variables="numbers").frame
    assert unrounded.candidates[0]["pil"] == evaluate(frame, released, columns=ROLES.dependent)["pil"]


@pytest.mark.slow
def test_seeds():
    """None takes a whole state and keeps it; a stream goes on by one integer, R's sample.int, which is the seed where the
    stream began from one, else its whole state is. Each candidate starts there. Oracle: protect() and sweep(). Identical."""
    frame, stream, twin = make_frame(), RStream(8), RStream(8)
    one = sweep(frame, ROLES, IPSO("C"), seed=stream)
    assert one.seed == twin.sample_int(2**31 - 1, 1)[0]
    np.testing.assert_array_equal(stream.to_r_state(), twin.to_r_state())
    fresh = sweep(frame, ROLES, IPSO("C"))
    again = sweep(frame, ROLES, IPSO("C"), seed=fresh.seed)
    pd.testing.assert_frame_equal(fresh.to_frame(), again.to_frame())
    both = sweep(frame, ROLES, [Noise(amount=10), IPSO("C"), IPSO("C")])
    assert both.candidates[1].values == both.candidates[2].values
    assert not any("seed" in note for candidate in both.candidates for note in candidate.notes)
    for candidate in both.candidates:
        released = protect(frame, candidate.method, ROLES, seed=both.seed)
        assert evaluate(frame, released.frame, ROLES.dependent)["pil"] == candidate["pil"]
    assert fresh.candidates[0]["pil"] != one.candidates[0]["pil"]
    assert "RStream" not in repr(fresh)
    whole = RStream()
    start, twin = whole.to_r_state(), whole.copy()
    np.testing.assert_array_equal(sweep(frame, ROLES, IPSO("C"), seed=whole).seed.to_r_state(), start)
    twin.sample_int(2**31 - 1, 1)
    np.testing.assert_array_equal(whole.to_r_state(), twin.to_r_state())


@pytest.mark.slow
def test_progress_and_cancelling():
    """Each candidate has its half of the way, from protecting to the last measure; at no time does it go back."""
    steps = []

    def stop(done, most, what):
        if what == "IPSO(kind=C): measuring prl":
            raise Cancelled

    sweep(make_frame(), ROLES, (m for m in (FCRM(2), IPSO("C"))), seed=1, progress=lambda *step: steps.append(step))
    with pytest.raises(Cancelled):
        sweep(make_frame(), ROLES, IPSO("C"), seed=1, progress=stop)
    assert steps[-1] == (2, 2, "done")
    first = [done / most for done, most, what in steps if what.startswith("FCRM(c=2)")]
    second = [done / most for done, most, what in steps if what.startswith("IPSO(kind=C)")]
    assert [*first, *second] == sorted(done / most for done, most, _ in steps[:-1])
    assert (first[0], first[-1], second[0], second[-1]) == (0, 0.5, 0.5, 1)
    words = {what for _, _, what in steps}
    assert {"FCRM(c=2)", "FCRM(c=2): measuring prl", "IPSO(kind=C)", "IPSO(kind=C): measuring pil"} <= words


@pytest.mark.parametrize(
    ("points", "nondominated"),
    [
        ([(50, 5)], [True]),
        ([(50, 5), (30, 10), (10, 40)], [True, True, True]),
        ([(50, 5), (50, 6), (51, 5), (60, 60)], [True, False, False, False]),
        ([(50, 5), (50, 5)], [True, True]),
        ([(20, 15), (20, 12), (30, 12)], [False, True, False]),
    ],
)
def test_what_no_other_beats_in_both(points, nondominated):
    """By hand; twins do not dominate each other."""
    assert by_hand(*points).nondominated() == nondominated


def one_line(frontier):
    return " ".join(str(frontier).split())


def test_empty_measures_are_explained():
    """By meaning: categories alone have no measure of numbers, and a sample has no records that pair. Nothing said so."""
    frame = pf.datasets.survey(100)
    of_categories = pf.sweep(frame, pf.Roles(["age"], ["region"]), [pf.PRAM()], seed=1)
    assert "no confidential column holds numbers" in one_line(of_categories)
    roles = pf.Roles(["age"], ["rent"])
    of_sample = pf.sweep(frame, roles, [pf.Sampling(0.5), pf.IPSO("C")], seed=1, missing="drop")
    assert "records of Sampling(fraction=0.5) do not pair" in one_line(of_sample)
    assert "do not pair" not in one_line(pf.sweep(frame, roles, [pf.IPSO("C")], seed=1, missing="drop"))
