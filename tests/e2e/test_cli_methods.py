"""pyfcrm methods. Oracle: the methods' own declarations. Identical."""

from __future__ import annotations

import inspect
import json
from dataclasses import MISSING, fields

import pytest
from support.cli import pyfcrm, refused

from pyfcrm.methods import METHODS


def test_all_of_them():
    ran = pyfcrm("methods")
    assert (ran.status, ran.err) == (0, "")
    _, _, *rows, last = ran.out.splitlines()
    assert [row.split()[0] for row in rows] == [method.__name__ for method in METHODS.values()]
    for row, method in zip(rows, METHODS.values(), strict=True):
        assert method.about in row
        assert method.source in row
        assert all(f.name in row for f in fields(method))
    assert last.endswith("One method in full: pyfcrm methods NAME")


@pytest.mark.parametrize("name", METHODS)
def test_one_of_them(name):
    """Its parameters in order, its source, and what its docstring says."""
    method = METHODS[name]
    ran = pyfcrm("methods", name)
    assert (ran.status, ran.err) == (0, "")
    said = ran.out.splitlines()
    assert said[0] == f"{method.__name__}: {method.about}"
    assert said[1] == f"Source: {method.source}"
    documented = inspect.cleandoc(method.__doc__).splitlines()
    assert said[-len(documented) :] == documented
    rows = said[5 : 5 + len(fields(method))]
    assert [row.split()[0] for row in rows] == [f.name for f in fields(method)] or said[3] == "It has no parameters."


@pytest.mark.parametrize("word", ["RankSwapping", "rank_swapping", "RANK-SWAPPING"])
def test_names_are_taken_as_by_protect(word):
    found = json.loads(pyfcrm("methods", word, "--json").out)["methods"]
    assert [one["name"] for one in found] == ["rankswapping"]


def test_json_has_what_set_takes():
    """Names, defaults and what must be given, as the constructors have them."""
    found = json.loads(pyfcrm("methods", "--json").out)["methods"]
    assert [one["class"] for one in found] == [method.__name__ for method in METHODS.values()]
    for one in found:
        method = METHODS[one["name"]]
        assert (one["about"], one["source"]) == (method.about, method.source)
        assert [p["parameter"] for p in one["parameters"]] == [f.name for f in fields(method)]
        assert [p["required"] for p in one["parameters"]] == [f.default is MISSING for f in fields(method)]
        defaults = [None if f.default is MISSING else f.default for f in fields(method)]
        assert [p["default"] for p in one["parameters"]] == defaults


def test_one_there_is_not(tmp_path):
    assert (
        refused(tmp_path, lambda: pyfcrm("methods", "ipos"))
        == "methods: no method is called `ipos`; did you mean `ipso`"
    )
