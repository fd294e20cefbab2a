"""Controlled permutation: where values go, and what they are, by hand and by the promise."""

import numpy as np
import pytest
from support import brute
from support.data import cloud

from pyfcrm import Permutation, RStream
from pyfcrm.methods.permutation import bandwidth, margin_sample, permuted_in_blocks

Y = cloud(101, 1, 2, seed=3)[1]


def released(Y, k, seed=1, note=None):
    notes = [] if note is None else note
    return Permutation(k).protect(np.empty((len(Y), 0)), Y, RStream(seed), notes.append)


def ranks(A):
    return np.argsort(np.argsort(A, axis=0), axis=0)


def test_permuted_in_blocks():
    """By hand: seven ranks by two are blocks 01 23 456, each ordered by its uniforms."""
    u = RStream(4).runif(7)
    expected = [
        *sorted([0, 1], key=u.__getitem__),
        *sorted([2, 3], key=u.__getitem__),
        *sorted([4, 5, 6], key=u.__getitem__),
    ]
    assert permuted_in_blocks(7, 2, RStream(4)).tolist() == expected
    assert permuted_in_blocks(3, 1, RStream(4)).tolist() == [0, 1, 2]


def test_the_sample_is_silverman_s():
    """Oracle: 6.4.1 in plain Python with R's bw.nrd0. Close: 1e-12."""
    y = [float(v) for v in Y[:, 0]]
    h, mean = brute.nrd0(y), sum(y) / 101
    variance = sum((v - mean) ** 2 for v in y) / 101
    stream = RStream(2)
    chosen, z = stream.sample_int(101, 101, replace=True), stream.rnorm(101)
    expected = [
        mean + (y[i - 1] - mean + h * e) / (1 + h * h / variance) ** 0.5 for i, e in zip(chosen, z, strict=True)
    ]
    np.testing.assert_allclose(margin_sample(Y[:, 0], RStream(2)), expected, rtol=1e-12)


def test_bandwidth_is_r_s_nrd0_and_0_for_a_constant():
    assert bandwidth(Y[:, 0]) == pytest.approx(brute.nrd0([float(v) for v in Y[:, 0]]), rel=1e-12)
    mostly = np.array([0.0] * 9 + [1.0])  # the IQR is 0, so the sd serves
    assert bandwidth(mostly) == pytest.approx(brute.nrd0(mostly.tolist()), rel=1e-12)
    assert bandwidth(np.full(5, 0.1)) == 0


def test_equal_values_are_ranked_at_random():
    """Two attributes of one value each but for one record: file order in both would correlate them. Statistical."""
    n = 2000
    A = np.zeros((n, 2))
    A[0] = 1
    Z = released(A, 1)
    assert abs(np.corrcoef(ranks(Z[1:]), rowvar=False)[0, 1]) < 4 / np.sqrt(n)
