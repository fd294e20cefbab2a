"""MDAV's blocks, scans and farthest record, each against brute force on all records. Identical, but where it says."""

import numpy as np
import pytest

from pyfcrm.engine import dispatch
from pyfcrm.methods.grouping import mdav
from pyfcrm.methods.grouping.mdav import mdav_labels, nearest, space, squared_distances
from pyfcrm.methods.grouping.mdav_kernels import (
    blocked,
    farthest_from_mean,
    mdav_compiled,
    near_order,
    scan,
    uncertainty,
)

KINDS = {
    "few values": lambda rng, n, p: rng.integers(0, 3, size=(n, p)).astype(float),
    "normal": lambda rng, n, p: rng.normal(size=(n, p)),
    "far outliers": lambda rng, n, p: rng.standard_cauchy(size=(n, p)) ** 3,
    "far from 0": lambda rng, n, p: np.round(rng.normal(size=(n, p)), 2) + 1e9,
    "thousandths": lambda rng, n, p: rng.integers(0, 9, size=(n, p)) / 1000,
    "vanishing": lambda rng, n, p: np.append(rng.normal(size=(n - 1, p)) * 1e-25, np.ones((1, p)), axis=0),
}


def made(kind, n=150, p=3, size=8, scale="variance", seed=1):
    S = space(KINDS[kind](np.random.default_rng(seed), n, p), scale)
    return S, blocked(np.ascontiguousarray(S.columns.T), S.weights, size)


@pytest.mark.parametrize(("n", "size"), [(1, 4), (4, 4), (5, 4), (33, 4), (33, 1), (33, 64)])
def test_blocks_hold_each_record_once_within_their_boxes(n, size):
    _, B = made("normal", n, size=size)
    real = ~np.isnan(B.squares)
    assert sorted(B.ids[real]) == list(range(n))
    assert real.reshape(-1)[:n].all()  # only the last block is filled up
    assert (B.low.T[:, :, None] <= B.x).all()
    assert (B.high.T[:, :, None] >= B.x).all()


def test_near_records_share_a_block():
    """By hand: halved along the second attribute, whose side is longer, then each half along the first."""
    corners = np.array([[1, 9], [0, 0], [1, 0], [0, 9]], dtype=np.float32)
    order = near_order(np.repeat(corners, 3, axis=0), 3)
    assert {frozenset(piece) for piece in (order // 3).reshape(4, 3).tolist()} == {frozenset({c}) for c in range(4)}


@pytest.mark.slow
@pytest.mark.parametrize("scale", ["variance", None])
@pytest.mark.parametrize("size", [1, 4, 32])
@pytest.mark.parametrize("kind", KINDS)
def test_a_scan_finds_what_brute_force_does(kind, size, scale):
    """From every tenth record, the k nearest in their order, of equal ones the last first, and the first farthest."""
    S, B = made(kind, size=size, scale=scale)
    n = len(B.rows)
    gone = np.random.default_rng(2).random(n) < 0.3
    B.squares[np.isin(B.ids, np.flatnonzero(gone))] = np.nan
    left = np.flatnonzero(~gone)
    for i in range(0, n, 10):
        d = squared_distances(S.columns, S.weights, B.rows[i])
        for k in (1, 7, 40):
            found, distance = np.empty(k, np.int64), np.empty(k)
            farthest = scan(B, B.rows[i].copy(), found, distance, True)
            assert found.tolist() == sorted(left, key=lambda j: (d[j], -j))[:k]
            assert sorted(found) == left[nearest(d[left], k)].tolist()
            assert distance.tolist() == d[found].tolist()
            assert farthest == left[np.argmax(d[left])]
            assert scan(B, B.rows[i].copy(), found, distance, False) == -1


@pytest.mark.parametrize("size", [1, 4, 32])
@pytest.mark.parametrize("kind", KINDS)
def test_the_farthest_from_a_wandering_mean_or_none(kind, size):
    """The first of the farthest, from one mean after another; where the mean is rounded, -1 if another is as far."""
    S, B = made(kind, size=size)
    unsure = uncertainty(B.rows, B.weights)
    reach, seen = np.full(len(B.x), np.inf), np.zeros((B.rows.shape[1], len(B.x)))
    rng, settled = np.random.default_rng(3), 0
    for _ in range(40):
        mean = B.rows[rng.integers(0, len(B.rows), size=3)].mean(axis=0)
        d = squared_distances(S.columns, S.weights, mean)
        record = farthest_from_mean(B, mean, unsure, reach, seen)
        settled += record >= 0
        assert record == np.argmax(d) or (record == -1 and np.sort(d)[-2] >= d.max() * (1 - 1e-6))
    assert settled > 0 or kind in ("thousandths", "vanishing")


def test_whole_numbers_leave_no_doubt_about_the_mean():
    """By hand: 4 values up to 2^51 - 1 make less than 2^53; halves are whole in halves; tenths are not."""
    assert uncertainty(np.array([[2.0**51 - 1], [1.0], [0.0], [-3.0]]), np.ones(1)) == 0
    assert uncertainty(np.array([[2.0**51 - 1], [0.5], [0.0], [-3.0]]), np.ones(1)) > 0
    assert uncertainty(np.array([[0.5], [-7.5]]), np.ones(1)) == 0
    assert uncertainty(np.array([[0.1], [0.3]]), np.ones(1)) > 0
    assert uncertainty(np.arange(10.0)[:, None] * 1e-201, np.ones(1)) > 0  # its square is 0


@pytest.mark.parametrize("scale", ["variance", None])
@pytest.mark.parametrize("size", [1, 2, 7, 128])
@pytest.mark.parametrize("kind", KINDS)
def test_no_size_of_the_blocks_shows(kind, size, scale):
    for seed, (n, p, k) in enumerate([(300, 1, 3), (300, 2, 1), (301, 5, 4), (90, 13, 20)]):
        S, _ = made(kind, n, p, scale=scale, seed=seed)
        labels = np.empty(n, dtype=np.int64)
        mdav_compiled(S.columns, S.weights, k, labels, size)
        assert labels.tolist() == mdav_labels(S.columns, S.weights, k).tolist()


def test_a_file_is_grouped_the_same_with_means_that_are_rounded_and_that_are_not(monkeypatch):
    """Tenths as numbers and as whole numbers of tenths: other roundings of the mean, each as in the plain twin."""
    A = np.random.default_rng(5).integers(0, 6, size=(400, 3)).astype(float)
    for unit in (1.0, 0.1):
        plain = mdav.mdav_groups(A * unit, 3).tolist()
        with monkeypatch.context() as patched:
            patched.setattr(dispatch, "compiled", lambda *_: True)
            assert mdav.mdav_groups(A * unit, 3).tolist() == plain
