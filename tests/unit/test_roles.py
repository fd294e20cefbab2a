"""Roles: names in, one role a column. Identical."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm import Roles
from pyfcrm.data import as_roles
from pyfcrm.errors import InvalidParameter


def test_lists_and_single_names_and_nothing():
    assert Roles() == Roles(None, [], ())
    result = Roles(independent="a", dependent=["b", "c"], identifiers="id")
    assert (result.independent, result.dependent, result.identifiers) == (("a",), ("b", "c"), ("id",))
    assert Roles("a", ["b", "c"], "id") == result


def test_unknown_columns_leave_as_they_came_with_a_role_or_without():
    result = Roles("a", "b", "c", ["a", "d"])
    assert result.unknown == ("a", "d")
    assert Roles("a", "b", "c") != result


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"independent": "a", "dependent": "a"}, "`dependent` must not name a column that is already independent"),
        ({"dependent": "a", "identifiers": "a"}, "`identifiers` must not name a column that is already dependent"),
        ({"independent": "a", "identifiers": ["b", "a"]}, "`identifiers` must not name a column that is already indep"),
        ({"dependent": "a", "unknown": "a"}, "`unknown` must not name a column that is already dependent"),
        ({"identifiers": "a", "unknown": "a"}, "`unknown` must not name a column that is already identifiers"),
        ({"dependent": 3.5}, "`dependent` must be a column name or a list of them"),
    ],
)
def test_refused(roles, message):
    with pytest.raises(InvalidParameter, match=f"^Roles: {message}"):
        Roles(**roles)


def test_as_roles():
    result = Roles(dependent="b")
    assert as_roles("protect", result) is result
    with pytest.raises(InvalidParameter, match=r"^protect: `roles` must be a Roles\(.*got 'dict'"):
        as_roles("protect", {"dependent": "b"})
    with pytest.raises(InvalidParameter, match=r"^protect: `dependent` must name at least one column"):
        as_roles("protect", Roles(independent="a"))


REPLICATES = {"dependent": "y", "replicate_weights": ["r1", "r2", "r3", "r4"]}


@pytest.mark.parametrize(
    ("given", "name", "rule"),
    [
        ({"replicate_type": "brr"}, "replicate_type", "one of 'BRR', 'Fay'"),
        ({"replicate_type": "BRR", "replicate_weights": "r1"}, "replicate_type", "at least two `replicate_weights`"),
        ({"replicate_type": "Fay"}, "replicate_scale", "must be given for Fay"),
        ({"replicate_type": "JKn"}, "replicate_rscales", "must be given for JKn"),
        ({"replicate_type": "JKn", "replicate_rscales": [0.5, 0.5]}, "replicate_rscales", "one for each of the 4"),
        ({"replicate_type": "JK1", "replicate_rscales": [0.5, -1, 1, 1]}, "replicate_rscales", "at least 0"),
        ({"replicate_scale": 0.1}, "replicate_scale", "must come with `replicate_type`"),
        ({"psu": "y"}, "psu", "already dependent"),
        ({"psu": "d", "sampling_stratum": "d"}, "sampling_stratum", "already psu"),
    ],
)
def test_a_sampling_design_that_is_refused(given, name, rule):
    with pytest.raises(InvalidParameter, match=f"^Roles: `{name}` .*{rule}"):
        Roles(**(REPLICATES | given))


def test_columns_of_the_sampling_design_may_be_predictors_or_ids():
    roles = Roles(["region"], "wage", household="hh", psu="hh", sampling_stratum="region")
    assert roles.design_columns == ("hh", "region")
    assert roles.has_sampling_design
    assert roles.not_known == ()
    assert Roles("a", "b", psu="p", sampling_stratum="s").not_known == ("p", "s")


def test_replicate_weights_of_no_type_are_no_design():
    assert not Roles(**REPLICATES).has_sampling_design
    assert Roles(**REPLICATES, replicate_type="JKn", replicate_rscales=0.5).replicate_rscales == (0.5,)


def test_labels_of_pandas_that_are_whole_numbers_name_columns():
    """Oracle: the same release with names that are texts. Grade: identical."""
    values = np.random.default_rng(1).normal(size=(60, 3))
    numbered = pf.protect(pd.DataFrame(values), pf.IPSO(), pf.Roles([1, np.int64(2)], [0]), 1).frame
    named = pf.protect(pd.DataFrame(values, columns=["a", "b", "c"]), pf.IPSO(), pf.Roles(["b", "c"], ["a"]), 1).frame
    assert list(numbered.columns) == [0, 1, 2]
    assert (numbered.to_numpy() == named.to_numpy()).all()
    assert pf.Roles(dependent=0, weight=2) == pf.Roles(dependent="0", weight="2")


@pytest.mark.parametrize("label", [True, 1.5, None, ("a", 1)])
def test_other_labels_name_no_column(label):
    with pytest.raises(InvalidParameter):
        pf.Roles([label], ["a"])
