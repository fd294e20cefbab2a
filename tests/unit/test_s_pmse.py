"""Tests of S_pMSE of tables."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

import pyfcrm as pf
from pyfcrm.measures.s_pmse import pooled_classes, s_pmse, table_distances


def test_a_table_by_hand() -> None:
    """Oracle: 6 and 4 originals, 3 and 7 protected records: (9 / 9 + 9 / 11) / (1 / 2) / 1 by hand, to rounding."""
    [table] = table_distances([np.repeat([0, 1], [6, 4])], [np.repeat([0, 1], [3, 7])])
    assert table.df == 1
    # c = 1/2: (3 - 6)^2 / (9 / 2) + (7 - 4)^2 / (11 / 2)
    assert table.ratio == pytest.approx(9 / 4.5 + 9 / 5.5, rel=1e-14)


@pytest.mark.parametrize("sizes", [(300, 300), (300, 120)])
def test_the_ratio_is_chi_square_of_two_samples_by_the_share_of_originals(sizes: tuple[int, int]) -> None:
    """Oracle: chi-square of the files as rows, N cells; as x + z is fixed, it is (1 - c) times the sum. Grade: 1e-10."""
    rng = np.random.default_rng(1)
    x, z = (rng.integers(0, 4, size) for size in sizes)
    [table] = table_distances([x], [z])
    counts = np.array([np.bincount(x, minlength=4), np.bincount(z, minlength=4)])
    share = sizes[0] / sum(sizes)
    assert table.ratio == pytest.approx(chi2_contingency(counts).statistic / 3 / share, rel=1e-10)


def test_a_draw_from_the_tables_is_near_one_and_the_original_zero() -> None:
    """Oracle: the null expectation, for a release drawn from the original's own table. Grade: statistical, 4 standard errors."""
    rng = np.random.default_rng(2)
    original = rng.integers(0, 5, 1000)
    ratios = []
    for _ in range(200):
        [table] = table_distances([original], [rng.choice(original, 1000)])
        ratios.append(table.ratio)
    assert np.mean(ratios) == pytest.approx(1, abs=4 * np.std(ratios) / np.sqrt(200))
    X = rng.normal(size=(200, 3))
    assert s_pmse(X, X).total == 0


def test_classes_are_fifths_of_both_files() -> None:
    """Oracle: quantiles by hand: 0 to 9 have the breaks 0, 1.8, 3.6, 5.4, 7.2, 9; ties merge classes. Grade: identical."""
    x, z = pooled_classes(np.arange(5.0), np.arange(5.0, 10))
    assert [*x, *z] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    x, z = pooled_classes(np.array([0.0, 0, 0, 1]), np.array([0.0, 0, 0, np.nan]))
    assert [*x, *z] == [0, 0, 0, 1, 0, 0, 0, 5]
    x, z = pooled_classes(np.append(np.zeros(8), [1.0, 2]), np.append(np.zeros(7), [3.0, 9, 5]))
    # The fourth fifth ends at 1.2, between 1 and 2, at place 15.2 of 0 ... 19; the ends before it are 0.
    assert [*x, *z] == [0] * 8 + [0, 1] + [0] * 7 + [1, 1, 1]


def test_a_broken_relation_is_seen_in_two_way_tables_alone() -> None:
    """Oracle: columns in independent orders keep their margins. Grade: identical, and a clear distance."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=800)
    X = np.column_stack([x, x + 0.1 * rng.normal(size=800)])
    Z = np.column_stack([X[:, 0], rng.permutation(X[:, 1])])
    parts = {part.name: part.value for part in s_pmse(X, Z).parts}
    assert parts["one-way tables, mean"] == 0
    assert parts["two-way tables, mean"] > 20


def test_it_is_a_measure_of_evaluate() -> None:
    """Oracle: the function on the columns. Grade: identical."""
    frame = pf.datasets.accounts(150)
    roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    released = pf.protect(frame, pf.IPSO("C"), roles, seed=1)
    value = pf.evaluate(frame, released, measures="s_pmse")["s_pmse"]
    names = ["DEPOSITS", "DEBT"]
    assert value == s_pmse(frame[names].to_numpy(), released.frame[names].to_numpy()).total
