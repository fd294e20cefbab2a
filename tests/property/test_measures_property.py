"""What must hold of the measures on any finite files, and that none of them warns (the run makes warnings errors)."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support import brute
from support.files import two_files

from pyfcrm.linkage.nearest import nearest_share
from pyfcrm.measures.dbrl import dbrl
from pyfcrm.measures.interval import interval_disclosure, interval_disclosure_rank
from pyfcrm.measures.pil import pil
from pyfcrm.measures.prl import prl, prl_tolerance
from pyfcrm.numerics.location import location

MEASURES = [pil, dbrl, prl, prl_tolerance, interval_disclosure, interval_disclosure_rank]
PAIRED = MEASURES[1:]


@pytest.mark.parametrize("measure", MEASURES)
@given(files=two_files())
@settings(max_examples=150)
def test_every_value_is_a_per_cent(measure, files):
    """Whatever the files: 0 .. 100, parts and baselines too."""
    made = measure(*files)
    values = [made.total, *(part.value for part in made.parts)]
    values += [b for b in (made.baseline, *(part.baseline for part in made.parts)) if b is not None]
    assert all(math.isfinite(v) and 0 <= v <= 100 + 1e-9 for v in values)


@pytest.mark.parametrize("measure", MEASURES)
@given(files=two_files(scales=False), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_the_order_of_records_does_not_matter(measure, files, seed):
    """Both files shuffled alike. Close: sums in another order."""
    X, Z = files
    order = np.random.default_rng(seed).permutation(len(X))
    assert measure(X[order], Z[order]).total == pytest.approx(measure(X, Z).total, abs=1e-6)


@given(files=two_files(scales=False), power=st.integers(-200, 200), shift=st.integers(-50, 50))
@settings(max_examples=80)
def test_pil_does_not_depend_on_units(files, power, shift):
    """Powers of two and whole shifts round nothing on whole numbers. Close: the sums behind are shifted.

    Constant columns aside, whose bandwidth R takes from their value.
    """
    X, Z = files
    assume((np.ptp(X, axis=0) > 0).all())
    moved = pil((X + shift) * 2.0**power, (Z + shift) * 2.0**power)
    assert moved.total == pytest.approx(pil(X, Z).total, abs=1e-7)


@given(files=two_files(scales=False))
@settings(max_examples=60)
def test_pil_of_the_original_itself_is_nought(files):
    assert pil(files[0], files[0].copy()).total == 0


@given(files=two_files(most=14, scales=False))
@settings(max_examples=80)
def test_linkage_and_intervals_equal_the_loops(files):
    """Oracle: loops over all pairs. Close."""
    X, Z = files
    assert dbrl(X, Z).total == pytest.approx(brute.dbrl(X, Z), abs=1e-9)
    for measure, oracle in ((interval_disclosure, brute.interval), (interval_disclosure_rank, brute.interval_rank)):
        rows = [(part.value, part.baseline) for part in measure(X, Z).parts]
        assert rows == [pytest.approx(row, abs=1e-9) for row in oracle(X, Z)]


@given(files=two_files())
@settings(max_examples=100)
def test_interval_baselines_equal_the_loop_in_any_units(files):
    """Value and baseline must compare alike whatever x + width rounds to. Oracle: the same test on every pair."""
    X, Z = files
    n = len(X)
    i, k = (index.ravel() for index in np.indices((n, n)))
    made = interval_disclosure(X, Z)
    assert made.baseline == pytest.approx(_all_pairs(X, Z, i, k), abs=1e-9)
    assert made.total == pytest.approx(_all_pairs(X, Z, np.arange(n), np.arange(n)), abs=1e-9)


@given(files=two_files(scales=False))
@settings(max_examples=60)
def test_shares_add_up(files):
    """Over all choices of the own record, one original earns 1: its links' shares. Close."""
    X, Z = files
    total = sum(nearest_share(X, Z, own=np.full(len(X), k)) for k in range(len(Z)))
    assert total == pytest.approx(np.ones(len(X)))


def _all_pairs(X, Z, i, k):
    widths = np.array([p / 100 for p in range(1, 11)])[:, None, None] * location(X).sd
    return 100 * float((np.abs(X[i] - Z[k]) <= widths).mean())
