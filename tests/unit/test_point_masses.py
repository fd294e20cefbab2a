"""Heaps of values and the patterns they make, drawn given X.

Oracle: counts by hand, and rules that hold in a file made here. Grade: identical, unless a test says statistical.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtri

from pyfcrm import RStream
from pyfcrm.methods.semicontinuous import Known, PointMasses, is_scale, masses_of, sampled_members
from pyfcrm.numerics.sorting import normal_scores


def test_heaps_are_values_that_many_records_share():
    """A twentieth of the records and ten; two a column at most; a constant is one heap; ties of three are none."""
    y = np.r_[np.zeros(20), np.full(15, 7.0), np.full(12, 9.0), np.repeat(np.arange(20.0, 61.0), 3)[: 200 - 47]]
    y = np.r_[y, np.arange(1000.0, 1000.0 + 200 - len(y))]
    Y = np.column_stack([y, np.ones(200), np.arange(200.0), np.r_[np.zeros(9), np.arange(1.0, 192.0)]])
    masses = masses_of(Y)
    assert masses.values.tolist() == [0.0, 7.0, 1.0]
    assert masses.columns.tolist() == [0, 0, 1]
    assert masses.members.sum(axis=0).tolist() == [20, 15, 200]


def each(on):
    """Every column of on (n, k) as the only heap of a column of its own."""
    return PointMasses(np.zeros(on.shape[1]), np.arange(on.shape[1]), on, on.shape[1])


def simulated(n=2000):
    """Whole columns of zeros that follow X: b is zero where a is, c is zero where neither is, d a coin."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 2))
    a = X[:, 0] + rng.normal(size=n) > 0.5
    b = a | (rng.random(n) < 0.2)
    c = ~a & ~b
    return X, np.column_stack([a, b, c, rng.random(n) < 0.3])


def test_each_heap_has_as_many_records_as_in_the_original_and_rules_hold():
    X, on = simulated()
    drawn = sampled_members(normal_scores(X), each(on), RStream(1))
    assert (drawn.sum(axis=0) == on.sum(axis=0)).all()
    assert not (drawn[:, 0] & ~drawn[:, 1]).any()
    assert (drawn[:, 2] == ~(drawn[:, 0] | drawn[:, 1])).all()
    assert (drawn != on).any(axis=0).all()


def test_heaps_follow_x_as_the_originals_do():
    """Statistical: means of x on and off the heap, 4 standard errors of 2,000 records; and draws are fresh given x."""
    X, on = simulated()
    drawn = sampled_members(normal_scores(X), each(on), RStream(2))
    for j in range(3):
        for of in (True, False):
            assert abs(X[on[:, j] == of, 0].mean() - X[drawn[:, j] == of, 0].mean()) < 4 / np.sqrt(500)
    a, p = drawn[:, 3], on[:, 3].mean()
    assert abs((a == on[:, 3]).mean() - (p * p + (1 - p) ** 2)) < 4 * np.sqrt(0.25 / 2000)


@pytest.mark.parametrize("all_of_them", [False, True])
@pytest.mark.parametrize(("size", "share"), [(12, 1 / 26), (25, 1 / 52), (30, 0.0), (60, 0.0)])
def test_shares_of_small_classes_are_shrunk(size, share, all_of_them):
    """All or none of a class of the first heap are on the second: at 30 records all or none again, below that all but a share
    (1 / 2) / (m + 1). Statistical: 4 standard errors of the draws in 150 releases.
    """
    n, releases = 400, 150
    rng = np.random.default_rng(4)
    x = rng.normal(size=(n, 1))
    first = np.arange(n) < size
    second = np.where(first, all_of_them, rng.random(n) < 0.5)
    wrong = drawn_there = 0
    for seed in range(releases):
        drawn = sampled_members(normal_scores(x), each(np.column_stack([first, second])), RStream(seed))
        there = drawn[:, 0]
        wrong += int((drawn[there, 1] != all_of_them).sum())
        drawn_there += int(there.sum())
    # The number of members of the whole file is fixed, which moves all probabilities a little.
    assert abs(wrong / drawn_there - share) <= 4 * np.sqrt(share / drawn_there) + 0.2 * share


