"""Conditions on groups of equal keys. Oracle: the definitions, group by group and value by value. Grade: close."""

import numpy as np
import pytest

from pyfcrm.numerics.group_conditions import Cells, Conditions, Target, equal_distance, ordered_distance

RTOL = 1e-12  # the same sums in another order


@pytest.fixture(scope="module")
def rows():
    """Groups, weights and values of rows; every value from 0 to the largest occurs."""
    random = np.random.RandomState(1)
    groups, values = random.randint(0, 12, 300), np.minimum(random.geometric(0.3, 300), 9) - 1
    return groups, random.randint(1, 4, 300).astype(float), values


def shares_by_group(groups, weights, values):
    table = np.zeros((groups.max() + 1, values.max() + 1))
    np.add.at(table, (groups, values), weights)
    return table, table / table.sum(axis=1, keepdims=True), table.sum(axis=0) / table.sum()


def test_distances_are_their_definitions(rows):
    table, p, q = shares_by_group(*rows)
    groups, weights, values = rows
    cells = Cells.of(groups, weights, values)
    sizes = table.sum(axis=1)
    np.testing.assert_allclose(equal_distance(cells, sizes, q), np.abs(p - q).sum(axis=1) / 2, RTOL)
    by_steps = np.abs(np.cumsum(p - q, axis=1)).sum(axis=1) / (len(q) - 1)
    np.testing.assert_allclose(ordered_distance(cells, sizes, q), by_steps, RTOL)


def test_example_of_the_paper_of_t_closeness():
    """Li, Li and Venkatasubramanian (2007), 4.1: salaries 3 to 11; {3, 4, 5} is at .375, {6, 8, 11} at .167."""
    groups = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
    salaries = np.array([0, 1, 2, 3, 5, 8, 4, 6, 7])
    weights = np.ones(9)
    cells = Cells.of(groups, weights, salaries)
    found = ordered_distance(cells, np.full(3, 3.0), np.full(9, 1 / 9))
    assert found[:2] == pytest.approx([0.375, 1 / 6], rel=RTOL)


def test_failing_groups_are_counted_by_hand():
    groups, weights = np.array([0, 0, 1, 1, 2]), np.array([2.0, 1, 2, 2, 9])
    target = Target(np.array([0, 1, 0, 0, 1]), ordered=False)
    assert Conditions(4).failing(groups, weights, ()).tolist() == [True, False, False]
    assert Conditions(2, l=2).failing(groups, weights, (target,)).tolist() == [False, True, True]
    # In the file 6 of 16 have value 0: the distances are 2/3 - 6/16, 1 - 6/16 and 6/16.
    assert Conditions(2, t=6 / 16).failing(groups, weights, (target,)).tolist() == [False, True, False]
    assert Conditions(2, t=0.25).failing(groups, weights, (target,)).tolist() == [True, True, True]
