"""Releases that disclosed a planted record or a group's members and passed: the test `totals` holds them, or they disclose no more."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.evaluation.verdict.extremes_test import RepeatedReleases
from pyfcrm.methods.extremes import MOST_BY_DEFAULT, top_coded

COLUMNS = ["turnover", "assets", "staff"]
ROLES = pf.Roles(["region", "size"], COLUMNS)


def enterprises(times, seed, n=500):
    """A file of n enterprises, one of which has `times` the median in three columns; None plants none."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"region": rng.choice(list("ABCD"), n), "size": rng.integers(1, 6, n).astype(float)})
    for name, log_mean, log_sd in (("turnover", 7, 0.6), ("assets", 8, 0.8), ("staff", 4, 0.5)):
        frame[name] = np.round(np.exp(log_mean + log_sd * rng.standard_normal(n)))
        if times is not None:
            frame.loc[7, name] = np.round(times * frame[name].median())
    return frame


def totals_of(frame, released):
    return pf.evaluate(frame, released, measures=["pil"]).verdict["totals"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("times", [20, 50, 100])
def test_smooth_margins_do_not_follow_a_planted_record(times, seed):
    """Known truth: the planted values. At most half of the drawn maxima are within 10 per cent of them, as a maximum varies by a
    third at 20 times the median; so `totals` passes."""
    frame = enterprises(times, seed)
    released = pf.protect(frame, pf.Calibrated(pf.IPSO("C")), ROLES, seed=pf.RStream(seed + 1))
    for name in COLUMNS:
        largest = pf.Calibrated(pf.IPSO("C")).extremes(frame[name].to_numpy())(pf.RStream(3), [])[:, 1]
        assert np.mean(np.abs(largest / frame.loc[7, name] - 1) <= 0.1) <= (0.5 if times == 20 else 0)
    assert totals_of(frame, released).status == "pass"


def nearest_to(released, values):
    """The least relative distance of released values from each of some planted ones."""
    return min(np.abs(np.asarray(released, dtype=float) / value - 1).min() for value in values)


def negative(frame):
    frame[COLUMNS] = -frame[COLUMNS]
    return {}


def in_a_stratum(frame):
    frame["s"] = np.repeat(["a", "b"], len(frame) // 2)
    return {"strata": ["s"]}


def weighted(frame):
    frame["w"] = np.random.default_rng(1).uniform(1, 20, len(frame)).round(2)
    return {"weight": "w"}


def a_sum(frame):
    frame["staff"] = frame["turnover"] + frame["assets"]
    return {}


@pytest.mark.slow
@pytest.mark.parametrize("vary", [negative, in_a_stratum, weighted, a_sum])
def test_variants_of_a_planted_record_are_not_followed(vary):
    """Known truth: no released value of the planted enterprise's columns is within 10 per cent of its value, or the file is held."""
    frame = enterprises(50, 1)
    given = vary(frame)
    roles = pf.Roles(["region", "size"], COLUMNS, weight=given.pop("weight", None))
    released = pf.protect(frame, pf.Calibrated(pf.IPSO("C")), roles, seed=pf.RStream(3), **given)
    off = min(nearest_to(released.frame[name], [frame.loc[7, name]]) for name in COLUMNS)
    assert off > 0.1 or totals_of(frame, released).status == "hold"


@pytest.mark.parametrize("seed", range(3))
def test_two_planted_records_do_not_decide_the_extremes(seed):
    """Known truth: one of 50 times the median, one of 40 times. At most half of the drawn maxima are within 10 per cent of
    either; without them none is. Statistical: 40 draws."""
    frame = enterprises(50, seed)
    frame.loc[8, COLUMNS] = frame.loc[7, COLUMNS] * 0.8
    for name in COLUMNS:
        y = frame[name].to_numpy(float)
        largest = pf.Calibrated(pf.IPSO("C")).extremes(y)(pf.RStream(3), [])[:, 1]
        for value in y[[7, 8]]:
            assert np.mean(np.abs(largest / value - 1) <= 0.1) <= 0.5


def with_two_near(times, seed, n):
    """Enterprises of which two have `times` the median, the second 3 per cent less; no third comes to half of them."""
    frame = enterprises(times, seed, n)
    frame.loc[8, COLUMNS] = np.round(frame.loc[7, COLUMNS] * 0.97)
    rest = frame[COLUMNS].drop([7, 8]).max()
    assert (rest < frame.loc[8, COLUMNS] / 2).all()
    return frame


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("times", "n"), [(50, 400), (20, 60)])
def test_two_near_planted_records_do_not_decide_the_extremes(times, n, seed):
    """Known truth: at most 40 per cent of the drawn maxima are within 10 per cent of either, the limit of a single record; without
    both none is. The defect: 45 per cent in a file of 60, as without one of them the other gave the same maximum. Statistical:
    40 draws."""
    frame = with_two_near(times, seed, n)
    for name in COLUMNS:
        y = frame[name].to_numpy(float)
        largest = pf.Calibrated(pf.IPSO("C")).extremes(y)(pf.RStream(3), [])[:, 1]
        for value in y[[7, 8]]:
            assert np.mean(np.abs(largest / value - 1) <= 0.1) <= MOST_BY_DEFAULT


def test_two_equal_amounts_beside_zeros_are_released_as_zeros() -> None:
    """By hand: without the two no amount is left to compare with, and fewer than ten amounts become the point mass.

    `Calibrated` ended in an IndexError, so that eusilc's households had no release.
    """
    amounts = np.r_[np.zeros(60), 1000.0, 1000.0]
    frame = pd.DataFrame({"a": np.arange(62.0) % 7, "benefits": amounts})
    released = pf.protect(frame, pf.Calibrated(), pf.Roles(["a"], ["benefits"]), seed=pf.RStream(1))
    assert (released.frame["benefits"] == 0).all()


def test_a_column_whose_second_largest_value_would_be_top_coded_passes():
    """The defect, in the countries' incomes of `carData::UN`: four large values keep the column as it is, but three of them would be
    top-coded. So margins without the largest ended far below it, and the release was held. By hand: incomes of which four have 72,400
    to 105,100, others at most 60,000."""
    rng = np.random.default_rng(2)
    y = np.round(np.r_[np.minimum(rng.lognormal(9, 1.2, 150), 60_000), 72_400, 84_600, 92_600, 105_100], 1)
    assert top_coded(y) is None
    assert top_coded(y[:-1]) is not None
    frame = pd.DataFrame({"group": rng.choice(list("ab"), len(y)), "income": y})
    released = pf.protect(frame, pf.Calibrated(pf.IPSO("C")), pf.Roles(["group"], ["income"]), seed=pf.RStream(1))
    assert totals_of(frame, released).status == "pass"


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3])
def test_original_margins_are_held_for_near_planted_records(count):
    """Known truth: the maximum of each column is the planted value. The defect: without it another planted value is as near."""
    frame = with_two_near(20, 0, 500)
    if count == 3:
        frame.loc[9, COLUMNS] = np.round(frame.loc[7, COLUMNS] * 0.95)
    test = totals_of(frame, pf.protect(frame, pf.Calibrated(pf.IPSO("C"), margins="original"), ROLES))
    assert all(f"decides the extreme of {name}" in test.reason for name in COLUMNS)


