"""The compiled linkages against their reference implementations, which compare every pair. All identical, to the last bit."""

import numpy as np
import pytest

from pyfcrm.data.blocks import Records
from pyfcrm.engine import dispatch
from pyfcrm.linkage import nearest
from pyfcrm.linkage.agreement import EXACT, Agreement, Comparison, count_patterns, link_share
from pyfcrm.linkage.linker import with_shared_values
from pyfcrm.linkage.nearest import (
    SearchedRecords,
    all_pairs_share,
    all_pairs_ties,
    searched_share,
    squared_distances_by_row,
)
from pyfcrm.linkage.pairs import Pairs, Subsets
from pyfcrm.numerics.location import location

pytestmark = pytest.mark.compiles

RULES = [pytest.param(rule, id=rule.words) for rule in (EXACT, Agreement(0.25))]


def files(n, p, spread, seed=0):
    """Whole numbers from a few to many different ones, 40 per cent of them kept."""
    rng = np.random.default_rng(seed + n * p)
    X = np.round(rng.normal(size=(n, p)) * spread)
    return X, np.where(rng.random((n, p)) < 0.4, X, np.round(X + rng.normal(size=(n, p)) * spread))


def weightings(codes, p, seed=0):
    """Of patterns: like those of EM (all positive, some 0, some below 0), and without any order; many tie."""
    rng = np.random.default_rng(seed)
    G = (codes[:, None] >> np.arange(p)) & 1
    each = rng.normal(size=p)
    yield from (G @ np.abs(each), G @ each, G @ (each * rng.integers(0, 2, p)), -G.sum(axis=1) * 1.0)
    yield from (np.zeros(len(codes)), rng.normal(size=len(codes)), np.round(rng.normal(size=len(codes))))


def coded(X, Z):
    """The values that both files have, as codes from 0; below 0 the others."""
    rows, _ = with_shared_values(Records(np.hstack([X, Z])), on_disk=False)
    return np.hsplit(rows.A, 2)


@pytest.mark.parametrize("surviving", [0.0, 1.0])
@pytest.mark.parametrize("noise", [0.0, 0.05, 0.5, 5.0])
@pytest.mark.parametrize(
    ("n", "p", "digits"), [(1, 1, 0), (16, 2, 0), (17, 3, 1), (300, 1, 1), (700, 2, 1), (700, 5, 9)]
)
def test_searched_shares_are_those_of_all_distances(monkeypatch, n, p, digits, noise, surviving):
    """With and without the scan; with ties or none; own records in any place."""
    monkeypatch.setattr(nearest, "MAX_SURVIVING_SHARE", surviving)
    monkeypatch.setattr(nearest, "SAMPLED_BLOCKS", 3)
    rng = np.random.default_rng(n + p)
    X = np.round(rng.normal(size=(n, p)), digits)
    Z = np.round(X + noise * rng.normal(size=(n, p)), digits)
    order = rng.permutation(n)
    own = np.argsort(order)
    assert searched_share(X, Z[order], own).tolist() == all_pairs_share(X, Z[order], own).tolist()


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.5])
@pytest.mark.parametrize(("n", "p", "digits"), [(17, 3, 1), (300, 1, 1), (700, 2, 1), (700, 5, 9)])
def test_ties_among_records_of_another_block_are_those_of_all_distances(n, p, digits, noise):
    """Originals whose own records are not among those that are searched, with ties or none, and without a candidate."""
    rng = np.random.default_rng(n + p)
    X = np.round(rng.normal(size=(n, p)), digits)
    Z = np.round(rng.permutation(X) + noise * rng.normal(size=(n, p)), digits)
    own = np.round(X + noise * rng.normal(size=(n, p)), digits)
    distance = squared_distances_by_row(X, own)
    by_search = SearchedRecords(Z).ties(X, distance)
    assert by_search.tolist() == all_pairs_ties(X, Z, distance, with_own=False).tolist()
    assert np.isinf(by_search).any() == (noise > 0)


@pytest.mark.parametrize("factor", [1e-200, 1e-160, 1e150])
def test_tiny_and_huge_distances(factor):
    """Squares that vanish tie everything, in both implementations."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2))
    Z = X + 0.5 * rng.normal(size=X.shape)
    own = np.arange(200)
    assert searched_share(X * factor, Z * factor, own).tolist() == all_pairs_share(X * factor, Z * factor, own).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("n", "p", "spread"), [(1, 1, 1), (2, 3, 1), (60, 3, 1), (130, 5, 1), (130, 5, 30), (600, 4, 3), (40, 3, 1e6)]
)
def test_pairs_are_counted_and_linked_as_by_a_loop(monkeypatch, n, p, spread, rule, gaps):
    """Every pair, group-bys, and group-bys without order; own records in any place."""
    monkeypatch.setattr(dispatch, "compiled", lambda kernels, seconds: True)
    X, Z = files(n, p, spread)
    X[np.random.default_rng(2).random(X.shape) < gaps] = np.nan
    width = rule.width(location(X).sd)
    X, Z = coded(X, Z) if rule is EXACT else (X, Z)
    order = np.random.default_rng(1).permutation(len(X))
    own = np.argsort(order)
    comparison = Comparison(X, Z[order], width, own)
    plain, compiled, all_pairs = count_patterns(comparison), Pairs(comparison), Pairs(comparison)
    all_pairs.subsets = None
    subsets = Subsets(comparison) if rule is EXACT else None
    for counted in (compiled.count(), all_pairs.count(), plain if subsets is None else subsets.count()):
        assert counted.codes.tolist() == plain.codes.tolist()
        assert counted.counts.tolist() == plain.counts.tolist()
    for weight in weightings(plain.codes, p):
        expected = link_share(comparison, plain, weight).tolist()
        assert compiled.link(plain, weight).tolist() == expected
        assert all_pairs.link(plain, weight).tolist() == expected
        if subsets is not None:
            assert subsets.link(plain, weight).tolist() == expected


def test_counts_beyond_32_bits():
    """All 10^10 pairs of 100 000 records agree on the first attribute, none on the second. By hand."""
    n = 100_000
    X = np.column_stack([np.zeros(n), np.arange(n)])
    counted = Subsets(Comparison(*coded(X, X + np.array([0, n])), np.zeros(2))).count()
    assert (counted.codes.tolist(), counted.counts.tolist()) == ([1], [n * n])


@pytest.mark.parametrize("share", [searched_share, all_pairs_share])
def test_a_tie_is_one_part_in_a_million_million(share):
    """Distances, not squares; rounding makes ties, 1e-9 does not; -0.0 is 0.0. By hand."""
    X, own = np.zeros((1, 1)), np.array([0])
    for Z, expected in (
        ([0.1 + 0.2, -0.3], 0.5),
        ([0.3 * (1 + 1e-9), -0.3], 0),
        ([1 + 0.8e-12, 1.0], 0.5),
        ([1 + 1.2e-12, 1.0], 0),
        ([0.0, -0.0, 0.0], 1 / 3),
    ):
        assert share(X, np.array(Z)[:, None], own) == [expected]
