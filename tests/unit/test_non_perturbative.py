"""Sampling, recoding, top and bottom coding, local suppression. Oracle: worked by hand. Grade: identical."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.data.index import RENUMBERED
from pyfcrm.errors import InvalidInput
from pyfcrm.methods.suppression_levels import emptied_as_levels, group_sizes


@pytest.fixture
def people():
    return pd.DataFrame(
        {
            "name": list("abcdef"),
            "sex": ["m", "m", "f", "f", "f", "m"],
            "town": [1, 1, 1, 2, 2, 2],
            "wage": [10, 20, 30, 40, 50, 900],
            "tax": [1.5, 2.5, np.nan, 4.5, 5.5, 6.5],
        },
        index=[11, 12, 13, 14, 15, 16],
    )


ROLES = pf.Roles(independent=["town"], dependent=["wage"], identifiers=["name"])


def test_sampling_releases_the_records_that_r_would_draw(people):
    # R: set.seed(1); sort(sample.int(6, 3)) is 1 3 4
    released = pf.protect(people, pf.Sampling(0.5), ROLES, seed=1)
    drawn = np.sort(pf.RStream(1).sample_int(6, 3)) - 1
    expected = people.iloc[drawn].drop(columns="name").reset_index(drop=True)
    pd.testing.assert_frame_equal(released.frame, expected)
    assert drawn.tolist() == [0, 2, 3]
    assert released.notes == [
        "an intruder who finds the seed can undo this release: publish a release without a seed",
        RENUMBERED,
        "3 of 6 records are released, with their original values",
        "columns that are not numbers are released unchanged: sex",
    ]


def test_a_sample_is_judged_against_its_own_originals(people):
    released = pf.protect(people, pf.Sampling(0.5), ROLES, seed=1)
    assert pf.records_at_risk(people, released, "wage").record == (11, 13, 14)
    assert pf.variable_changes(people, released, "wage").variables[0]["changed"] == 0


def test_recoding_cuts_at_the_points_given(people):
    released = pf.protect(people, pf.Recoding([20, 50]), ROLES, seed=1).frame
    names = ["(-inf, 20)", "[20, 50)", "[50, inf)"]
    expected = pd.Categorical.from_codes([0, 1, 1, 1, 2, 2], names, ordered=True)
    pd.testing.assert_series_equal(released["wage"], pd.Series(expected, name="wage"))
    assert released.columns.tolist() == ["sex", "town", "wage", "tax"]


def test_recoding_to_means_stays_a_number(people):
    released = pf.protect(people, pf.Recoding({"wage": [20, 50]}, labels=False), ROLES, seed=1).frame
    assert released["wage"].tolist() == [10, 30, 30, 30, 475, 475]
    assert released["wage"].dtype == np.int64


def test_recoding_leaves_gaps_as_gaps(people):
    roles = pf.Roles(dependent=["tax"])
    with pytest.raises(InvalidInput, match="missing"):
        pf.protect(people, pf.Recoding([3]), roles, seed=1)
    released = pf.protect(people, pf.Recoding([3]), roles, seed=1, missing="protect").frame["tax"]
    assert released.isna().tolist() == [False, False, True, False, False, False]
    assert released.dropna().astype(str).tolist() == ["(-inf, 3)", "(-inf, 3)"] + ["[3, inf)"] * 3


def test_top_and_bottom_coding_by_threshold_and_by_quantile(people):
    coded = pf.protect(people, pf.TopBottomCoding(top=50, bottom=20), ROLES, seed=1)
    assert coded.frame["wage"].tolist() == [20, 20, 30, 40, 50, 50]
    assert "wage: 2 of 6 values were coded" in coded.notes
    # R: quantile(c(10,20,30,40,50,900), .8) is 50
    quantile = pf.protect(people, pf.TopBottomCoding(top={"wage": "80%"}), ROLES, seed=1)
    assert quantile.frame["wage"].tolist() == [10, 20, 30, 40, 50, 50]


def test_an_empty_cell_is_a_value_of_its_own(people):
    # Pairs (sex, town): m1 m1 f1 f2 f2 m2. The records f1 and m2 are alone; without town they are f and m, and each
    # would be alone again, without sex they are 1 and 2: either way they end with both empty.
    method = pf.LocalSuppression(2, ["sex", "town"])
    released = pf.protect(people, method, ROLES, seed=1).frame
    empty = released[["sex", "town"]].isna().all(axis=1).tolist()
    assert empty == [False, False, True, False, False, True]
    assert released["wage"].tolist() == people["wage"].tolist()
    assert str(released["town"].dtype) == "Int64"


def test_an_empty_cell_agrees_with_anything(people):
    # The same pairs: with town empty, f1 agrees with both f2, and m2 with both m1. One cell each is the least.
    method = pf.LocalSuppression(2, ["sex", "town"], missing="wildcard")
    released = pf.protect(people, method, ROLES, seed=1).frame
    assert released["town"].isna().tolist() == [False, False, True, False, False, True]
    assert not released["sex"].isna().any()


@pytest.mark.parametrize("k", [2, 3, 5])
def test_local_suppression_gives_strict_k_anonymity(k):
    rng = np.random.default_rng(k)
    for _ in range(40):
        codes = rng.integers(0, 4, size=(int(rng.integers(k, 40)), 3))
        codes[:, 1] = 7
        done = emptied_as_levels(codes, k, [range(3)], np.array([1, 1, 2]))
        assert group_sizes(done).min() >= k
        kept = done != -1
        assert (done[kept] == codes[kept]).all()
        assert kept[:, 1].all()  # a key with one value


def test_lists_and_mappings_can_be_said_on_the_command_line():
    from pyfcrm.methods.text import make_candidates, make_method

    assert make_method("recoding", ["breaks=[1,2,30]"]) == pf.Recoding([1, 2, 30])
    assert make_method("recoding", ['breaks={"wage": [1, 2], "tax": 3}']) == pf.Recoding({"wage": [1, 2], "tax": 3})
    assert make_method("localsuppression", ["k=3,keys=[sex, town]"]) == pf.LocalSuppression(3, ["sex", "town"])
    assert make_method("topbottomcoding", ["top=99%", "bottom=5"]) == pf.TopBottomCoding(top="99%", bottom=5)
    both = make_candidates("recoding:breaks=[1,2]|4:labels=false,sampling:fraction=0.5")
    assert both == [pf.Recoding([1, 2], labels=False), pf.Recoding(4, labels=False), pf.Sampling(0.5)]
    blocks = '[[["a", "b"], 3], ["c", 4]]'
    (one,) = make_candidates(f"microaggregation:k=3:blocks={blocks}")
    expected = pf.Microaggregation(3, blocks={("a", "b"): 3, "c": 4})
    assert one == make_method("microaggregation", ["k=3", f"blocks={blocks}"]) == expected
