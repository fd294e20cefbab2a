"""pyfcrm methods. Oracle: the methods' own declarations. Identical."""

import inspect
from dataclasses import fields

import pytest
from support.cli import pyfcrm

from pyfcrm.methods import METHODS


def test_all_of_them():
    ran = pyfcrm("methods")
    assert (ran.status, ran.err) == (0, "")
    _, _, *rows, last = ran.out.splitlines()
    assert [row.split()[0] for row in rows] == [method.__name__ for method in METHODS.values()]
    assert all(method.about in row for row, method in zip(rows, METHODS.values(), strict=True))
    assert last.endswith("pyfcrm methods NAME")


@pytest.mark.parametrize("name", METHODS)
def test_one_of_them(name):
    """Its parameters in order, its source, and what its docstring says."""
    method = METHODS[name]
    ran = pyfcrm("methods", name)
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == f"{method.__name__}: {method.about}"
    assert lines[1] == f"Source: {method.source}"
    documented = inspect.cleandoc(method.__doc__).splitlines()
    assert lines[-len(documented) :] == documented
    rows = lines[5 : 5 + len(fields(method))]
    assert [row.split()[0] for row in rows] == [f.name for f in fields(method)] or lines[3] == "It has no parameters."


def test_the_condition_of_a_parameter_is_an_assignment():
    """The words with which a parameter has an effect are printed as they are assigned."""
    assert 'only with margins="smooth"' in pyfcrm("methods", "calibrated").out
    assert 'only with release="predict" or "draw"' in pyfcrm("methods", "fcrm").out
