"""RStream's known values and its rules.

Oracle of the literals: R 4.2.2, printed with sprintf("%.17g"), which gives every bit. Grade: identical.
"""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

from pyfcrm.rstream import RStream


def test_uniforms_of_r():
    # set.seed(1); runif(3) and set.seed(-1); runif(2)
    assert RStream(1).runif(3).tolist() == [0.26550866314209998, 0.37212389963679016, 0.57285336335189641]
    assert RStream(-1).runif(2).tolist() == [0.48666717973537743, 0.19136525527574122]


def test_normals_of_r():
    # set.seed(1); rnorm(3) and set.seed(2147483647); rnorm(2)
    assert RStream(1).rnorm(3).tolist() == [-0.62645381074233242, 0.18364332422208224, -0.83562861241004716]
    assert RStream(2147483647).rnorm(2).tolist() == [0.49490790107688132, -0.85323596952647529]


def test_samples_of_r():
    assert RStream(42).sample(10).tolist() == [1, 5, 10, 8, 2, 4, 6, 9, 7, 3]
    assert RStream(10).sample_int(100, 5, replace=True).tolist() == [9, 74, 76, 55, 72]
    assert RStream(1).sample_int(20_000_000, 4).tolist() == [10938497, 17633234, 12201267, 18120554]
    # set.seed(1); sample.int(4.5e15, 3, replace = TRUE): four words a draw
    wide = [2356543641544833, 534349528607019, 3676565904436531]
    assert RStream(1).sample_int(4.5e15, 3, replace=True).tolist() == wide


def test_state_of_r():
    # set.seed(1); .Random.seed[c(1:4, 626)], before and after one runif
    stream = RStream(1)
    assert stream.to_r_state()[[0, 1, 2, 3, 625]].tolist() == [10403, 624, -169270483, -442010614, -689249108]
    stream.runif(1)
    assert stream.to_r_state()[[0, 1, 2, 3, 625]].tolist() == [10403, 1, 1654269195, -1877109783, 1450597184]
    assert stream.to_r_state().dtype == np.int32
    assert stream.to_r_state().shape == (626,)


def test_matrices_fill_by_columns():
    # set.seed(1); matrix(rnorm(6), 3, 2)[2, ]
    assert RStream(1).rnorm_matrix(3, 2)[1].tolist() == [0.18364332422208224, 0.32950777181536051]
    assert RStream(1).runif_matrix(3, 2)[:, 0].tolist() == RStream(1).runif(3).tolist()
    assert RStream(1).runif_matrix(0, 4).shape == (0, 4)
    assert RStream(1).rnorm_matrix(4, 0).shape == (4, 0)


def test_fresh_entropy_is_a_whole_state():
    """624 words of the system's, as R's .Random.seed, and no state that a seed of R's leads to.

    R's seeding is linear: word k + 1 is 69069 times word k, plus 1. Of a state that nobody can try none of the 623 pairs
    is so (chance: once in 7 million for one of them).
    """
    states = [RStream().to_r_state() for _ in range(20)]
    seeded = RStream(1).to_r_state()[2:].view(np.uint32).astype(np.uint64)
    assert ((seeded[:-1] * 69069 + 1) % 2**32 == seeded[1:]).all()
    for state in states:
        assert state[:2].tolist() == [10403, 624]  # the next draw makes 624 new words, as after set.seed
        words = state[2:].view(np.uint32).astype(np.uint64)
        assert ((words[:-1] * 69069 + 1) % 2**32 == words[1:]).sum() == 0
        assert len(np.unique(words)) > 600
        assert not (state[2:] == -(2**31)).any()  # R's NA
    assert len({state.tobytes() for state in states}) == 20
    assert RStream().seed is None


def test_a_fresh_stream_is_copied_pickled_and_taken_from_its_state():
    stream = RStream(None)
    twins = [
        stream.copy(), copy.copy(stream), copy.deepcopy(stream), pickle.loads(pickle.dumps(stream)),
        RStream.from_r_state(stream.to_r_state()), RStream.from_r_state(stream.to_r_state().tolist()),
    ]  # fmt: skip
    expected = stream.rnorm(701).tolist()
    assert all(twin.rnorm(701).tolist() == expected for twin in twins)


def broken(place, value):
    state = RStream(1).to_r_state().tolist()
    state[place] = value
    return state


def test_states_come_as_lists_floats_and_with_the_word_r_calls_na():
    expected = RStream(1).runif(2).tolist()
    assert RStream.from_r_state(RStream(1).to_r_state().tolist()).runif(2).tolist() == expected
    assert RStream.from_r_state(RStream(1).to_r_state().astype(float)).runif(2).tolist() == expected
    assert RStream.from_r_state(broken(9, -(2**31))).to_r_state()[9] == -(2**31)


def test_state_handed_in_or_out_is_not_shared():
    stream = RStream(1)
    out = stream.to_r_state()
    other = RStream.from_r_state(out)
    out[2:] = 1
    assert other.runif(2).tolist() == stream.runif(2).tolist() == RStream(1).runif(2).tolist()


@pytest.mark.process
def test_small_draws_do_not_load_the_compiler():
    code = (
        "import sys; from pyfcrm.rstream import RStream; s = RStream(1); s.rnorm(1000); s.sample(1000);"
        "s.sample_int(10**8, 9); print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
