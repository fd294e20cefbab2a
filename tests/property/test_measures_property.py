"""What must hold of the measures on any finite files, and that none of them warns."""

import math

import numpy as np
import pytest
from hypothesis import given
from support.files import two_files
from support.measured import ANY_FILES, inputs, numbers
from support.oracles import BRUTE

from pyfcrm.data.attributes import KeyCodes
from pyfcrm.linkage.supervised import supervised_linkage
from pyfcrm.measures import MEASURES
from pyfcrm.measures.dbrl import dbrl
from pyfcrm.measures.interval import interval_disclosure
from pyfcrm.measures.measure import Part
from pyfcrm.numerics.location import location

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("key", ANY_FILES)
@given(files=two_files(columns=4))
def test_every_value_lies_in_its_range(key, files):
    """Whatever the files, parts and baselines too; the original itself has the stated value."""
    measure, result = MEASURES[key], MEASURES[key](*files)
    for part in (Part("total", result.total, result.baseline), *result.parts):
        lower, upper = part.range or (measure.lower, measure.upper)
        assert math.isfinite(part.value)
        assert lower <= part.value <= upper * (1 + 1e-9)
        assert part.baseline is None or 0 <= part.baseline <= 100 + 1e-9
    if measure.identity is not None:
        assert measure(files[0], files[0].copy()).total == measure.identity


@pytest.mark.parametrize("key", ["dbrl", "id", "id_rank", "drisk", "reissued", "uniques", "k_anonymity", "rep_u"])
@given(files=two_files(most=14, scales=False))
def test_values_equal_the_loops(key, files):
    """Oracle: loops over all pairs. Close."""
    value = inputs(key, *files)
    arguments = (KeyCodes(*value),) if MEASURES[key].needs_keys else value
    result, expected = numbers(MEASURES[key](*arguments)), BRUTE[key][0](*value)
    assert {name: result[name] for name in expected} == pytest.approx(expected, abs=1e-9)


@given(files=two_files())
def test_interval_baselines_equal_the_loop_in_any_units(files):
    """Value and baseline must compare alike whatever x + width rounds to. Oracle: the same test on every pair."""
    X, Z = files
    n = len(X)
    i, k = (index.ravel() for index in np.indices((n, n)))
    result = interval_disclosure(X, Z)
    assert result.baseline == pytest.approx(_all_pairs(X, Z, i, k), abs=1e-9)
    assert result.total == pytest.approx(_all_pairs(X, Z, np.arange(n), np.arange(n)), abs=1e-9)


@given(files=two_files(most=12, scales=False, columns=4))
def test_supervised_weights_never_link_less_than_equal_ones(files):
    """Nor more than the bound. By design."""
    X, Z = files
    found = supervised_linkage(X, Z)
    assert found.share.mean() * 100 >= dbrl(X, Z).total - 1e-9
    assert found.share.mean() <= found.bound + 1e-9


def _all_pairs(X, Z, i, k):
    widths = np.array([p / 100 for p in range(1, 11)])[:, None, None] * location(X).sd
    return 100 * float((np.abs(X[i] - Z[k]) <= widths).mean())
