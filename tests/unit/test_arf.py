"""Adversarial random forests: densities by brute force, what is known to be true found again, what is nobody's handed out."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from support.data import CENSUS_PATH, requires_census
from support.school_file import school_file

import pyfcrm as pf
from pyfcrm.errors import InvalidInput
from pyfcrm.methods import ARF
from pyfcrm.methods.leaves import LeafDensity, columns_of
from pyfcrm.methods.relations import relations_of
from pyfcrm.methods.work import Run
from pyfcrm.progress import ProgressTracker
from pyfcrm.studies.thesis import S1_CASE


def released(method, X, Y, seed=1):
    notes = []
    return method.protect(X, Y, pf.RStream(seed), notes.append), notes


def none(n):
    return np.empty((n, 0))


def semicontinuous(n=150, seed=0):
    """Three columns that go together: a normal one, one with a third of zeros, and one of four categories."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = np.where(rng.random(n) < 1 / 3, 0.0, np.exp(a + rng.normal(size=n)))
    return np.column_stack([a, b, np.clip(np.rint(a + rng.normal(size=n)), -1, 2)])


def one_tree(A, smooth, min_leaf=5, given=1):
    order = np.lexsort(A.T[::-1])
    bounds = np.array([A.min(axis=0) - 1, A.max(axis=0) + 1])
    masses = [values[counts >= 10] for values, counts in (np.unique(a, return_counts=True) for a in A.T)]
    columns = columns_of(A[order], masses, bounds, min_leaf, given)
    method = ARF(trees=1, rounds=1, min_leaf=min_leaf)
    forest, _ = method.grow_forest(columns.R, pf.RStream(3), ProgressTracker(""))
    return LeafDensity(forest[0], columns, min_leaf, min_leaf, smooth)


def reached(leaves):
    """Walked down by hand, node by node."""
    found, left = [], [0]
    while left:
        node = left.pop()
        if leaves.is_leaf[node]:
            found += [node] if leaves.size[node] else []
        else:
            left += [int(leaves.left[node]), int(leaves.right[node])]
    return sorted(found)


@pytest.mark.parametrize("smooth", [0.0, 2.0])
def test_a_leaf_s_column_is_a_distribution(smooth):
    """Close (quadrature): shares of the shared values and the integral over the others make 1, in every leaf."""
    leaves = one_tree(semicontinuous(), smooth)
    columns = leaves.columns
    at_zero = np.flatnonzero(columns.A[:, 1] == 0)[:1]
    free = int(np.flatnonzero(~columns.shared[:, 1])[0])
    for node in reached(leaves)[::6]:
        local = np.array([node])

        def density(x, local=local):
            columns.A[free, 1] = x
            return float(leaves.density(local, 1, np.array([free]))[0])

        kept = columns.A[free, 1]
        low, high = columns.bounds[:, 1]
        cuts = np.unique(leaves.bounds[:, :, 1])
        whole, _ = quad(density, low, high, points=cuts[(cuts > low) & (cuts < high)][:40], limit=400)
        columns.A[free, 1] = kept
        assert whole + leaves.density(local, 1, at_zero)[0] == pytest.approx(1, abs=1e-5)


def test_the_weights_of_leaves_are_those_of_brute_force():
    """Identical to a walk through all leaves, whose boxes are asked one by one; the first column is given."""
    A = semicontinuous()
    leaves = one_tree(A, 0.5)
    records = np.arange(0, 150, 13)
    at, node, weight = leaves.compatible_leaves(records, 1)
    found = {(int(a), int(k)): w for a, k, w in zip(at, node, weight, strict=True)}
    expected = {}
    for a, record in enumerate(records):
        for k in reached(leaves):
            low, high = leaves.bounds[:, k, 0]
            if low <= leaves.columns.A[record, 0] <= high:
                p = leaves.density(np.array([k]), 0, np.array([record]))[0]
                expected[a, k] = np.log(leaves.size[k] * p)
    assert found == pytest.approx(expected, rel=1e-12)


