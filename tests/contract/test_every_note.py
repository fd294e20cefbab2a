"""What is reported of a release, a judgement or a file: the kind of the note, the columns it names and what it counts.

Oracle: the files themselves, counted by pandas, or by hand. Identical. The full wording is not examined: only what a program or a
reader acts on. Notes on alarms, guarantees, the ledger, missing values and calibration have tests of their own.
"""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.data import open_data

N = 60
HALF = np.arange(N) < N // 2


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    columns = {"a": rng.normal(size=N), "b": rng.normal(size=N)}
    return pd.DataFrame(
        columns | {name: np.round(rng.gamma(2.0, size, N), 1) for name, size in (("y", 100), ("z", 50))}
    )


ROLES = pf.Roles(["a", "b"], ["y", "z"])
IPSO = pf.IPSO("C")


def facts(notes):
    """(kind, columns, count, total) of each note."""
    return [(note.kind, tuple(note.columns), note.count, note.total) for note in notes]


def of_release(frame, method=IPSO, roles=ROLES, **options):
    kept = {"shuffle": False} | options  # the files of these tests have periods, which a release in random order hides
    released = pf.protect(frame, method, roles, 1, allow_unprotected=True, **kept)
    return released.frame, facts(released.all_notes)


def test_values_that_a_method_leaves(frame):
    """Zeros under multiplied noise; records whose values are swapped with equal ones; and each confidential value kept."""
    zeros = frame.assign(y=frame["y"].where(np.arange(N) >= 5, 0.0))
    _, notes = of_release(zeros, pf.Noise("multiplicative", 10))
    assert ("left_as_is", (), 5, None) in notes
    tied = frame.assign(**{name: frame[name].where(np.arange(N) >= 54, 0.0) for name in "yz"})
    released, notes = of_release(tied, pf.RankSwapping(5))
    same = int((released[["y", "z"]] == tied[["y", "z"]]).all(axis=1).sum())
    assert same >= 54
    assert [note for note in notes if note[0] in ("left_as_is", "unprotected")] == [
        ("left_as_is", (), same, N), ("unprotected", ("y", "z"), same, N)
    ]  # fmt: skip


@pytest.mark.parametrize("method", [IPSO, pf.Noise("uncorrelated", 10)], ids=str)
def test_a_column_of_one_value_within_a_stratum(frame, method):
    """Half the file has one value in y, which is released unchanged there: the note names the column and counts strata."""
    part = frame.assign(s=np.where(HALF, "p", "q"), y=np.where(HALF, 7.0, frame["y"]))
    released = pf.protect(part, method, ROLES, 1, strata="s", shuffle=False)
    assert (released.frame["y"][HALF] == 7).all()
    [note] = [note for note in released.all_notes if note.kind == "constant"]
    assert (note.columns, note.facts["strata_with"], note.facts["strata"]) == (("y",), 1, 2)
    assert ("by_strata", ("s",), 2, None) in facts(released.all_notes)
    assert ("left_as_is", ("s",), None, None) in facts(released.all_notes)


def test_a_column_of_one_value_within_a_period(frame):
    """Two periods of 60 units: z has one value in the first."""
    periods = [frame.assign(u=np.arange(N), t=0, z=4.0), frame.assign(u=np.arange(N), t=1)]
    released, notes = of_release(
        pd.concat(periods, ignore_index=True), roles=pf.Roles(["a"], ["y", "z"], unit="u", time="t")
    )
    assert (released["z"][:N] == 4).all()
    assert ("constant", ("z in 0",), 1, None) in notes
    assert ("by_strata", ("u",), N, None) in notes
    assert ("recoded", ("u",), None, None) in notes


