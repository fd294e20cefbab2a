"""Fills of gaps follow the rules of a release: zeros, orders, identities. By hand, identical."""

import numpy as np

from pyfcrm.constraints import parsed
from pyfcrm.constraints.accepted import Accepted
from pyfcrm.protection.fills import follow_rules

NONE = Accepted(derived={}, together=(), texts=())


def test_fills_of_an_order_are_drawn_at_their_rank_among_values_that_keep_it():
    """Of the observed 1, 2, 3, 4 the last fill, above all, becomes the larger of two values of at most 2; the first stays."""
    low = np.array([1.0, 2.0, 3.0, 4.0, 1.0, 4.0])
    high = np.array([5.0, 5.0, 5.0, 5.0, 5.0, 2.0])
    gaps = {"low": np.array([0, 0, 0, 0, 1, 1], dtype=bool)}
    follow_rules({"low": low, "high": high}, gaps, accepted=None, constraints=parsed("protect", "low <= high"))
    np.testing.assert_array_equal(low, [1, 2, 3, 4, 1, 2])
    np.testing.assert_array_equal(high, [5, 5, 5, 5, 5, 2])


def test_fills_that_no_observed_value_allows_are_equal_to_the_other_column():
    low = np.array([3.0, 3.0, 4.0])
    high = np.array([5.0, 5.0, 2.0])
    gaps = {"low": np.array([False, False, True])}
    follow_rules({"low": low, "high": high}, gaps, accepted=None, constraints=parsed("protect", "low <= high"))
    np.testing.assert_array_equal(low, [3, 3, 2])


def test_observed_cells_that_break_an_order_stay():
    low = np.array([3.0, 1.0])
    high = np.array([2.0, 2.0])
    gaps = {"low": np.array([False, True])}
    follow_rules({"low": low, "high": high}, gaps, accepted=None, constraints=parsed("protect", "low <= high"))
    np.testing.assert_array_equal(low, [3, 1])


def test_fills_are_zero_with_observed_zeros_and_solve_identities():
    columns = {
        "hours": np.array([0.0, 10.0, 0.0]),
        "wage": np.array([7.0, 8.0, 9.0]),
        "bonus": np.array([1.0, 2.0, 3.0]),
        "total": np.array([4.0, 12.0, 9.0]),
    }
    gaps = {"wage": np.array([True, True, False]), "bonus": np.array([True, False, True])}
    rules = Accepted(
        derived={"total": {"wage": 1.0, "bonus": 1.0}}, together=(), zero_where=(("wage", "hours"),), texts=()
    )
    follow_rules(columns, gaps, accepted=rules, constraints=())
    # Two fills of one record stay; one alone is what the total leaves. An observed wage without hours stays.
    np.testing.assert_array_equal(columns["wage"], [0, 10, 9])
    np.testing.assert_array_equal(columns["bonus"], [1, 2, 0])


def test_columns_without_rules_stay():
    columns = {"a": np.array([1.0, 2.0])}
    follow_rules(columns, {"a": np.array([True, False])}, accepted=NONE, constraints=())
    np.testing.assert_array_equal(columns["a"], [1, 2])