def test_densities_that_are_looked_up_are_those_of_each_record(monkeypatch):
    """Identical, to the last bit: two given columns of few values, by tables of their ranks and record by record."""
    A = semicontinuous(600)
    A = np.column_stack([A[:, 2], np.rint(A[:, 1] / 4).clip(max=5), A[:, 0]])
    records = np.arange(600)
    by_table = one_tree(A, 0.5, given=2).compatible_leaves(records, 2)
    assert len(by_table[0]) > 2 * len(records)
    monkeypatch.setattr("pyfcrm.methods.leaves.FEW_VALUES", 0)
    by_record = one_tree(A, 0.5, given=2).compatible_leaves(records, 2)
    for looked_up, computed in zip(by_table, by_record, strict=True):
        np.testing.assert_array_equal(looked_up, computed)


def mixture(n, seed):
    """Which of two groups, and two columns: normal around (0, 0) or (10, -10)."""
    rng = np.random.default_rng(seed)
    group = (rng.random(n) < 0.3).astype(float)
    return group[:, None], rng.normal(size=(n, 2)) + np.outer(group, [10, -10])


@pytest.mark.slow
def test_a_mixture_is_found_again():
    """Known truth, statistical: shares, medians and spread within groups, and hardly a record between them (leaves across the gap)."""
    _, Y = mixture(2000, 1)
    Z, _ = released(ARF(min_leaf=2, relations=False), none(2000), Y)
    second = Z[:, 0] > 5
    assert second.mean() == pytest.approx(0.3, abs=0.05)
    assert np.mean(np.abs(Z[:, 0] - 5) < 2) < 0.03
    assert (second == (Z[:, 1] < -5)).mean() > 0.95
    for part, centre in ((~second, 0), (second, 10)):
        assert np.median(Z[part], axis=0) == pytest.approx([centre, -centre], abs=0.25)
        assert np.median(np.abs(Z[part] - [centre, -centre]), axis=0) == pytest.approx([0.674, 0.674], abs=0.1)


def test_no_value_is_handed_out_that_few_records_share():
    """Identical: the heap and the categories as they are and about as often, else nothing of the original."""
    A = semicontinuous(600)
    Z, _ = released(ARF(trees=10), none(600), A)
    assert np.isin(Z[:, 0], A[:, 0]).sum() == 0
    zero = Z[:, 1] == 0
    assert zero.mean() == pytest.approx((A[:, 1] == 0).mean(), abs=0.06)
    assert np.isin(Z[~zero, 1], A[:, 1]).sum() == 0
    assert set(Z[:, 2]) == set(A[:, 2])
    assert np.corrcoef(Z[:, 0], Z[:, 2])[0, 1] == pytest.approx(np.corrcoef(A[:, 0], A[:, 2])[0, 1], abs=0.12)


def test_an_exact_relation_among_dependent_columns_holds_in_the_release():
    """Identical: whole numbers, the third is the sum of two; the fourth is twice the first for all but a tenth."""
    rng = np.random.default_rng(5)
    x, a, c = (rng.integers(1, 1000, 200).astype(float) for _ in range(3))
    d = np.where(np.arange(200) % 10 == 0, rng.integers(1, 2000, 200), 2 * a)
    Y = np.column_stack([a, c, a + c, d])
    related = relations_of(none(200), Y)
    assert [beta is not None for beta in related.coefficients] == [False, False, True, True]
    residuals = related.residuals(none(200), Y)
    assert related.restored(none(200), residuals, np.tile([[-np.inf], [np.inf]], 4)).tolist() == Y.tolist()
    Z, _ = released(ARF(trees=10), x[:, None], Y)
    np.testing.assert_array_equal(np.rint(Z[:, 2]), np.rint(Z[:, 0]) + np.rint(Z[:, 1]))
    assert np.mean(Z[:, 3] == 2 * np.rint(Z[:, 0])) == pytest.approx(0.9, abs=0.08)