def test_cells_that_are_recoded_or_left_empty(frame):
    """Counted in the release: classes, coded values, categories that changed, empty cells."""
    _, notes = of_release(frame, pf.Recoding(3))
    assert notes == [("recoded", ("y",), 3, None), ("recoded", ("z",), 3, None)]
    _, notes = of_release(frame, pf.TopBottomCoding(top={"y": 200.0}, bottom={"z": 50.0}))
    assert notes == [("recoded", ("y",), (frame["y"] > 200).sum(), N), ("recoded", ("z",), (frame["z"] < 50).sum(), N)]
    coded = frame.assign(c=np.where(np.arange(N) % 3 == 0, "u", "v"))
    released, notes = of_release(coded, pf.PRAM(), pf.Roles(["a"], ["c"]))
    assert ("recoded", ("c",), (released["c"] != coded["c"]).sum(), N) in notes
    keys = frame.assign(k=np.r_[0, np.ones(N - 1, dtype=int)], l=np.r_[np.ones(N - 1, dtype=int), 0])
    released, notes = of_release(keys, pf.LocalSuppression(3, keys=["k", "l"]), pf.Roles([], ["k", "l"]))
    empty = released[["k", "l"]].isna().sum()
    assert notes == [("suppressed", (name,), empty[name], N) for name in ("k", "l") if empty[name]]
    assert empty.sum() > 0


def test_values_of_the_original_in_a_release(frame):
    """A sample's records; values drawn from the observed ones; point masses that stay; values outside of the range."""
    released, notes = of_release(frame, pf.Sampling(0.5))
    assert ("observed_values", (), len(released), N) in notes
    released, notes = of_release(frame, pf.Sequential(smooth=False), pf.Roles([], ["y", "z"]))
    own = int((released[["y", "z"]] == frame[["y", "z"]]).sum().sum())
    assert [note for note in notes if note[0] != "risk"] == [
        ("chosen", ("y", "z"), None, None), ("chosen", ("y",), None, None), ("observed_values", (), own, 2 * N)
    ]  # fmt: skip
    masses = frame.assign(y=np.where(HALF, 0.0, frame["y"]))
    released, notes = of_release(masses, pf.Calibrated(IPSO))
    assert ("observed_values", ("y",), int((released["y"] == 0).sum()), 2 * N) in notes
    low, high = masses[["y", "z"]].min(), masses[["y", "z"]].max()
    outside = int(((released[["y", "z"]] < low) | (released[["y", "z"]] > high)).sum().sum())
    assert outside > 0
    assert ("outside_range", (), outside, 2 * N) in notes


def test_groups_of_a_method(frame):
    """Eight groups of seven and more; clusters that were requested, had no convergence, or share their regressors."""
    assert ("group_sizes", (), None, None) in of_release(frame, pf.Microaggregation(7))[1]
    assert of_release(frame, pf.Microaggregation(7, kind="individual"))[1][:2] == 2 * [("group_sizes", (), None, None)]
    notes = of_release(frame.assign(b=2 * frame["a"]), pf.FCRM(2, max_iter=1))[1]
    for name in ("y", "z"):
        assert ("not_converged", (name,), None, None) in notes
        assert ("collinear", (name,), 2, 3) in notes
    assert ("approximated", (), None, None) in of_release(frame[:40], pf.FCRM(9, release="model"))[1]


def test_types_and_numbers_of_a_release(frame):
    """Whole numbers and decimals that are rounded, values cut at the limits of a type, an index that is not released."""
    whole = frame.assign(y=(frame["y"] % 100).astype("int8"))
    released, notes = of_release(whole, pf.Noise("uncorrelated", 300))
    assert ("rounded", ("y",), None, None) in notes
    assert ("rounded", ("z",), None, None) in notes
    [cut] = [note for note in notes if note[0] == "cut_at_limits"]
    assert cut[1] == ("y",)
    assert 0 < cut[2] <= released["y"].isin([-128, 127]).sum()
    assert ("recoded", (), None, None) in of_release(frame.set_axis(range(5, 5 + N)))[1]
    assert not [note for note in of_release(frame)[1] if note[0] in ("recoded", "cut_at_limits")]


