"""RStream: what holds for every seed, size and position.

Oracle: the plain path for the compiled one (a twin written from R's C, itself held to live R in tests/parity);
the stream itself for the rest. Grade: identical.
"""

from collections.abc import Callable
from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pyfcrm.rstream import RStream
from pyfcrm.rstream import stream as rstream

seeds = st.integers(-(2**31) + 1, 2**31 - 1)
skips = st.integers(0, 1300)  # past two blocks of 624 words, odd and even
sizes = st.integers(0, 6000)  # past a compiled block of 4096 normals
Draw = Callable[[RStream], np.ndarray]


def both_paths(seed, skip, draw):
    """The draw by the plain and by the compiled path, after `skip` uniforms; they must leave the same state."""
    drawn, states = [], []
    for limit in (2**60, -1):
        stream = RStream(seed)
        stream.runif(skip)
        with mock.patch.multiple(rstream, COMPILED_ABOVE=limit, COMPILED_WHEN_LOADED=limit):
            drawn.append(draw(stream))
        states.append(stream.to_r_state())
    np.testing.assert_array_equal(states[0], states[1])
    return drawn[0], drawn[1]


def assert_same_bits(a, b):
    assert a.dtype == b.dtype
    np.testing.assert_array_equal(a.view(np.int64), b.view(np.int64))


@given(seeds, skips, sizes)
def test_compiled_uniforms_and_normals_are_the_plain_ones(seed, skip, n):
    assert_same_bits(*both_paths(seed, skip, lambda s: s.runif(n)))
    assert_same_bits(*both_paths(seed, skip, lambda s: s.rnorm(n)))


def test_compiled_logarithm_is_the_c_library_s():
    """300,000 tail draws, each through math.log on one path and the compiled log on the other."""
    plain, compiled = both_paths(1, 0, lambda s: s.rnorm(2_000_000))
    assert (np.abs(plain) > 1.44).sum() > 290_000
    assert_same_bits(plain, compiled)


@given(st.data(), seeds, skips)
def test_compiled_samples_are_the_plain_ones(data, seed, skip):
    n = data.draw(st.integers(1, 2**14))
    size = data.draw(st.integers(0, n))
    assert_same_bits(*both_paths(seed, skip, lambda s: s.sample_int(n, size)))


@given(seeds, st.integers(10**7 + 1, 2**50), st.integers(0, 3000))
def test_hashed_samples_are_distinct(seed, n, size):
    assert len(set(RStream(seed).sample_int(n, size).tolist())) == size