def test_a_relation_with_a_predictor_gives_no_record_its_own_value():
    """Identical: where y is twice a predictor that each record has alone, no released y is an original one."""
    x = np.random.default_rng(5).normal(size=300)
    Z, _ = released(ARF(trees=10), x[:, None], 2 * x[:, None])
    assert not np.isin(Z, 2 * x).any()
    assert np.corrcoef(Z[:, 0], x)[0, 1] > 0.5


def test_levels_of_few_records_are_drawn_from_a_pool():
    """Identical: each level of 3 records goes to records whatever their other column; frequent levels follow it."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(600, 1))
    level = (x[:, 0] > 0).astype(float)
    level[x[:, 0].argsort()[:18]] = np.repeat(np.arange(2.0, 8.0), 3)
    work = ARF(trees=10).numbers()
    Z = work.release(x, level[:, None], Run(pf.RStream(1), categories=(0,)))[:, 0]
    assert set(np.unique(Z)) <= set(level)
    assert np.isin(Z, np.arange(2.0, 8.0)).sum() == pytest.approx(18, abs=14)
    assert np.mean(Z[x[:, 0] > 0.5] == 1) > 0.75


@pytest.mark.slow
@pytest.mark.parametrize(("records", "seeds"), [(500, (1, 2, 3)), (1000, (1,))])
def test_no_attack_recognises_the_members_of_a_whole_synthetic_file(records, seeds):
    """Statistical: at most one of three audits has an alarm, which chance gives to one of a hundred; real and synthetic records
    are hard to tell apart. Of nine audits of 500 records one had an alarm, at the limit."""
    file = school_file(records)
    found = [pf.audit(file, ARF(), pf.Roles([], list(file)), seed) for seed in seeds]
    assert sum(audit.alarms != () for audit in found) <= len(seeds) // 3
    assert all(audit["detection"] < 65 for audit in found)


def test_the_order_of_the_file_does_not_change_the_forest():
    """Identical: the draws go by the file, so records of one X that change places leave the release as it was."""
    X, Y = mixture(120, 3)
    other = np.argsort(X[:, 0], kind="stable")
    same_x = np.concatenate([np.flatnonzero(X[:, 0] == 0)[::-1], np.flatnonzero(X[:, 0] == 1)])
    moved = np.empty_like(Y)
    moved[other] = Y[same_x]
    assert not (moved == Y).all()
    np.testing.assert_array_equal(released(ARF(trees=3), X, moved)[0], released(ARF(trees=3), X, Y)[0])


def test_by_strata_and_with_whole_numbers_through_protect():
    """Whole columns stay whole, the strata stay apart, each near its own range."""
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({"place": np.repeat(["a", "b"], 60), "x": rng.normal(size=120)})
    frame["y"] = rng.integers(3, 80, 120) + np.where(frame.place == "a", 0, 1000)
    release = pf.protect(frame, ARF(trees=3), pf.Roles("x", "y"), seed=1, strata="place").frame
    assert release.y.dtype == frame.y.dtype
    assert release.y[:60].between(0, 120).all()
    assert release.y[60:].between(900, 1180).all()


def test_too_few_records_are_refused():
    with pytest.raises(InvalidInput, match=r"^ARF: needs at least 5 records"):
        released(ARF(), none(4), np.arange(4.0)[:, None])


@pytest.mark.slow(20)
@requires_census
def test_on_the_census_file():
    """Statistical: of S1, no membership attack is large. Rules with unmodified columns would move values to their bounds."""
    census, roles = pf.datasets.census(CENSUS_PATH), pf.Roles(S1_CASE.independent, S1_CASE.dependent)
    found = pf.audit(census, ARF(), roles, 1, repeats=2, shadows=2, structure=None)
    of_attacks = {line.attack: line.value for line in found.lines if line.attack.startswith("membership")}
    assert max(of_attacks.values()) < 55
