"""Files with missing values are judged by what both have: loops over the observed cells as the oracle."""

from itertools import combinations
from statistics import fmean

import numpy as np
import pandas as pd
import pytest
from support import brute
from support.linkage import probabilistic_linkage

import pyfcrm as pf
from pyfcrm.errors import InvalidInput
from pyfcrm.linkage.agreement import EXACT, Agreement
from pyfcrm.measures import INFORMED, MEASURES
from pyfcrm.measures.propensity import Propensity

NAMES = ["a", "b", "c"]
OF_NUMBERS = [key for key, measure in MEASURES.items() if not measure.needs_keys and key != "dbrl_supervised"]


def two(n=40, seed=0, share=0.15):
    """Two files of three columns that pair, and where both have a value (n, 3)."""
    rng = np.random.default_rng(seed)
    X = rng.gamma(2.0, size=(n, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]])
    Z = X + 0.4 * rng.normal(size=X.shape)
    Z[::4, 1] = X[::4, 1]
    x, z = rng.random(X.shape) >= share, rng.random(X.shape) >= share / 3
    X, Z = np.where(x, X, np.nan), np.where(z, Z, np.nan)
    return pd.DataFrame(X, columns=NAMES), pd.DataFrame(Z, columns=NAMES), x & z


def test_pil_takes_each_statistic_from_the_records_that_have_its_columns():
    """Oracle: PIL by loops of one and of two columns. Close."""
    before, after, known = two()
    X, Z = before.to_numpy(), after.to_numpy()
    alone = [brute.pil(X[known[:, [j]].all(axis=1)][:, [j]], Z[known[:, j]][:, [j]]) for j in range(3)]
    crossed = []
    for pair in combinations(range(3), 2):
        rows = known[:, pair].all(axis=1)
        crossed.append(brute.pil(X[rows][:, pair], Z[rows][:, pair]))
    report = pf.evaluate(before, after, measures="pil")
    parts = {part.name: part.value for part in report.results["pil"].parts}
    for name in ("mean", "variance", "quantiles"):
        assert parts[name] == pytest.approx(fmean(one[name] for one in alone))
    for name in ("covariance", "correlation"):
        assert parts[name] == pytest.approx(fmean(one[name] for one in crossed))
    (note,) = report.notes
    assert (note.kind, note.count, note.total) == ("left_out", 40 - known.all(axis=1).sum(), 40)


def test_records_that_are_not_released_count_in_pil():
    """Oracle: a file whose last 10 of 40 records are dropped; the note counts them."""
    before = two()[0].fillna(0.0).set_axis(range(5, 45))
    (note,) = pf.evaluate(before, before.iloc[:30], measures=["pil", "dbrl"]).notes
    assert (note.kind, note.count, note.total) == ("left_out", 10, 40)


def test_columns_without_a_common_record_have_no_covariance():
    """Oracle: the same files without the pair of columns that never meet."""
    before, after, _ = two(share=0.0)
    before.loc[:19, "a"], before.loc[20:, "b"] = np.nan, np.nan
    X, Z = before.to_numpy(), after.to_numpy()
    of = [
        brute.pil(X[rows][:, pair], Z[rows][:, pair]) for rows, pair in ((slice(20, 40), [0, 2]), (slice(20), [1, 2]))
    ]
    parts = {part.name: part.value for part in pf.evaluate(before, after, measures="pil").results["pil"].parts}
    assert parts["covariance"] == pytest.approx(fmean(one["covariance"] for one in of))


@pytest.mark.parametrize(("key", "oracle"), [("id", brute.interval), ("id_rank", brute.interval_rank)])
def test_intervals_of_each_column_by_the_records_that_have_it(key, oracle):
    before, after, known = two()
    X, Z = before.to_numpy(), after.to_numpy()
    of = [oracle(X[known[:, j]][:, [j]], Z[known[:, j]][:, [j]])[0] for j in range(3)]
    found = pf.evaluate(before, after, measures=key).results[key]
    np.testing.assert_allclose([(part.value, part.baseline) for part in found.parts], of)
    assert (found.total, found.baseline) == pytest.approx(tuple(fmean(one) for one in zip(*of, strict=True)))


def linked(X, Z, known):
    """DBRL by loops: what each original earns by its columns, and how many protected records have them all."""
    S, T = (np.where(known, (A - np.nanmean(A, 0)) / np.nanstd(A, 0, ddof=1), np.nan) for A in (X, Z))
    earned, candidates = [], []
    for i, has in enumerate(known):
        rows = [k for k in range(len(Z)) if known[k][has].all()]
        d = {k: np.sqrt(((S[i] - T[k])[has] ** 2).sum()) for k in rows}
        near = [k for k in rows if d[k] <= min(d.values()) * (1 + 1e-12)]
        earned.append(1 / len(near) if i in near else 0.0)
        candidates.append(len(rows))
    return np.array(earned), np.array(candidates)