def test_constraints_that_the_original_breaks_or_that_do_nothing(frame):
    """Two records break the sum; a rule on predictors alone changes nothing; three cells of a rule are missing."""
    sums = frame.assign(t=(frame["y"] + frame["z"] + np.where(np.arange(N) < 2, 5, 0)).round(1))
    released, notes = of_release(
        sums, roles=pf.Roles(["a", "b"], ["y", "z", "t"]), constraints=["t == y + z", "a <= 9"]
    )
    assert np.abs(released["t"] - released["y"] - released["z"]).max() < 1e-9
    assert ("constraints", ("t", "y", "z"), 2, N) in notes
    assert ("constraints", ("a",), None, None) in notes
    moved = [note for note in notes if note[:2] == ("constraints", ())]
    assert [note[3] for note in moved] == [N]
    gaps = frame.assign(a=frame["a"].where(np.arange(N) > 2))
    notes = of_release(gaps, roles=pf.Roles(["b"], ["y", "z"]), constraints="y >= a - 100", missing="protect")[1]
    assert ("constraints", ("a",), 3, None) in notes


@pytest.mark.parametrize(("rule", "all_keep"), [("y >= -10000", True), ("z <= y - 150", False)])
def test_inequalities_of_calibrated_releases(frame, rule, all_keep):
    """Swaps keep a rule that every value keeps; values of the margins that break the other in any order are moved."""
    known = frame.assign(y=frame["y"] + np.where(np.arange(N) < 40, 1000, 0))
    released = pf.protect(known, pf.Calibrated(IPSO), ROLES, 1, constraints=rule, allow_unprotected=True)
    [note] = [note for note in released.all_notes if note.kind == "constraints" and "swaps" in note]
    assert note.total == N
    assert (note.count == 0) == all_keep == str(note).startswith("by swaps alone all")


def test_totals_that_a_release_answers(frame):
    """Sums that are kept: 2 columns by intercept and 2 predictors, plain and weighted, are 12 of 120 values; the deviations
    compare means and coefficients, 8 of each. A method that keeps none says so."""
    weighted = frame.assign(w=np.linspace(1, 5, N))
    answers = [note for note in of_release(weighted, weights="w")[1] if note[0] == "answers"]
    assert answers == [("answers", (), 12, 2 * N), ("answers", (), 16, None)]
    answers = [
        note for note in of_release(weighted, pf.Noise("uncorrelated", 50), weights="w")[1] if note[0] == "answers"
    ]
    assert answers == [("answers", (), None, None), ("answers", (), 16, None)]
    rare = frame.assign(g=np.where(np.arange(N) < 2, "rare", np.where(HALF, "p", "q")))
    assert ("pooled", ("g",), None, None) in of_release(rare, roles=pf.Roles(["a", "g"], ["y", "z"]))[1]
    flagged = frame.assign(flag=np.r_[1.0, np.zeros(N - 1)])
    assert ("risk", ("y", "z"), 2, None) in of_release(flagged, roles=pf.Roles(["a", "flag"], ["y", "z"]))[1]


def judged(before, after, *arguments, **options):
    return facts(pf.evaluate(before, after, *arguments, **options).notes)


@pytest.fixture(scope="module")
def noisy(frame):
    return frame.assign(**{name: frame[name] + np.random.default_rng(2).normal(0, 5, N) for name in ("y", "z")})


def test_values_of_measures_that_say_little(frame, noisy):
    """Many parameters for few records; cells without a unit; measures of one attribute; a proof, or the weights found."""
    columns = ["y", "z", "a"]
    assert judged(frame[:8], noisy[:8], columns, "pmse") == [
        ("unreliable", (), 1 + 3 + 3, 16)
    ]  # linear terms and products
    assert judged(frame.assign(y=3.0), noisy, ["y", "z"], "il1s") == [("left_out", (), N, None)]
    assert judged(frame, noisy, "y", ["um", "cm3"]) == 2 * [("by_definition", (), None, None)]
    proved = judged(frame[:12], noisy[:12], ["y", "z"], "dbrl_supervised")
    assert proved == 2 * [("chosen", (), None, None)]
    assert judged(frame, noisy, ["y", "z"], "prl") == [("chosen", (), None, N)]


