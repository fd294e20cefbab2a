"""V-MDAV: worked by hand from Solanas and Martinez-Balleste (2006). All identical: groups, not figures."""

import numpy as np

from pyfcrm.methods.grouping.mdav import vmdav_groups


def column(*values):
    return np.array(values, dtype=float)[:, None]


def test_a_group_takes_the_neighbour_that_is_nearer_to_it_than_gamma_times_to_others():
    """Mean 12.1: {31, 30}; then {0, 1}, and 1.9: 0.9 from the group, 8.1 from others. 0.9 < 0.2 x 8.1."""
    A = column(0, 1, 1.9, 10, 11, 30, 31)
    assert vmdav_groups(A, 2, None).tolist() == [1, 1, 1, 2, 2, 0, 0]


def test_a_group_reaches_on_from_what_it_took():
    """{0, 1, 2}; 3 joins (1 < 0.2 x 6), and so 9 is 6 away, not 7 (6 < 0.2 x 32 < 7); then it is full."""
    A = column(0, 1, 2, 3, 9, 41, 42, 43, 44, 45)
    assert vmdav_groups(A, 3, None).tolist() == [0] * 5 + [1] * 5
