"""RStream against live R. Oracle: R itself, run now. Grade everywhere: identical, to the last bit."""

import random

import numpy as np
import pytest
from support.r import requires_r, run_r

from pyfcrm.rstream import RStream
from pyfcrm.rstream.stream import COMPILED_ABOVE

pytestmark = [pytest.mark.r, requires_r]

SET_STATE = 'assign(".Random.seed", as.integer(inputs$state), globalenv())\n'
SEEDS = [0, 1, -1, 2**31 - 1, -(2**31 - 1), *random.Random(20).sample(range(-(2**31) + 1, 2**31), 20)]
MANY = COMPILED_ABOVE + 50_001  # odd, so that the compiled path also starts and ends inside a block
INDICES = [
    # n, size, replace
    (1, 1, False),
    (1, 5, True),
    (2, 2, False),
    (32768, 400, True),  # 15 bits: one word
    (32769, 32769, False),  # crosses from two words to one
    (65535, 3000, False),
    (65536, 3000, False),  # 16 bits: R spends two words
    (65537, 3000, False),
    (65535, 500, True),
    (65536, 500, True),
    (65537, 500, True),
    (2**31 - 1, 500, False),
    (2**31, 500, False),  # R turns from integers to doubles here
    (2**31, 500, True),
    (2**31 + 1, 500, True),
    (2**32, 300, True),
    (2**32 + 1, 300, False),
    (2**50 + 1, 300, True),  # log2 rounds to 50
    (4_500_000_000_000_000, 300, False),
    (10**7, 20_000, False),  # the last n without the hash; repeats tell the two apart
    (10**7 + 1, 20_000, False),  # the first with it
    (10**7 + 1, 1, False),
    (10**7, 0, False),
    (10**7 + 1, 5_000_001, False),  # more than half: no hash, compiled
    (10**7 + 2, 5_000_001, False),  # exactly half: hash, compiled, many repeats
    (MANY, MANY, False),
    (3 * 10**7, MANY, False),
    (2**40, MANY, False),
    (70_000, MANY, True),
    (2**40, MANY, True),
]
# One draw in R and here, for the tests that continue a stream.
DRAWS = {
    "runif": ("runif(7)", lambda s: s.runif(7)),
    "runif many": (f"runif({MANY})", lambda s: s.runif(MANY)),
    "rnorm": ("rnorm(5)", lambda s: s.rnorm(5)),
    "rnorm many": (f"rnorm({MANY})", lambda s: s.rnorm(MANY)),
    "rnorm none": ("rnorm(0)", lambda s: s.rnorm(0)),
    "matrix": ("matrix(rnorm(6), 3, 2)", lambda s: s.rnorm_matrix(3, 2).T.ravel()),
    "sample": ("sample(1000)", lambda s: s.sample(1000)),
    "sample many": (f"sample({MANY})", lambda s: s.sample(MANY)),
    "sample replacing": ("sample.int(100, 51, TRUE)", lambda s: s.sample_int(100, 51, True)),
    "sample replacing many": (f"sample.int(100, {MANY}, TRUE)", lambda s: s.sample_int(100, MANY, True)),
    "sample hashed": ("sample.int(2e7, 99)", lambda s: s.sample_int(20_000_000, 99)),
    "sample hashed many": (f"sample.int(2e7, {MANY})", lambda s: s.sample_int(20_000_000, MANY)),
}


def same(ours, theirs):
    """Equal bit for bit, so that -0 is not 0; integers compare as the doubles R sent."""
    np.testing.assert_array_equal(ours.astype(np.float64).view(np.int64), theirs.view(np.int64))


def state_of(emitted):
    """R's .Random.seed as integers: a word of -2147483648 is NA to R and crosses as NaN."""
    return np.where(np.isnan(emitted), -(2.0**31), emitted).astype(np.int32)


def test_every_seed_gives_the_same_draws():
    emitted = run_r(
        """
        for (seed in inputs$seeds) {
          set.seed(seed); emit(.Random.seed); emit(runif(5)); emit(rnorm(701)); emit(sample(10))
          emit(sample.int(1e6, 20, TRUE)); emit(sample.int(2e7, 20)); emit(.Random.seed)
        }
        """,
        inputs={"seeds": SEEDS},
    )
    theirs = iter(emitted)
    for seed in SEEDS:
        stream = RStream(seed)
        same(stream.to_r_state(), state_of(next(theirs)).astype(np.float64))
        same(stream.runif(5), next(theirs))
        same(stream.rnorm(701), next(theirs))
        same(stream.sample(10), next(theirs))
        same(stream.sample_int(10**6, 20, replace=True), next(theirs))
        same(stream.sample_int(2 * 10**7, 20), next(theirs))
        np.testing.assert_array_equal(stream.to_r_state(), state_of(next(theirs)))
    assert next(theirs, None) is None


