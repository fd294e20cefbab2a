"""Microaggregation as a method: means by group, blocks, names, notes and refusals. Identical unless a test says close."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidParameter
from pyfcrm.methods import Microaggregation
from pyfcrm.methods.grouping.mdav import mdav_groups
from pyfcrm.methods.grouping.univariate import ranked_groups
from pyfcrm.methods.microaggregation import group_means
from pyfcrm.methods.work import Run


def released(method, Y):
    notes = []
    run = Run(pf.RStream(1), notes.append, names=tuple("abcde"[: Y.shape[1]]))
    return method.release(np.empty((len(Y), 0)), Y, run), notes


def data(n=31, t=4, seed=0):
    return np.round(np.random.default_rng(seed).gamma(1.0, 50, size=(n, t)))


# --- means -----------------------------------------------------------------------------------------------------------


def test_group_means_by_hand():
    Y = np.array([[1, 10], [2, 20], [3, 60], [6, 40]], dtype=float)
    assert group_means(Y, np.array([1, 0, 1, 0])).tolist() == [[2, 35], [4, 30], [2, 35], [4, 30]]


def test_a_group_of_one_value_keeps_it_to_the_last_digit():
    """0.1 + 0.1 + 0.1 is not 0.3: a plain mean would move it."""
    Y = np.array([[0.1], [0.1], [0.1], [1e12 + 0.1], [1e12 + 0.1], [1e12 + 0.1]])
    np.testing.assert_array_equal(group_means(Y, np.array([0, 0, 0, 1, 1, 1])), Y)


def test_minus_999_is_a_number_like_any_other():
    """sdcMicro's mdav takes -999 for a missing value and leaves it out of distances and means."""
    Y = np.array([[-999, 1], [-998, 2], [-997, 3], [500, 4], [501, 5], [502, 6]], dtype=float)
    Z, _ = released(Microaggregation(k=3), Y)
    assert Z.tolist() == [[-998, 2]] * 3 + [[501, 5]] * 3
    moved, _ = released(Microaggregation(k=3), Y + np.array([1, 0]))
    np.testing.assert_array_equal(moved, Z + np.array([1, 0]))


# --- blocks ----------------------------------------------------------------------------------------------------------


def test_blocks_are_grouped_apart_each_with_its_k():
    """Oracle: the groups of each pair of columns alone. The columns in no block make one more."""
    Y = data(t=5)
    Z, notes = released(Microaggregation(k=4, blocks=[[["b", "d"], 3], [["a"], 8]]), Y)
    np.testing.assert_array_equal(Z[:, [1, 3]], group_means(Y[:, [1, 3]], mdav_groups(Y[:, [1, 3]], 3)))
    np.testing.assert_array_equal(Z[:, [0]], group_means(Y[:, [0]], mdav_groups(Y[:, [0]], 8)))
    np.testing.assert_array_equal(Z[:, [2, 4]], group_means(Y[:, [2, 4]], mdav_groups(Y[:, [2, 4]], 4)))
    assert notes == [
        "dependent attributes 3, 5: in none of the blocks given, so grouped as one more, with k=4",
        "dependent attributes 2, 4: 10 groups of 3 to 4 records",
        "dependent attribute 1: 3 groups of 8 to 15 records",
        "dependent attributes 3, 5: 7 groups of 4 to 7 records",
        "attributes were grouped apart: a value is shared by its group, a whole record need not be",
    ]


def test_in_a_frame_blocks_go_by_name():
    """Oracle: the groups of each block alone, whatever the order of the roles, which decides positions."""
    frame = pd.DataFrame(data(), columns=list("abcd"))
    for names in ("abcd", "dbca"):
        release = pf.protect(
            frame,
            pf.Microaggregation(k=3, blocks={("a", "c"): 4, ("b", "d"): 5}),
            pf.Roles(dependent=list(names)),
            variables="numbers",
        )
        assert release.method == pf.Microaggregation(k=3, blocks={("a", "c"): 4, ("b", "d"): 5})
        for block, k in ((["a", "c"], 4), (["b", "d"], 5)):
            A = frame[block].to_numpy()
            np.testing.assert_array_equal(release.frame[block].to_numpy(), group_means(A, mdav_groups(A, k)))


def test_individual_ranking_takes_each_blocks_k():
    Y = data(t=2)
    Z, _ = released(Microaggregation(k=3, kind="individual", blocks=[(["b"], 5)]), Y)
    np.testing.assert_array_equal(Z[:, [0]], group_means(Y[:, [0]], ranked_groups(Y[:, 0], 3)))
    np.testing.assert_array_equal(Z[:, [1]], group_means(Y[:, [1]], ranked_groups(Y[:, 1], 5)))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("v1,v2", "must be pairs of columns and k"),
        (3, "must be pairs of columns and k"),
        ([], "must be pairs of columns and k"),
        ([([], 3)], "must be pairs of columns and k"),
        ({("a", "b"): 3, "b": 4}, "must name a column once"),
        ([([0.5], 3)], "must hold column names only; got 0.5"),
        ({("a", "b"): 2.5}, "`k of a block` must be a whole number, at least 1; got 2.5"),
    ],
)
def test_blocks_that_are_refused(value, message):
    with pytest.raises(InvalidParameter) as caught:
        Microaggregation(k=3, blocks=value)
    assert message in str(caught.value)
