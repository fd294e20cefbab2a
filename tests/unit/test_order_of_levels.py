"""The order in which a frame declares its categories does not enter a release.

Oracle: the same file with text columns. Grade: identical.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pyfcrm as pf

METHODS = {
    "ipso": pf.IPSO("C"),
    "fcrm": pf.FCRM(3, release="model"),
    "calibrated": pf.Calibrated(pf.IPSO("C")),
    "sequential": pf.Sequential(),
    "arf": pf.ARF(trees=4),
    "pram": pf.PRAM(keep=0.5),
}
REGION, SIZE = ["West", "South", "North", "East"], ["small", "middle", "large"]


def text_file(n=240):
    rng = np.random.default_rng(5)
    region, size = rng.choice(REGION, n), rng.choice(SIZE, n)
    wage = np.round(1000 + 100 * np.searchsorted(sorted(REGION), region) + rng.normal(0, 80, n), 2)
    rent = np.round(0.3 * wage + 50 * (size == "large") + rng.normal(0, 20, n), 2)
    return pd.DataFrame({"region": region, "size": size, "wage": wage, "rent": rent})


def declared(kind, frame):
    """The file with its texts as categories that declare another order."""
    if kind == "polars":
        enums = {"region": pl.Enum(REGION), "size": pl.Enum(SIZE)}
        return pl.DataFrame(frame.to_dict("list")).cast(enums)
    ordered = kind == "ordered"
    types = {"region": pd.CategoricalDtype(REGION, ordered), "size": pd.CategoricalDtype(SIZE, ordered)}
    return frame.astype(types)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["unordered", "ordered", "polars"])
@pytest.mark.parametrize("name", METHODS)
def test_a_release_is_that_of_the_text_file(name, kind):
    dependent = ["size"] if name == "pram" else ["wage", "rent", "size"]
    frame, roles = text_file(), pf.Roles(["region"], dependent)
    expected = pf.protect(frame, METHODS[name], roles, seed=1).frame
    released = pf.protect(declared(kind, frame), METHODS[name], roles, seed=1).frame
    for column in frame.columns:
        assert list(released[column]) == list(expected[column]), column


def test_the_reference_of_a_regression_is_the_first_declared_level():
    frame = declared("unordered", text_file())
    result = pf.analyse(frame, frame, "wage ~ region")
    terms = [str(term) for term in result.to_frame().iloc[:, 0]]
    assert not any("West" in term for term in terms)
