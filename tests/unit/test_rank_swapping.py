"""Rank swapping: the generator against GSL's published word, orders and longer files against plain twins.

Partners in short files are in test_sorting_at_length.py.
"""

import numpy as np
import pytest
from support import swaps

from pyfcrm import RankSwapping, RStream
from pyfcrm.methods import rank_swapping
from pyfcrm.methods.rank_swapping_kernels import argus_order, sdcmicro_partners
from pyfcrm.rstream import taus88

pytestmark = pytest.mark.compiles


def released(Y, p, form="argus", stream=None, note=None):
    notes = [] if note is None else note
    return RankSwapping(p, form).protect(np.empty((len(Y), 0)), Y, stream or RStream(1), notes.append)


def test_taus88_gives_gsl_s_word():
    """Oracle: GSL's test suite names the 10000th word of its `taus` (the same recurrence) seeded with 1. Identical."""
    first = 69069
    second = 69069 * first % 2**32
    state = first, second, 69069 * second % 2**32
    for _ in range(6 + 10_000):  # GSL throws six words away
        state = taus88.step(*state)
    assert state[0] ^ state[1] ^ state[2] == 2733957125


@pytest.mark.parametrize("seed", [1, 12345, 2**31 - 1, -5])
def test_taus88_is_its_twin(seed):
    """Oracle: the recurrence in binary strings. Identical."""
    state = taus88.seeded(seed)
    twin = swaps.words(*state)
    for _ in range(200):
        state = taus88.step(*state)
        assert state[0] ^ state[1] ^ state[2] == next(twin)


def test_small_seeds_are_filled_up_with_ones():
    """By hand: 1, 3, 7 ... up to 2^20 - 1, the first above 2^19; so 0, 1 and 3 are one stream in sdcMicro too."""
    assert taus88.seeded(1) == (2**20 - 1, 613566701, 858993401)
    assert taus88.seeded(0) == taus88.seeded(3) == taus88.seeded(1)
    assert taus88.seeded(2) == (3 * 2**18 - 1, 613566701, 858993401)  # 10 in binary and eighteen ones
    assert taus88.seeded(-1)[0] == 2**32 - 1


@pytest.mark.parametrize("p", [1, 15, 100])
def test_sdcmicro_partners_of_a_longer_file_are_the_twin_s(p):
    """Identical, over many words of 64 ranks, the last of them not full."""
    n, state = 3001, taus88.seeded(11)
    partner = np.empty(n, np.int64)
    sdcmicro_partners(rank_swapping._sdcmicro_reach(n, p), *state, partner)
    assert partner.tolist() == swaps.sdcmicro_partners(n, p / 100, swaps.words(*state))


def test_the_order_of_ties_is_mu_argus_s():
    """Oracle: the twin's quicksort on columns full of ties. Identical."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, rng.integers(1, 12), size=rng.integers(1, 80)).astype(float)
        order = np.arange(len(y))
        assert argus_order(y.copy(), order, 10**9)
        assert order.tolist() == swaps.argus_order(list(y))


def test_a_sort_that_would_take_too_long_is_given_up_and_noted(monkeypatch):
    """Equal values in file order then: the margin and the window still hold; the release is the stable sort's."""
    y = np.repeat([2.0, 1.0], 200)[:, None]
    monkeypatch.setattr(rank_swapping, "MAX_COMPARISONS", 1000)
    notes = []
    Z = released(y, 5, note=notes)
    assert any("file order" in text for text in notes)
    assert sorted(Z[:, 0]) == sorted(y[:, 0])
    released(y, 0.1, note=(texts := []))  # the defect: the second note came first
    assert "neighbours in rank" in texts[0]
    assert "file order" in texts[1]


def test_sdcmicro_s_generator_is_seeded_by_the_stream_s_seed():
    """Whatever was drawn before; and by one integer of a stream that was never seeded, noted without the integer."""
    Y = np.random.default_rng(3).normal(size=(50, 2))
    used = RStream(5)
    used.runif(7)
    np.testing.assert_array_equal(released(Y, 20, "sdcmicro", RStream(5)), released(Y, 20, "sdcmicro", used))
    bare = RStream.from_r_state(RStream(5).to_r_state())
    drawn = int(bare.copy().sample_int(2**31 - 1, 1)[0])
    notes = []
    Z = released(Y, 20, "sdcmicro", bare, notes)
    np.testing.assert_array_equal(Z, released(Y, 20, "sdcmicro", RStream(drawn)))
    assert notes == ["sdcMicro's generator was seeded with one integer drawn from the stream"]
