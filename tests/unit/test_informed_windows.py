"""Linkage by who knows that values move within windows, blocks or groups of ranks only."""

import numpy as np
import pandas as pd
import pytest
from support.data import S1_DEPENDENT, S1_INDEPENDENT, census_columns, requires_census

import pyfcrm as pf
from pyfcrm.linkage.informed import linked
from pyfcrm.methods.method import NO_ROLES
from pyfcrm.numerics.location import standardise
from pyfcrm.rstream import RStream

METHODS = [
    pf.RankSwapping(4),
    pf.RankSwapping(15),
    pf.RankSwapping(0.3),
    pf.RankSwapping(100),
    pf.RankSwapping(4, form="sdcmicro"),
    pf.RankSwapping(15, form="sdcmicro"),
    pf.Permutation(7),
    pf.Permutation(1),
    pf.Permutation(10_000),
    pf.Microaggregation(3, kind="individual"),
    pf.Microaggregation(11, kind="individual"),
    pf.Microaggregation(3, kind="optimal"),
    pf.Microaggregation(11, kind="optimal"),
]


def tied_frame(n=211):
    """Heaps of zeros, an identity, negatives, whole numbers, ties, and one value nearly always."""
    rng = np.random.default_rng(3)
    a = rng.normal(size=n)
    wage = np.where(rng.random(n) < 0.4, 0.0, np.round(100 * rng.gamma(2.0, size=n), -1))
    rent = np.round(rng.normal(0, 30, size=n) + 20 * a)
    return pd.DataFrame(
        {
            "a": a,
            "wage": wage.astype(np.int64),
            "rent": rent,
            "total": wage + rent,
            "skewed": np.exp(2 * a + rng.normal(size=n)) - 1,
            "tenths": 0.1 * rng.integers(-3, 4, size=n),
            "rare": np.where(np.arange(n) < 3, 1.0, 7.0),
        }
    )


ROLES = pf.Roles(independent=["a"], dependent=["wage", "rent", "total", "skewed", "tenths", "rare"])


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_own_record_is_always_a_candidate(method, seed):
    """Ties, rounding and adjacent groups of equal means included. Identical: 100 per cent."""
    frame = tied_frame()
    released = pf.protect(frame, method, ROLES, seed=seed, allow_unprotected=True)
    report = pf.evaluate(frame, released, roles=ROLES, method=method)
    parts = {part.name: part.value for part in report.results["linkage_informed"].parts}
    assert parts["own record among the candidates"] == 100
    assert report["linkage_informed"] >= report["dbrl"]
    assert report["certain"] <= report["linkage_informed"] + 1e-9


def brute(Y, Z, windows):
    """Share and candidates of each original, pair by pair. windows[i][j] : between which values."""
    y, z, n = standardise(Y), standardise(Z), len(Y)
    share, count = np.zeros(n), np.zeros(n, dtype=int)
    for i in range(n):
        near = {
            k: float(np.linalg.norm(y[i] - z[k]))
            for k in range(n)
            if all(a <= Z[k, j] <= b for j, (a, b) in enumerate(windows[i]))
        }
        count[i] = len(near)
        best = [k for k, d in near.items() if d <= min(near.values()) + 1e-9]
        share[i] = (i in best) / len(best)
    return share, count


@pytest.mark.parametrize("width", [1, 5, 30])
def test_rank_swapping_by_hand(width):
    """Oracle: brute force over all pairs, with each rank an original may have looked up one by one. Identical."""
    rng, n = np.random.default_rng(4), 60
    Y = np.column_stack([rng.normal(size=n), rng.integers(0, 9, size=n), np.zeros(n)])
    method = pf.RankSwapping(100 * width / n)
    Z = method.protect(np.empty((n, 0)), Y, RStream(5))
    windows = []
    for y in Y:
        of_record = []
        for j, value in enumerate(y):
            ranked = np.sort(Y[:, j])
            ranks = np.flatnonzero(ranked == value)
            of_record.append((ranked[max(ranks[0] - width, 0)], ranked[min(ranks[-1] + width, n - 1)]))
        windows.append(of_record)
    share, count = brute(Y, Z, windows)
    found = linked(method.facts(NO_ROLES).attacks[0].scores(np.empty((n, 0)), Y, Z), n)
    np.testing.assert_allclose(found.share, share)
    np.testing.assert_array_equal(found.candidates, count)
    assert found.inside.all()


def test_blocks_by_hand():
    """Ten ranks in blocks of three and a last of four, by hand. Identical."""
    first, last = pf.Permutation(3).facts(NO_ROLES).attacks[0].reach(10)
    assert first.tolist() == [0, 0, 0, 3, 3, 3, 6, 6, 6, 6]
    assert last.tolist() == [2, 2, 2, 5, 5, 5, 9, 9, 9, 9]


def test_without_a_method_linkage_is_by_distance():
    """Oracle: dbrl. Identical."""
    frame = tied_frame()
    released = pf.protect(frame, pf.RankSwapping(5), ROLES, seed=1, allow_unprotected=True).frame
    report = pf.evaluate(frame, released, ROLES.dependent, ["dbrl", "linkage_informed", "certain"])
    assert report["linkage_informed"] == report["dbrl"]
    assert report["certain"] == 0
    with pytest.raises(pf.errors.InvalidParameter, match="`method` must be a method such as"):
        pf.evaluate(frame, released, method="rankswapping")


@requires_census
@pytest.mark.parametrize(("p", "printed"), [(5, 99.6), (10, 91.0), (15, 64.0)])
def test_rank_swapping_on_s1(p, printed):
    """The yardstick's figures. Close: one draw differs from another by about a point."""
    X, Y = census_columns(*S1_INDEPENDENT), census_columns(*S1_DEPENDENT)
    method = pf.RankSwapping(p)
    Z = method.protect(X, Y, RStream(1))
    found = linked(method.facts(NO_ROLES).attacks[0].scores(X, Y, Z), len(Y))
    assert found.inside.all()
    assert found.linked == pytest.approx(printed, abs=3)
