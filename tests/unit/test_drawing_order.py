"""Tests of the order in which the columns of a public file are drawn."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.data import open_frame
from pyfcrm.evaluation.auditing.digest import audit_digest
from pyfcrm.methods.drawing_order import order_by_dependence

ONE_AFTER_ANOTHER = "drawn one after another"


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Records whose column `cause` decides all others but `noise`; `level` has three values and decides `shift`."""
    rng = np.random.default_rng(7)
    n = 600
    level = rng.integers(0, 3, n)
    cause = rng.normal(size=n)
    return pd.DataFrame(
        {
            "noise": rng.normal(size=n),
            "effect": np.sin(3 * cause) + 0.1 * rng.normal(size=n),
            "shift": level + 0.1 * rng.normal(size=n),
            "cause": cause,
            "level": np.array(list("abc"))[level],
            "other": cause**2 + 0.1 * rng.normal(size=n),
        }
    )


def order_in_notes(released: pf.Protected) -> list[str]:
    [text] = [str(note) for note in released.all_notes if ONE_AFTER_ANOTHER in str(note)]
    return text.split(": ")[1].split(", ")


def test_columns_of_few_values_come_first_then_those_on_which_others_depend(frame: pd.DataFrame) -> None:
    """Oracle: how the file was made. Grade: identical."""
    roles = pf.Roles(dependent=list(frame.columns), product="public")
    order = order_in_notes(pf.protect(frame, pf.Sequential(), roles, seed=1))
    assert order[:2] == ["level", "cause"]
    assert order[-1] == "noise"
    assert sorted(order) == sorted(frame.columns)


def test_a_research_file_and_a_given_order_stay(frame: pd.DataFrame) -> None:
    """Oracle: the columns' order, and the order given. Grade: identical."""
    names = list(frame.columns)
    assert order_in_notes(pf.protect(frame, pf.Sequential(), pf.Roles(dependent=names), seed=1)) == names
    public = pf.Roles(dependent=names, product="public")
    order = order_in_notes(pf.protect(frame, pf.Sequential(order=["other", "noise"]), public, seed=1))
    assert order[:4] == ["other", "noise", "level", "cause"]


def test_the_order_follows_neither_the_records_order_nor_units() -> None:
    """Oracle: the same columns in other units, and records in another order. Grade: identical."""
    rng = np.random.default_rng(3)
    cause = rng.normal(size=500)
    Y = np.column_stack([rng.normal(size=500), cause + rng.normal(size=500), cause, np.exp(cause)])
    order = order_by_dependence(Y, ())
    assert order[-1] == 0
    assert order_by_dependence(Y * [1e6, 1e-6, 1e9, 1], ()) == order
    assert order_by_dependence(Y[rng.permutation(500)], ()) == order


def test_columns_of_one_value_and_one_column_have_an_order() -> None:
    """Oracle: definition. Grade: identical."""
    assert order_by_dependence(np.arange(5.0)[:, None], ()) == [0]
    assert order_by_dependence(np.column_stack([np.ones(40), np.arange(40.0)]), ()) == [0, 1]


def test_an_audit_of_a_research_file_is_not_that_of_a_public_one(frame: pd.DataFrame) -> None:
    """Oracle: the releases of the two products differ, and an audit belongs to one. Grade: identical."""
    names = ["effect", "shift", "cause"]
    original = open_frame("test", frame)
    research = audit_digest(original, pf.Roles(dependent=names), pf.Sequential())
    public = audit_digest(original, pf.Roles(dependent=names, product="public"), pf.Sequential())
    assert research != public