def test_a_record_alone_does_not_decide_its_own_draw():
    """A record is on a heap that nobody near it is on: whether it is drawn follows its x, not itself. Statistical."""
    n = 400
    x = ndtri((np.arange(n) + 0.5) / n)[:, None]
    on = (x > 0).copy()
    on[0] = True  # the smallest x
    hits = sum(bool(sampled_members(x, each(on), RStream(seed))[0, 0]) for seed in range(40))
    assert hits <= 4


def test_few_members_of_a_class_are_no_rule_where_few_are_expected():
    """A fixed defect: 9 of 280 records of a class had an amount that 8 per cent have, and none in any release. Statistical: the
    mean of 20 releases within 4 standard errors of a binomial count of 9.
    """
    n, releases = 3000, 20
    rng = np.random.default_rng(6)
    in_class = np.arange(n) < 280
    on = np.where(in_class, np.arange(n) < 9, rng.random(n) < 0.085)
    masses = each(on[:, None])
    known = replace(Known.nothing(n, 1), classes=in_class[:, None])
    F = normal_scores(np.column_stack([in_class, rng.normal(size=n)]).astype(float))
    counts = [sampled_members(F, masses, RStream(seed), known)[in_class, 0].sum() for seed in range(releases)]
    assert abs(np.mean(counts) - 9) <= 4 * np.sqrt(9 / releases)


def proposing(proposed):
    """The members that another method drew (n, k), and nothing else that is known."""
    return replace(Known.nothing(*proposed.shape), proposed=proposed)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_classes_have_their_shares_whatever_another_method_drew(seed):
    """A fixed defect: members of a proposal came first, so that its shares by class were released. Statistical: three standard errors."""
    rng = np.random.default_rng(seed)
    level = rng.integers(0, 4, size=3000)
    F = (level[:, None] == [1, 2, 3]).astype(float)
    member = rng.random(3000) < np.array([0.2, 0.4, 0.6, 0.8])[level]
    proposed = rng.random(3000) < member.mean()  # nothing of the classes is in it
    drawn = sampled_members(F, each(member[:, None]), RStream(seed), proposing(proposed[:, None]))[:, 0]
    assert drawn.sum() == member.sum()
    for k in range(4):
        own = level == k
        share = member[own].mean()
        assert abs(drawn[own].mean() - share) < 3 * np.sqrt(share * (1 - share) / own.sum())


def test_a_proposal_with_the_shares_of_the_classes_is_followed():
    """By hand: of a half that is proposed, log odds larger by 5 leave 1 / (1 + exp(2.5)) = 8 per cent to others."""
    rng = np.random.default_rng(4)
    F = rng.normal(size=(3000, 1))
    member = rng.permutation(np.arange(3000) < 1500)
    proposed = rng.permutation(member)
    drawn = sampled_members(F, each(member[:, None]), RStream(1), proposing(proposed[:, None]))[:, 0]
    assert 0.9 < proposed[drawn].mean() < 1


def test_steps_of_a_scale_are_no_states():
    """Known truth: a scale of few values has none, a column of many values all."""
    n = 600
    rng = np.random.default_rng(3)
    school = rng.choice([9.0, 12.0, 14.0, 16.0, 18.0, 20.0], size=n, p=[0.02, 0.5, 0.1, 0.28, 0.02, 0.08])
    hours = np.where(rng.random(n) < 0.3, 40.0, rng.uniform(10, 60, n))
    change = rng.choice([-2.0, -1.0, 0.0, 1.0], size=n, p=[0.04, 0.2, 0.6, 0.16])
    Y = np.column_stack([school, hours, change])
    masses = masses_of(Y, scales=np.array([is_scale(y) for y in Y.T]))
    found = [masses.values[masses.of(j)].tolist() for j in range(3)]
    assert found == [[], [40.0], []]
    assert masses_of(Y).values[masses_of(Y).of(0)].tolist() == [12.0, 16.0]