@pytest.mark.parametrize("share", [0.15, 0.6])
def test_linkage_by_distance_by_the_columns_that_a_record_has(share):
    """Oracle: loops over records; records without any value, of the second file, tie with all. Chance is 1/candidates."""
    before, after, known = two(share=share)
    earned, candidates = linked(before.where(known).to_numpy(), after.where(known).to_numpy(), known)
    found = pf.evaluate(before, after, measures="dbrl").results["dbrl"]
    assert found.total == pytest.approx(100 * earned.mean())
    assert found.baseline == pytest.approx(100 * (1 / candidates).mean())
    risk = pf.records_at_risk(before, after)
    np.testing.assert_allclose(risk.dbrl, earned)
    assert risk.record == tuple(range(40))


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "oracle"), [(EXACT, brute.exact), (Agreement(0.5), None)])
def test_a_missing_value_agrees_with_nothing(rule, oracle):
    """Oracle: EM and links by loops, where comparing with NaN is false. Close."""
    before, after, known = two()
    X, Z = (frame.where(known).to_numpy().round(0) for frame in (before, after))

    def near(i, k, j):
        return bool(abs(X[i, j] - Z[k, j]) <= 0.5 * np.nanstd(X[:, j], ddof=1))

    agrees = near if oracle is None else oracle(X, Z)
    result = probabilistic_linkage(X, Z, rule)
    m, u, _ = brute.em(brute.pattern_counts(40, 3, agrees), 40, 3)
    assert (result.m.tolist(), result.u.tolist()) == (pytest.approx(m, abs=1e-7), pytest.approx(u, abs=1e-7))
    assert result.share == pytest.approx(brute.prl_share(40, 3, agrees, list(result.m), list(result.u)))


def test_what_needs_whole_records_takes_those_complete_in_both():
    """Oracle: the complete records alone. Identical, and the notes say how many."""
    before, after, known = two()
    rows = known.all(axis=1)
    keys = ["um", "cm3", "eigen", "drisk", "dbrl_mahalanobis", "pmse"]
    result, alone = pf.evaluate(before, after, NAMES, keys), pf.evaluate(before[rows], after[rows], NAMES, keys)
    pd.testing.assert_frame_equal(result.to_frame(), alone.to_frame())
    assert result.records == 40
    assert (result.notes[0].kind, result.notes[0].count) == ("left_out", 40 - rows.sum())


def test_every_released_record_is_judged():
    """A fixed defect: records with a gap are released unchanged, the others exchanged. Linkage and intervals count them."""
    before, _, _ = two(n=200, share=0.0)
    unchanged, others = np.arange(0, 200, 2), np.arange(1, 200, 2)
    before.loc[unchanged, "c"] = np.nan
    after = before.copy()
    after.loc[others] = before.loc[np.roll(others, 1)].to_numpy()
    report = pf.evaluate(before, after)
    assert report["dbrl"] > 49
    assert report["prl"] > 49
    assert report["id"] > 30
    assert pf.records_at_risk(before, after).dbrl[unchanged].min() == 1.0


def test_records_that_were_dropped_count_as_loss():
    """PIL holds the release against every value of the original. Oracle: PIL by loops of one column."""
    before, after, _ = two()
    before = before[["a"]].sort_values("a", ignore_index=True)
    after = before[10:30]
    known = before["a"].notna()
    expected = brute.pil(before[known].to_numpy(), after.to_numpy())
    assert pf.evaluate(before, after, measures="pil")["pil"] == pytest.approx(fmean(expected.values()))


def test_gaps_wherever_they_are():
    """Every measure of numbers gives a value in its range, whatever is missing, in any order of the records alike."""
    before, after, _ = two(60, 1, share=0.3)
    order = np.random.default_rng(1).permutation(60)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "pyfcrm.measures.detection.held_out", lambda X, Z, *_, **__: Propensity(np.zeros(len(X)), np.zeros(len(Z)))
        )
        report = pf.evaluate(before, after, NAMES, OF_NUMBERS, method=pf.IPSO("C"))
    for key in ("pil", "dbrl", "prl", "id", "dr"):
        other = pf.evaluate(before.iloc[order].reset_index(drop=True), after.iloc[order].reset_index(drop=True))
        assert report[key] == pytest.approx(other[key])
    for key in OF_NUMBERS:
        facts = MEASURES[key]
        assert np.isnan(report[key]) or facts.lower <= report[key] <= facts.upper + 1e-9


def two_routes(n=120):
    """A survey of which each person answers one of two questions, so that no record is complete."""
    rng = np.random.default_rng(3)
    file = pd.DataFrame({"sex": rng.integers(1, 3, n), **{name: rng.gamma(9.0, 100, n).round() for name in NAMES}})
    file.loc[::2, "b"] = np.nan
    file.loc[1::2, "c"] = np.nan
    return file


@pytest.mark.parametrize("method", [pf.Calibrated(), pf.RankSwapping(10)])
def test_a_file_without_a_complete_record_is_judged_by_what_its_records_have(method):
    """Known truth: measures of complete records have no value, and the others have one.

    The defect: evaluate() ended in an error, for a measure that nobody had named.
    """
    file = two_routes()
    released = pf.protect(file, method, pf.Roles(["sex"], NAMES), missing="protect")
    report = pf.evaluate(file, released)
    assert np.isnan([report[key] for key in INFORMED]).all()
    assert not np.isnan([report[key] for key in ("pil", "dbrl", "prl", "id", "dr", "score")]).any()
    assert "no record is complete" in " ".join(report.all_notes)
    assert report.verdict["risk"].status in ("pass", "hold")
    assert report.verdict["linkage"].status in ("not applicable", "not examined")


def test_a_measure_of_complete_records_that_is_named_is_refused_without_one():
    """By hand: the caller asks for what has no value."""
    file = two_routes()
    released = pf.protect(file, pf.Calibrated(), pf.Roles(["sex"], NAMES), missing="protect")
    with pytest.raises(InvalidInput, match="no record is complete"):
        pf.evaluate(file, released, measures=["linkage_informed"])