def test_records_that_do_not_count(frame, noisy):
    """Gaps, records without a release, and a release in another order."""
    gaps = frame.assign(y=frame["y"].where(np.arange(N) > 3))
    assert judged(gaps, noisy, ["y", "z"], "pil") == [("left_out", (), 4, N)]
    assert ("left_out", (), N // 2, N) in judged(frame, pf.protect(frame, pf.Sampling(0.5), ROLES, 1))
    code = np.arange(N) % 7
    shuffled = noisy.assign(c=code).sample(frac=1, random_state=1).reset_index(drop=True)
    notes = judged(frame.assign(c=code), shuffled, roles=ROLES, measures="pil")
    assert ("unreliable", ("a", "c"), None, None) in notes
    assert pf.records_at_risk(gaps, noisy, ["y", "z"]).notes[0].kind == "left_out"


@pytest.mark.parametrize(("larger_in", "loss"), [("p", "info"), ("pq", "warning")])
def test_groups_whose_estimates_change(frame, noisy, larger_in, loss):
    """Values ten times as large in one of two groups, or in both: changed means are a warning, and the worst domain is named.

    The loss of groups is a warning where their mean is above another sample's: the worst of some groups is so by chance.
    """
    groups = {"g": np.where(HALF, "p", "q")}
    rows = np.isin(groups["g"], list(larger_in))
    larger = {name: np.where(rows, 10 * noisy[name] + 100, noisy[name]) for name in ("y", "z")}
    changed = noisy.assign(**larger, **groups)
    report = pf.evaluate(frame.assign(**groups), changed, ["y", "z"], "pil", domains="g")
    assert {(note.kind, note.columns, note.count, note.severity) for note in report.notes} == {
        ("unreliable", ("g",), None, loss), ("answers", ("g",), 2, "warning")
    }  # fmt: skip
    of_loss = next(note for note in report.notes if note.kind == "unreliable")
    assert of_loss.facts["group"] in {f"g={name}" for name in larger_in}


def test_a_seed_that_is_found(frame):
    method = pf.Noise("uncorrelated", 50)
    released = pf.protect(frame, method, ROLES, 77).frame
    report = pf.evaluate(frame, released, roles=ROLES, method=method, measures="pil")
    assert report.guessed_seed == 77
    assert ("risk", (), None, 10_000) in facts(report.notes)


@pytest.mark.slow
def test_what_an_audit_cannot_say(frame):
    """60 records have no power; without predictors no attribute is guessed; four records miss a value."""
    options = {"seed": 1, "repeats": 1, "shadows": 0}
    notes = facts(pf.audit(frame, IPSO, pf.Roles([], ["y", "z"]), **options).notes)
    assert notes == [("unreliable", (), N, 100), ("left_out", (), None, None)]
    gaps = frame.assign(y=frame["y"].where(np.arange(N) > 3))
    notes = facts(pf.audit(gaps, IPSO, ROLES, missing="drop", **options).notes)
    assert notes == [("unreliable", (), N - 4, 100), ("left_out", (), 4, N)]


def test_analyses(frame, noisy):
    """A regressor that another determines, in both files; a rule of combining that nobody chose, and one copy."""
    both = [one.assign(c=2 * one["a"]) for one in (frame, noisy)]
    notes = pf.analyse(*both, "y ~ a + c").notes
    assert [note.kind for note in notes] == ["collinear", "collinear"]
    fits = [pf.analyse(frame, one, "y ~ a") for one in (noisy, noisy + 1)]
    assert [note.kind for note in pf.combine(fits).notes] == ["chosen"]
    assert pf.combine(fits, "proper").notes == ()


def test_texts_that_are_not_utf8(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes("a;b\ncafé;1,5\nx;2,5\n".encode("latin-1"))
    [note, *_] = open_data("t", path).notes
    assert (note.kind, note.facts["encoding"]) == ("read_as", "cp1252")
