"""The compiled ways of linkage against their plain twins, which look at every pair. All identical, to the last bit."""

import numpy as np
import pytest

from pyfcrm.engine import worth
from pyfcrm.linkage import agreement, nearest, patterns
from pyfcrm.linkage.agreement import Exact, Tolerance, count_patterns, link_share
from pyfcrm.linkage.em_kernels import leaps, maximise
from pyfcrm.linkage.nearest import all_pairs_share, decided_share, nearest_share
from pyfcrm.linkage.patterns import AgreeingPairs, CompiledPairs, Pairs
from pyfcrm.linkage.probabilistic import pattern_bits, plain_leaps, plain_rounds, probabilistic_linkage
from pyfcrm.linkage.subsets import SubsetPairs
from pyfcrm.measures import prl as prl_measure

RULES = [pytest.param(rule, id=rule.words) for rule in (Exact(), Tolerance(0.25))]


def files(n, p, spread, seed=0):
    """Whole numbers from a few to many different ones, 40 per cent of them kept."""
    rng = np.random.default_rng(seed + n * p)
    X = np.round(rng.normal(size=(n, p)) * spread)
    return X, np.where(rng.random((n, p)) < 0.4, X, np.round(X + rng.normal(size=(n, p)) * spread))


def weightings(codes, p, seed=0):
    """Of patterns: what EM gives in kind (all positive, some 0, some below 0), and without any order; many tie."""
    rng = np.random.default_rng(seed)
    G = (codes[:, None] >> np.arange(p)) & 1
    each = rng.normal(size=p)
    yield from (G @ np.abs(each), G @ each, G @ (each * rng.integers(0, 2, p)), -G.sum(axis=1) * 1.0)
    yield from (np.zeros(len(codes)), rng.normal(size=len(codes)), np.round(rng.normal(size=len(codes))))


@pytest.mark.parametrize("most", [0, 1.5, 1e9])
@pytest.mark.parametrize("threads", [0, 1e9])
@pytest.mark.parametrize("noise", [0.0, 0.05, 0.5, 5.0])
@pytest.mark.parametrize(
    ("n", "p", "digits"), [(1, 1, 0), (16, 2, 0), (17, 3, 1), (300, 1, 1), (700, 2, 1), (700, 5, 9)]
)
def test_decisions_are_those_of_all_distances(monkeypatch, n, p, digits, noise, threads, most):
    """By the tree, by looking at all, or as chosen; on threads or not; with ties or none; own records in any place."""
    monkeypatch.setattr(nearest, "MOST_BLOCKS", most)
    monkeypatch.setattr(nearest, "HOPELESS", 0.9 if most == 1.5 else 1.0)
    monkeypatch.setattr(nearest, "WORTH_THREADS", threads)
    rng = np.random.default_rng(n + p)
    X = np.round(rng.normal(size=(n, p)), digits)
    Z = np.round(X + noise * rng.normal(size=(n, p)), digits)
    order = rng.permutation(n)
    own = np.argsort(order)
    assert decided_share(X, Z[order], own).tolist() == all_pairs_share(X, Z[order], own).tolist()


@pytest.mark.parametrize("most", [0, 1.5, 1e9])
@pytest.mark.parametrize("noise", [0.0, 0.3, 5.0])
def test_a_few_originals_against_a_longer_file(monkeypatch, noise, most):
    """A block of originals, as an engine hands them over, among 5000 records of which some occur twice."""
    monkeypatch.setattr(nearest, "MOST_BLOCKS", most)
    monkeypatch.setattr(nearest, "HOPELESS", 1.0)
    rng = np.random.default_rng(3)
    X = rng.normal(size=(5000, 3))
    Z = X + noise * rng.normal(size=X.shape)
    Z[2500:3000] = Z[:500]
    own = np.arange(40, 80)
    assert decided_share(X[own], Z, own).tolist() == all_pairs_share(X[own], Z, own).tolist()


def test_nobody_is_linked_where_all_are_lost():
    """By hand: every record's equal stands a hundred places further on."""
    X = np.arange(200.0)[:, None]
    assert not decided_share(X, np.roll(X, 100, axis=0), np.arange(200)).any()


@pytest.mark.parametrize("most", [0, 1e9])
def test_a_tie_is_one_part_in_a_million_million(monkeypatch, most):
    """Distances, not squares; rounding makes ties, 1e-9 does not; -0.0 is 0.0. Oracle: by hand, as in test_dbrl."""
    monkeypatch.setattr(nearest, "MOST_BLOCKS", most)
    X, own = np.zeros((1, 1)), np.array([0])
    for Z, share in (
        ([0.1 + 0.2, -0.3], 0.5),
        ([0.3 * (1 + 1e-9), -0.3], 0),
        ([1 + 0.8e-12, 1.0], 0.5),
        ([1 + 1.2e-12, 1.0], 0),
        ([0.0, -0.0, 0.0], 1 / 3),
    ):
        assert decided_share(X, np.array(Z)[:, None], own) == [share]


@pytest.mark.parametrize("most", [0, 1e9])
@pytest.mark.parametrize("factor", [1e-200, 1e-160, 1e150])
def test_tiny_and_huge_distances(monkeypatch, factor, most):
    """Squares that vanish make ties of everything, here as there."""
    monkeypatch.setattr(nearest, "MOST_BLOCKS", most)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2))
    Z = X + 0.5 * rng.normal(size=X.shape)
    own = np.arange(200)
    assert decided_share(X * factor, Z * factor, own).tolist() == all_pairs_share(X * factor, Z * factor, own).tolist()