@pytest.mark.slow
def test_logarithms_of_a_planted_record_are_not_its_own():
    """Known truth: on a log scale 50 times the median is 4 to 5 standard deviations; the released maximum differs by 10 per cent
    on the scale of amounts."""
    frame = enterprises(50, 1)
    planted = frame.loc[7, COLUMNS].astype(float)
    frame[COLUMNS] = np.log(frame[COLUMNS])
    released = pf.protect(frame, pf.Calibrated(pf.IPSO("C")), ROLES, seed=pf.RStream(3))
    off = np.abs(np.exp(released.frame[COLUMNS].max()) / planted - 1)
    assert (off > 0.1).all() or totals_of(frame, released).status == "hold"


@pytest.mark.parametrize(("largest", "status"), [(40.0, "hold"), (2.5, "pass")])
def test_a_preserved_standard_deviation_that_one_record_dominates_is_held(largest, status):
    """By hand: 30 values at -1, 30 at 1, whose squared deviations are about 1 each, and one at 40, which has more than 95 per
    cent of the sum; IPSO-C keeps the sum. At 2.5 it has about a tenth."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "x": rng.integers(1, 4, 61).astype(float),
            "y": np.r_[np.repeat([-1.0, 1.0], 30), largest] + rng.normal(0, 0.01, 61),
        }
    )
    released = pf.protect(frame, pf.IPSO("C"), pf.Roles(["x"], ["y"]), seed=pf.RStream(2))
    test = totals_of(frame, released)
    assert ("y of the squared deviations of all records" in test.reason) == (status == "hold")


@pytest.mark.parametrize("household", ["household", None])
def test_a_household_is_one_contributor_to_a_preserved_standard_deviation(household):
    """By hand: four persons of one household have values of about 40, 60 households of two have -1 and 1. The four have 95 per cent of
    the squared deviations, and each by itself a quarter. The defect: each person was a contributor, so that no rule was violated."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "household": np.r_[np.repeat(np.arange(60), 2), np.repeat(60, 4)],
            "x": rng.integers(1, 4, 124).astype(float),
            "y": np.r_[np.tile([-1.0, 1.0], 60), np.repeat(40.0, 4)] + rng.normal(0, 0.01, 124),
        }
    )
    roles = pf.Roles(["x"], ["y"], household=household)
    if household is None:
        frame = frame.drop(columns="household")
    test = totals_of(frame, pf.protect(frame, pf.IPSO("C"), roles, seed=pf.RStream(2)))
    assert ("y of the squared deviations of all records" in test.reason) == (household is not None)