def test_every_size_gives_the_same_draws():
    sizes = [0, 1, 311, 312, 313, 624, COMPILED_ABOVE, COMPILED_ABOVE + 1, 3 * COMPILED_ABOVE + 7]
    emitted = run_r(
        """
        for (n in inputs$sizes) {
          set.seed(5); emit(runif(n)); emit(rnorm(n)); emit(runif(1)); emit(.Random.seed)
        }
        """,
        inputs={"sizes": sizes},
    )
    theirs = iter(emitted)
    for n in sizes:
        stream = RStream(5)
        same(stream.runif(n), next(theirs))
        same(stream.rnorm(n), next(theirs))
        same(stream.runif(1), next(theirs))
        np.testing.assert_array_equal(stream.to_r_state(), state_of(next(theirs)))


@pytest.mark.slow(10)
def test_samples_are_the_same_in_every_branch():
    emitted = run_r(
        """
        for (i in seq_along(inputs$n)) {
          set.seed(i)
          emit(sample.int(inputs$n[i], inputs$size[i], inputs$replace[i] == 1))
          emit(.Random.seed)
        }
        """,
        inputs=dict(zip(("n", "size", "replace"), np.array(INDICES, dtype=float).T, strict=True)),
    )
    for i, (n, size, replace) in enumerate(INDICES):
        stream = RStream(i + 1)
        same(stream.sample_int(n, size, replace), emitted[2 * i])
        np.testing.assert_array_equal(stream.to_r_state(), state_of(emitted[2 * i + 1]))


def test_python_continues_r():
    codes = (
        f"set.seed(-77); emit({{ {code}; .Random.seed }}); emit({code}); emit(.Random.seed)"
        for code, _ in DRAWS.values()
    )
    emitted = run_r("\n".join(codes))
    for k, (_, draw) in enumerate(DRAWS.values()):
        state, then, after = emitted[3 * k : 3 * k + 3]
        stream = RStream.from_r_state(state_of(state))
        same(draw(stream), then)
        np.testing.assert_array_equal(stream.to_r_state(), state_of(after))


def test_r_continues_python():
    """Of seeded streams, and of one from the system's entropy."""
    streams = [RStream(-78) for _ in DRAWS] + [RStream()]
    draws = [*DRAWS.values(), ("runif(700)", lambda s: s.runif(700))]
    for stream, (_, draw) in zip(streams[:-1], draws, strict=False):
        draw(stream)
    emitted = run_r(
        "".join(
            SET_STATE.replace("inputs$state", f"inputs$s{k:02d}") + f"emit({code}); emit(.Random.seed)\n"
            for k, (code, _) in enumerate(draws)
        ),
        inputs={f"s{k:02d}": stream.to_r_state() for k, stream in enumerate(streams)},
    )
    for k, (stream, (_, draw)) in enumerate(zip(streams, draws, strict=True)):
        same(draw(stream), emitted[2 * k])
        np.testing.assert_array_equal(stream.to_r_state(), state_of(emitted[2 * k + 1]))


@pytest.mark.parametrize("position", [1, 2, 623, 624])
def test_both_ends_of_a_block_of_words(position):
    state = RStream(9).to_r_state()
    state[1] = position
    u, z = run_r(f"{SET_STATE} emit(runif(3)); emit(rnorm(400))", inputs={"state": state})
    stream = RStream.from_r_state(state)
    same(stream.runif(3), u)
    same(stream.rnorm(400), z)


def untempered(word):
    """The state word whose output is `word`: Mersenne-Twister's tempering undone, step by step."""
    word ^= word >> 18
    word ^= (word << 15) & 0xEFC60000
    undone = word
    for _ in range(5):
        undone = word ^ ((undone << 7) & 0x9D2C5680)
    word = undone & 0xFFFFFFFF
    undone = word
    for _ in range(3):
        undone = word ^ (undone >> 11)
    return undone


def words_for(p):
    """The two outputs nearest to rnorm's uniform p."""
    first, rest = divmod(p * 2.0**27, 1.0)
    return int(first) << 5, min(int(rest * 2.0**32), 2**32 - 1)


@pytest.mark.parametrize("many", [False, True], ids=["plain", "compiled"])
def test_uniforms_and_normals_at_their_extremes(many):
    """Made to order: outputs of all zeros and all ones, both edges of AS241's three ranges, Inf."""
    top = 2**32 - 1
    pairs = [(0, 0), (0, 1), (1, 0), (31, top), (32, 0), (top, top), (top, 0), (top - 31, 2**30), (2**31, 0)]
    for edge in (0.075, 0.925, np.exp(-25.0), 1 - np.exp(-25.0), 0.5):
        pairs += [words_for(edge + step) for step in (-1e-12, -1e-15, -1e-17, 0.0, 1e-17, 1e-15, 1e-12)]
    expected = [word for pair in pairs for word in pair]
    state = RStream(3).to_r_state()
    state[1] = 1  # the next output comes from the second word
    state[3 : 3 + len(expected)] = np.array([untempered(w) for w in expected], dtype=np.uint32).view(np.int32)
    n = MANY if many else 300
    z, u = run_r(
        f"{SET_STATE} emit(rnorm(inputs$n)); {SET_STATE} emit(runif(inputs$n))", inputs={"state": state, "n": n}
    )
    ours = RStream.from_r_state(state).rnorm(n)
    same(ours, z)
    same(RStream.from_r_state(state).runif(n), u)
    assert np.isposinf(ours[5])
    assert ours[0] < -8.7  # the least p, 2^-33 over 2^27, is in the far tail