def test_long_files_take_the_compiled_way(monkeypatch):
    """The choice by size does not show."""
    X, Z = files(150, 3, 4)
    plain = nearest_share(X, Z).tolist()
    linked = probabilistic_linkage(X, Z).share.tolist()
    monkeypatch.setattr(worth, "compiled", lambda kernels, seconds: True)
    assert len(Pairs(Exact().comparison(X, Z)).ways) == 3
    assert len(Pairs(Tolerance().comparison(X, Z)).ways) == 2
    assert nearest_share(X, Z).tolist() == plain
    assert probabilistic_linkage(X, Z).share.tolist() == linked


@pytest.mark.parametrize("bits", [20, 2])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("n", "p", "spread"), [(1, 1, 1), (2, 3, 1), (60, 3, 1), (130, 5, 1), (130, 5, 30), (600, 4, 3)]
)
def test_every_way_counts_and_links_alike(monkeypatch, n, p, spread, rule, bits):
    """Counters laid out and looked up."""
    monkeypatch.setattr(agreement, "MOST_BITS", bits)
    comparison = rule.comparison(*files(n, p, spread))
    plain = count_patterns(comparison)
    ways = [CompiledPairs(comparison), AgreeingPairs(comparison)]
    if not comparison.width.any():
        ways.append(SubsetPairs(comparison))
    for way in ways:
        made = way.count()
        assert made.codes.tolist() == plain.codes.tolist()
        assert made.counts.tolist() == plain.counts.tolist()
        for weight in weightings(plain.codes, p):
            assert way.link(plain, weight).tolist() == link_share(comparison, plain, weight).tolist()


def test_more_patterns_than_there_is_room_for_fall_back(monkeypatch):
    """Ways that cannot count say so, and the plain one does it."""
    monkeypatch.setattr(agreement, "MOST_BITS", 0)
    monkeypatch.setattr(agreement, "MOST_KEYS", 8)
    monkeypatch.setattr(patterns, "worth_compiling", lambda kernels, differences: True)
    comparison = Tolerance(0.25).comparison(*files(100, 6, 1))
    assert CompiledPairs(comparison).count() is None
    assert AgreeingPairs(comparison).count() is None
    assert Pairs(comparison).count().counts.tolist() == count_patterns(comparison).counts.tolist()


def test_counts_beyond_32_bits():
    """All 10^10 pairs of 100 000 records agree on the first attribute, none on the second. By hand."""
    n = 100_000
    X = np.column_stack([np.zeros(n), np.arange(n)])
    comparison = Exact().comparison(X, X + np.array([0, n]))
    made = SubsetPairs(comparison).count()
    assert (made.codes.tolist(), made.counts.tolist()) == ([1], [n * n])


def test_long_files_go_without_the_tolerance_and_say_so(monkeypatch):
    X, Z = files(40, 3, 5)
    both = prl_measure.prl(X, Z)
    monkeypatch.setattr(prl_measure, "MOST_RECORDS", 39)
    alone = prl_measure.prl(X, Z)
    assert alone.total == both.total
    assert [part.name for part in alone.parts] == ["exact agreement"]
    assert "left out, since comparing every pair of 40 records takes long: ask for the measure" in alone.notes[0]
    assert [part.name for part in prl_measure.prl_tolerance(X, Z).parts] == ["agreement within 0.1 sd"]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("n", "p", "spread"), [(1, 1, 1), (60, 3, 1), (300, 6, 3), (150, 20, 3), (400, 4, 20)])
def test_the_compiled_em_is_the_plain_one(n, p, spread, rule):
    """Identical, to the last bit: what a file's linkage is must not depend on what is loaded. Oracle: the plain rounds."""
    patterns = count_patterns(rule.comparison(*files(n, p, spread)))
    G, share = pattern_bits(patterns.codes, p), patterns.counts / patterns.counts.sum()
    plain, fast = np.repeat([[0.9], [0.1]], p, axis=1), np.repeat([[0.9], [0.1]], p, axis=1)
    theirs = plain_rounds(G, share, plain, min(1 / n, 0.5), 3000)
    ours = maximise(G, share, fast, min(1 / n, 0.5), 3000)
    assert ours == theirs
    np.testing.assert_array_equal(fast, plain)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("n", "p", "spread"), [(1, 1, 1), (60, 3, 1), (300, 6, 3), (400, 4, 20)])
def test_the_compiled_acceleration_is_the_plain_one(n, p, spread, rule):
    """Identical, to the last bit, from EM's usual start on: the path, and where it ends. Oracle: the plain leaps."""
    patterns = count_patterns(rule.comparison(*files(n, p, spread)))
    G, share = pattern_bits(patterns.codes, p), patterns.counts / patterns.counts.sum()
    plain = np.repeat([0.9, 0.1, min(1 / n, 0.5)], [p, p, 1])
    fast = plain.copy()
    for most in (3, 4, 30, 600):
        assert leaps(G, share, fast, 0, most) == plain_leaps(G, share, plain, 0, most)
        np.testing.assert_array_equal(fast, plain)
