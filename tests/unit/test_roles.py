"""Roles: names in, one role a column. Identical."""

import pytest

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
        ({"dependent": 3}, "`dependent` must be a column name or a list of them"),
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
