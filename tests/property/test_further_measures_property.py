"""What must hold of the further measures on any finite files; warnings are errors in this run."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import brute_measures
from support.files import two_files

from pyfcrm.linkage.supervised import supervised_linkage
from pyfcrm.measures import MEASURES
from pyfcrm.measures.dbrl import dbrl
from pyfcrm.measures.keys import agreeing
from pyfcrm.measures.measure import Measure

KEYS = ["dbrl_mahalanobis", "dbrl_subsets", "um", "cm3", "pmse", "specks", "correlation_difference", "il1", "il1s",
        "eigen", "drisk", "reissued"]  # fmt: skip


def measure(key):
    made = MEASURES[key]
    assert isinstance(made, Measure)
    return made


@pytest.mark.parametrize("key", KEYS)
@given(files=two_files(columns=4))
@settings(max_examples=100)
def test_every_value_lies_in_its_range(key, files):
    """Whatever the files, parts and baselines too; the original itself has the stated value."""
    facts, made = measure(key).facts, measure(key).compute(*files)
    assert math.isfinite(made.total)
    assert facts.lower <= made.total <= facts.upper * (1 + 1e-9)
    for part in made.parts:
        lower, upper = part.range or (facts.lower, facts.upper)
        assert math.isfinite(part.value)
        assert lower <= part.value <= upper * (1 + 1e-9)
        assert part.baseline is None or 0 <= part.baseline <= 100 + 1e-9
    if facts.identity is not None:
        assert measure(key).compute(files[0], files[0].copy()).total == facts.identity


@pytest.mark.parametrize("key", KEYS)
@given(files=two_files(scales=False, columns=4), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=50)
def test_the_order_of_records_does_not_matter(key, files, seed):
    """Both files shuffled alike; and the release alone where pairs do not matter. Close: sums in another order."""
    X, Z = files
    order = np.random.default_rng(seed).permutation(len(X))
    made = measure(key).compute(X, Z).total
    assert measure(key).compute(X[order], Z[order]).total == pytest.approx(made, abs=1e-6, rel=1e-6)
    if not measure(key).facts.paired:
        assert measure(key).compute(X, Z[order]).total == pytest.approx(made, abs=1e-6, rel=1e-6)


@given(files=two_files(most=14, scales=False, columns=4))
@settings(max_examples=60)
def test_drisk_and_specks_equal_the_loops(files):
    """Oracle: loops over all pairs. Close."""
    X, Z = files
    made = measure("drisk").compute(X, Z)
    for line, k in zip(made.parts[:2], (0.05, 0.01), strict=True):
        assert (line.value, line.baseline) == pytest.approx(brute_measures.drisk(X, Z, k), abs=1e-9)


@given(files=two_files(most=12, scales=False, columns=4))
@settings(max_examples=60)
def test_supervised_weights_never_link_less_than_equal_ones(files):
    """Nor more than the bound. By design."""
    X, Z = files
    found = supervised_linkage(X, Z)
    assert found.share.mean() * 100 >= dbrl(X, Z).total - 1e-9
    assert found.share.mean() <= found.bound + 1e-9


@given(data=st.data())
@settings(max_examples=80)
def test_agreeing_equals_the_loops(data):
    """Oracle: every pair of records. Identical."""
    n, q = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 3))
    cells = data.draw(st.lists(st.integers(-1, 2), min_size=n * q, max_size=n * q))
    K = np.array(cells, dtype=np.int64).reshape(n, q)
    assert agreeing(K).tolist() == brute_measures.agreeing(K)
