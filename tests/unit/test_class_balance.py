"""Draws of trees that have as many records of each level in each class as the original lets expect."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.methods.class_balance import (
    PRIOR,
    balanced_shares,
    classes_of_column,
    classes_of_predictors,
    drawn_levels,
    leaf_shares,
    moved_uniforms,
    with_moments_of,
)
from pyfcrm.methods.semicontinuous import groups_of_codes, has_shared_codes


def test_each_class_expects_the_levels_of_the_original():
    # Oracle: counts of the original in each class, with 10 records of the leaves' shares; close, as sweeps end at changes of 0.001.
    rng = np.random.default_rng(1)
    n = 3000
    a = rng.integers(3, size=n)
    b = rng.integers(2, size=n)
    level = np.where(a == 2, 0, rng.integers(4, size=n))  # class 2 has level 0 only
    leaf = rng.integers(20, size=n)  # leaves that see neither class
    partitions = [classes_of_column(x.astype(float), x.astype(float), 30) for x in (a, b)]
    share = leaf_shares(level, leaf, leaf)
    P = balanced_shares(share, level, partitions)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    for classes, codes in zip(partitions, (a, b), strict=True):
        for k in range(classes.count):
            rows = codes == k
            own = np.bincount(level[rows], minlength=4) + PRIOR * share[rows].mean(axis=0)
            expected = own / own.sum() * rows.sum()
            np.testing.assert_allclose(P[rows].sum(axis=0), expected, atol=0.005 * rows.sum())


def test_classes_of_few_records_are_one_class():
    # Oracle: by hand.
    x = np.repeat([0.0, 1.0, 2.0, 3.0], [50, 20, 15, 60])
    classes = classes_of_column(x, np.array([0.0, 1.0, 2.0, 3.0, 7.0]), 30)
    assert classes.released.tolist() == [0, 2, 2, 1, -1]
    assert classes_of_column(x[x < 2], x[x < 2], 30) is None  # 20 records are no class
    assert classes_of_column(np.zeros(100), np.zeros(100), 30) is None


def test_categories_of_predictors_are_one_partition():
    # Oracle: by hand. A category's first level has no column.
    X = np.repeat([[0, 0, 5.0], [1, 0, 5.0], [0, 1, 5.0]], 40, axis=0)
    [classes] = classes_of_predictors(X, [(0, 1)], 30)
    assert classes.original.tolist() == np.repeat([0, 1, 2], 40).tolist()


def test_uniforms_are_moved_into_the_parts_of_the_drawn_levels():
    # Oracle: shares of levels by hand; statistical, 5 standard errors of a share of 20,000.
    u = np.random.default_rng(2).random(20_000)
    share = np.tile([0.5, 0.3, 0.2], (len(u), 1))
    P = np.tile([0.1, 0.6, 0.3], (len(u), 1))
    moved = moved_uniforms(u, share, P)
    parts = np.searchsorted([0.5, 0.8], moved, side="right")
    np.testing.assert_allclose(np.bincount(parts) / len(u), P[0], atol=5 * 0.5 / np.sqrt(len(u)))
    assert (drawn_levels(P, u)[0] == parts).all()
    np.testing.assert_allclose(moved_uniforms(u, share, share), u, atol=1e-12)  # one rounding of each cumulative sum


def test_codes_of_few_records_are_one_group():
    # Oracle: by hand.
    y = np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], [3, 8, 40, 12, 4])
    values, group = groups_of_codes(y)
    assert values.tolist() == [1, 2, 3, 4, 5]
    assert group.tolist() == [0, 0, 1, 2, 2]


def test_amounts_of_few_records_are_no_codes():
    # Otherwise 15 wages of a small stratum would be released verbatim.
    assert not has_shared_codes(np.arange(15.0))
    assert has_shared_codes(np.repeat([0.125, 0.417, 0.75, 1.5, 4], 30))


def test_a_second_draw_restores_mean_and_variance():
    # Oracle: the moments of the original; close, within a hundredth of a standard error of each, as a draw of n codes can be.
    rng = np.random.default_rng(3)
    y = rng.integers(8, 18, size=2000).astype(float)
    first, second = rng.choice(y + 0.0, (2, 2000))
    chosen = with_moments_of(y, first, second)
    assert ((chosen == first) | (chosen == second)).all()
    error = y.std() / np.sqrt(len(y))
    assert abs(first.mean() - y.mean()) > 0.1 * error  # chance left something to restore
    assert abs(chosen.mean() - y.mean()) < 0.01 * error
    assert abs(chosen.var() / y.var() - 1) < 0.01 / np.sqrt(len(y)) * 2


def file_with_a_rule(n=900):
    """Young people have no degree; occupations within which leaves of 20 mix all ages. Statuses depend on age and sex."""
    rng = np.random.default_rng(5)
    age = rng.integers(5, size=n)
    work = rng.integers(6, size=n)
    school = 10 + rng.binomial(6, 0.3 + 0.08 * work)
    school = np.where((age == 0) & (school > 14), 12, school)
    wage = np.round(np.exp(1 + 0.08 * school + rng.normal(0, 0.4, n)), 2)
    return pd.DataFrame({"age": age, "work": [f"w{k}" for k in work], "school": school, "wage": wage})


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_codes_that_a_class_lacks_stay_rare_in_it(seed):
    # Oracle: no young person has more than 14 years of school, and the release has hardly any. Leaves alone do as well here.
    frame = file_with_a_rule()
    roles = pf.Roles(["age", "work"], ["school", "wage"])
    released = pf.protect(frame, pf.Calibrated(), roles, seed=seed).frame
    young = released.loc[released["age"] == 0, "school"]
    assert (young > 14).sum() <= 2  # the leaves' shares count as 10 records: about 0.5 are expected
    assert set(released["school"]) <= set(frame["school"])
    error = frame["school"].std() / np.sqrt(len(frame))
    assert abs(released["school"].mean() - frame["school"].mean()) < 0.05 * error


def test_a_gap_of_codes_does_not_stop_the_swaps_of_other_columns():
    # Before, progress was kept only where the largest gap became smaller: that of codes stayed open, so that with some seeds
    # the whole search was undone. Oracle: the original's correlation, which wages alone can restore.
    frame = file_with_a_rule(500)
    roles = pf.Roles(["age", "work"], ["school", "wage"])
    for seed in range(1, 9):
        released = pf.protect(frame, pf.Calibrated(), roles, seed=seed).frame
        own, new = (f["school"].corr(f["wage"]) for f in (frame, released))
        assert abs(own - new) < 0.005


def test_a_code_of_few_records_is_drawn_as_another_value_of_its_scale():
    """By hand: 6 of 601 ages in classes of five years are 17.5. The defect: rare codes were drawn between values, as 20."""
    ages = np.repeat([17.5, 22.0, 27.0, 32.0, 37.0, 42.0, 47.0, 52.0, 57.0], [6, 117, 153, 115, 88, 56, 23, 21, 22])
    frame = pd.DataFrame({"sex": np.resize(["f", "m"], len(ages)), "age": ages})
    for seed in (1, 2, 3):
        released = pf.protect(frame, pf.Calibrated(), pf.Roles(["sex"], ["age"]), seed=pf.RStream(seed)).frame
        assert set(released["age"]) <= set(ages[6:])
