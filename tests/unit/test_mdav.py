"""MDAV by hand; tests/property has loops written from its description. All identical: groups, not figures."""

import numpy as np

from pyfcrm.methods.grouping.mdav import mdav_groups


def column(*values):
    return np.array(values, dtype=float)[:, None]


def test_by_hand():
    """Mean 11: 24 is farthest, 0 farthest from it; {24, 20}, {0, 1}, then what is left."""
    assert mdav_groups(column(0, 1, 10, 11, 20, 24), 2, None).tolist() == [1, 1, 2, 2, 0, 0]


def test_from_2k_to_3k_records_one_group_then_the_rest():
    """Mean 5.4: 20 is farthest; {20, 4}, and the other three."""
    assert mdav_groups(column(20, 1, 4, 2, 0), 2, None).tolist() == [0, 1, 0, 1, 1]


def test_the_opposite_record_is_the_one_farthest_from_the_first():
    """Mean 30/7: 10 is farthest (5.7 against 4.3), and 0 farthest from 10; {10, 8}, {0, 1}, and three are left."""
    assert mdav_groups(column(0, 1, 2, 3, 6, 8, 10), 2, None).tolist() == [1, 1, 2, 2, 2, 0, 0]


def test_of_equally_near_records_the_later_join_and_of_equally_far_the_first_is_taken():
    assert mdav_groups(column(*[5] * 7), 2).tolist() == [2, 2, 2, 1, 1, 0, 0]
    # 0 and 4 are equally far from 2: the first of them starts.
    assert mdav_groups(column(0, 1, 2, 2, 3, 4), 2, None).tolist() == [0, 0, 2, 2, 1, 1]
