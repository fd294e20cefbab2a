"""V-MDAV: worked by hand from Solanas and Martinez-Balleste (2006). All identical: groups, not figures."""

import numpy as np
import pytest

from pyfcrm.methods.grouping import vmdav_groups


def column(*values):
    return np.array(values, dtype=float)[:, None]


def test_a_group_takes_the_neighbour_that_is_nearer_to_it_than_gamma_times_to_others():
    """Mean 12.1: {31, 30}; then {0, 1}, and 1.9: 0.9 from the group, 8.1 from others. 0.9 < 0.2 x 8.1."""
    A = column(0, 1, 1.9, 10, 11, 30, 31)
    assert vmdav_groups(A, 2, 0.2, None).tolist() == [1, 1, 1, 2, 2, 0, 0]
    # 0.9 > 0.1 x 8.1: 1.9, now the farthest left, takes 10, and the last record, with no others, joins them.
    assert vmdav_groups(A, 2, 0.1, None).tolist() == [1, 1, 2, 2, 2, 0, 0]


def test_a_group_reaches_on_from_what_it_took():
    """Mean 3.6: {0, 1, 2}; 3 joins (1 < 1.1 x 1), and so 4 is 1 away, not 2 (1 < 1.1 x 1.5); then it is full."""
    A = column(0, 1, 2, 3, 4, 5.5, 6.4, 7.2)
    assert vmdav_groups(A, 3, 1.1, None).tolist() == [0, 0, 0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("seed", range(5))
def test_clusters_are_found_whole(seed):
    """Known truth: clusters of 3, 4 and 5 records, far apart, with the authors' gamma for clustered data."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], [3, 4, 5])
    centers = np.array([[0, 0], [1000, 0], [400, 900]])[truth]
    order = rng.permutation(12)
    labels = vmdav_groups((centers + rng.uniform(-1, 1, size=(12, 2)))[order], 3, 1.1)
    found = {tuple(np.sort(order[labels == g])) for g in range(3)}
    assert found == {(0, 1, 2), (3, 4, 5, 6), (7, 8, 9, 10, 11)}