@pytest.mark.slow
@pytest.mark.parametrize(("times", "found"), [(20, 3), (50, 6)])
def test_original_margins_are_held_for_a_planted_record(times, found):
    """Known truth: the maximum of each column is the planted value, which at 50 times the median also dominates the
    standard deviation of each."""
    frame = enterprises(times, 0)
    test = totals_of(frame, pf.protect(frame, pf.Calibrated(pf.IPSO("C"), margins="original"), ROLES))
    assert test.status == "hold"
    assert test.found == (found,)
    assert all(name in test.reason for name in COLUMNS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_files_without_a_planted_record_are_not_held(seed):
    frame = enterprises(None, seed)
    assert totals_of(frame, pf.protect(frame, pf.Calibrated(pf.IPSO("C")), ROLES)).status == "pass"


@pytest.mark.parametrize(("records", "means_only"), [(40, True), (130, False)])
def test_small_levels_preserve_means_only(records, means_only):
    """By hand: 3 columns and 1 predictor have 3 * 2 + 6 = 12 sums in a level, a tenth of 120 records. The defect: all were kept of 40."""
    rng = np.random.default_rng(7)
    n = 12 * records
    frame = pd.DataFrame({"g": np.repeat(list("abcdefghijkl"), records), "x": rng.integers(1, 5, n).astype(float)})
    for name, log_mean, log_sd in (("wage", 7, 0.5), ("debt", 8, 0.8), ("rent", 6, 0.4)):
        frame[name] = np.round(np.exp(log_mean + log_sd * rng.standard_normal(n)))
    roles = pf.Roles(["x"], ["wage", "debt", "rent"])
    released = pf.protect(frame, pf.Calibrated(pf.IPSO("C"), basis="linear"), roles, preserve=["g"], shuffle=False)
    assert totals_of(frame, released).status == "pass"
    assert any("only means are kept" in str(note) for note in released.all_notes) == means_only

    def covariance(file):
        in_a = file[file["g"] == "a"]
        return np.cov(in_a["x"], in_a["wage"])[0, 1]

    assert (abs(covariance(released.frame) / covariance(frame) - 1) > 0.01) == means_only


@pytest.mark.parametrize("method", [pf.FCRM(2), pf.FCRM(4)], ids=str)
def test_a_column_of_fcrm_is_released_as_if_it_were_alone(method):
    """The test of extremes repeats such columns alone. Close: both converge, from other random starts."""
    frame = pf.datasets.accounts(300, seed=1)
    together = ["DEPOSITS", "DEBT", "FLOW"]
    assert method.by_column
    frame_of = {}
    for seed, columns in enumerate([together, *([name] for name in together)], start=1):
        made = pf.protect(frame, method, pf.Roles(["AGE"], columns), seed=seed, variables="numbers")
        frame_of[seed] = made.frame[columns]
    alone = pd.concat([frame_of[2], frame_of[3], frame_of[4]], axis="columns")
    differences = (frame_of[1] - alone).abs().max() / frame[together].std()
    assert (differences < 1e-3).all()


@pytest.mark.slow
@pytest.mark.parametrize("release", ["predict", "draw"])
def test_a_planted_record_decides_the_extremes_of_fcrm(release):
    """Oracle: the prediction of the record's own cluster, or its own residual, is near its value; without it none is."""
    frame = enterprises(50, seed=1)
    released = pf.protect(frame, pf.FCRM(4, release=release), ROLES, seed=3)
    near = abs(released.frame["turnover"].max() / frame["turnover"].max() - 1) < 0.1
    held = "decides the extreme of turnover" in totals_of(frame, released).reason
    assert near == held


class CountedReleases:
    """Releases of 100 values of which the largest comes near 1000 in two of five, with that record, and never without; counted by size."""

    def __init__(self):
        self.sizes = []

    def release(self, X, Y, run):
        self.sizes.append(len(Y))
        is_near = len(Y) == 100 and len(self.sizes) % 5 < 2
        largest = 1000.0 if is_near else 500.0
        return np.minimum(Y / Y.max() * largest, largest)


def test_no_release_without_a_unit_is_made_where_those_with_it_are_seldom_near_its_value():
    """By hand: the excess is at most 2 of 5, below the limit of a half. The defect: five releases without the unit came first,
    so that `recommend` took 4 s for each of ARF, for each of up to 24 units."""
    Y = np.append(np.linspace(1, 400, 99), 1000.0)[:, None]
    work = CountedReleases()
    repeated = RepeatedReleases(work=work, X=np.empty((100, 0)), Y=Y, stream=pf.RStream(1), by_column=False)
    assert not repeated.is_decided(0, np.array([99]))
    assert work.sizes == [100] * 20
