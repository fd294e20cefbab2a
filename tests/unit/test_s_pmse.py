"""Tests of S_pMSE of tables."""

import numpy as np
import pandas as pd
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


def households(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The household of each person, its region, and the person's age class: near that of the household."""
    unit = np.repeat(np.arange(count), rng.integers(1, 6, count))
    region = rng.choice(5, count, p=[0.4, 0.3, 0.15, 0.1, 0.05])[unit]
    age = (rng.integers(0, 4, count)[unit] + rng.integers(0, 2, len(unit))) % 4
    return unit, region, age


def redrawn(rng: np.random.Generator, unit: np.ndarray) -> np.ndarray:
    """Records of as many whole households, drawn with replacement."""
    members = [np.flatnonzero(unit == k) for k in range(unit.max() + 1)]
    return np.concatenate([members[k] for k in rng.integers(len(members), size=len(members))])


def test_units_of_one_record_each_change_nothing() -> None:
    """Oracle: the measure without units. Grade: 1e-10."""
    rng = np.random.default_rng(4)
    x, z = rng.integers(0, 4, (2, 300)), rng.integers(0, 5, (2, 280))
    for alone, by_unit in zip(
        table_distances([*x], [*z]), table_distances([*x], [*z], rng.permutation(300)), strict=True
    ):
        assert by_unit.ratio == pytest.approx(alone.ratio, rel=1e-10)
        assert by_unit.df == pytest.approx(alone.df, rel=1e-10)


def test_equal_members_have_a_design_effect_by_hand() -> None:
    """Oracle: households of three equal members are a third as many records: by hand the ratio is a third. Grade: 1e-12."""
    rng = np.random.default_rng(5)
    x, z = rng.integers(0, 4, 100).repeat(3), rng.integers(0, 4, 100).repeat(3)
    [alone] = table_distances([x], [z])
    [together] = table_distances([x], [z], np.arange(100).repeat(3))
    assert together.ratio == pytest.approx(alone.ratio / 3, rel=1e-12)
    assert together.df == pytest.approx(3, rel=1e-12)


def test_whole_households_drawn_anew_are_chance() -> None:
    """Known truth: 400 draws of the file's own households. Grade: statistical, 4 standard errors of the mean of each table.

    Of the draws 1 in 100 is above the 99 % point: at most 3 are. Counted as records drawn alone, regions are 2 to 3 times chance.
    """
    rng = np.random.default_rng(6)
    unit, *columns = households(rng, 200)
    found = []
    for _ in range(400):
        rows = redrawn(rng, unit)
        found.append(table_distances(columns, [column[rows] for column in columns], unit))
    ratios = np.array([[table.ratio for table in each] for each in found])
    np.testing.assert_array_less(np.abs(ratios.mean(axis=0) - 1), 4 * ratios.std(axis=0) / 20)
    above = np.mean([[table.exceeds_chance for table in each] for each in found], axis=0)
    np.testing.assert_array_less(above, 0.03)
    alone = table_distances(columns, [column[rows] for column in columns])
    assert alone[0].ratio / found[-1][0].ratio > 2


def test_evaluate_counts_whole_households() -> None:
    """Oracle: the function with the households. Grade: identical, and a note says so."""
    rng = np.random.default_rng(7)
    unit, region, age = households(rng, 150)
    frame = pd.DataFrame({"hid": unit, "region": region + 0.5, "age": age + 0.5, "x": rng.normal(size=len(unit))})
    roles = pf.Roles([], ["region", "age", "x"], household="hid")
    released = frame.iloc[redrawn(rng, unit)].reset_index(drop=True)
    report = pf.evaluate(frame, released, roles=roles, measures="s_pmse")
    X, Z = (each[["region", "age", "x"]].to_numpy() for each in (frame, released))
    assert report["s_pmse"] == s_pmse(X, Z, unit).total
    assert any("whole units of `hid`" in note for note in report.notes)
