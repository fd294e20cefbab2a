"""R's draws in numpy, with compiled loops (`kernels`) for many draws; and checks of seeds and states.

`words` is a Mersenne twister, whose outputs have 32 bits. No function takes more outputs than R does, so that the next draw
is R's next draw. Source: R's RNG.c, snorm.c, qnorm.c and unique.c; Wichura (1988), AS241.
"""

import math
from typing import Any

import numpy as np

from ..arguments import whole_number
from ..errors import InvalidParameter
from ..types import Array, Integers

R_KIND = 10403  # R's code for Mersenne-Twister, Inversion, Rejection
R_INTEGER = 2**31 - 1
STATE_WORDS = 624
R_SAMPLE_MOST = 4_500_000_000_000_000  # sample.int's own limit
BLOCK = 65_536  # draws at a time
TO_UNIT = 2.3283064365386963e-10  # 2^-32, MT_genrand in R's RNG.c
LEAST_UNIFORM = 0.5 * 2.328306437080797e-10  # fixup() in R's RNG.c: never 0
BIG = 134217728.0  # 2^27, norm_rand() in R's snorm.c

# AS241 (Wichura 1988), highest power first: numerator and denominator for the centre and the two tails.
# fmt: off
CENTRE = (
    (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
     13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608),
    (5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
     5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0),
)
TAIL = (
    (7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
     3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734),
    (1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
     0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0),
)
FAR_TAIL = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
     0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772),
    (2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
     0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0),
)
# fmt: on


def uniforms(words: np.random.MT19937, n: int) -> Array:
    """Uniforms (n,): outputs scaled into (0, 1), as fixup() in R's RNG.c. The largest, 1 - 2^-32, is inside already."""
    u = np.asarray(words.random_raw(n) * TO_UNIT, dtype=np.float64)
    u[u == 0.0] = LEAST_UNIFORM
    return u


def normals(words: np.random.MT19937, n: int, kernels: Any = None) -> Array:
    """Standard normals (n,) by inversion, two uniforms each: norm_rand() in R's snorm.c.

    kernels : the module of that name, None for plain numpy.
    """
    z = np.empty(n)
    for start in range(0, n, BLOCK):
        size = min(BLOCK, n - start)
        if kernels:
            kernels.normals(words.random_raw(2 * size), z[start : start + size])
        else:
            # One uniform has too few bits for the tails: p = (floor(2^27 u) + u') / 2^27.
            u = uniforms(words, 2 * size)
            z[start : start + size] = qnorm((np.floor(BIG * u[0::2]) + u[1::2]) / BIG)
    return z


def qnorm(p: Array) -> Array:
    """The standard normal quantile of p (n,) in (0, 1], operation for operation as R 4.2's qnorm5.

    A rational function for |p - 1/2| up to 0.425, and two in the tails. Source: Wichura (1988), AS241.
    """
    q = p - 0.5
    r = 0.180625 - q * q
    z: Array = q * horner(CENTRE[0], r) / horner(CENTRE[1], r)
    tail = np.flatnonzero(np.abs(q) > 0.425)
    if tail.size:
        q = q[tail]
        p = p[tail]
        nearest = np.where(q > 0.0, 0.5 - p + 0.5, p)
        # math.log is the C library's, as R's; numpy's own may differ from it in the last bit
        r = np.sqrt([-math.log(x) if x > 0.0 else math.inf for x in nearest.tolist()])
        with np.errstate(invalid="ignore"):  # p = 1 makes inf/inf, replaced below
            value = _ratio(TAIL, r + -1.6)
            far = np.flatnonzero(r > 5.0)
            if far.size:  # once in 4e10 draws
                value[far] = _ratio(FAR_TAIL, r[far] + -5.0)
        value[np.isinf(r)] = math.inf  # R's answer where p rounds to 1, once in 2^54 draws
        z[tail] = np.where(q < 0.0, -value, value)
    return z


def sample_replacing(words: np.random.MT19937, size: int, n: int, bits: int) -> Integers:
    """Independent draws (size,) from 1 to n: numbers of `bits` bits, those from n on rejected. R_unif_index in RNG.c."""
    drawn = np.empty(size, dtype=np.int64)
    done = 0
    while done < size:
        accepted = _candidates(words, min(size - done, BLOCK), bits)
        accepted = accepted[accepted < n]
        drawn[done : done + accepted.size] = accepted + 1
        done += accepted.size
    return drawn


def sample_hashed(words: np.random.MT19937, size: int, n: int, bits: int) -> Integers:
    """Different draws (size,) from 1 to n; a value that was drawn before is drawn again. R's do_sample2.

    R gives up after 100 repeats of one draw and keeps it; at most n/2 are drawn, so that is 2^-100 and left out.
    """
    drawn: dict[int, None] = {}
    while len(drawn) < size:
        for value in _candidates(words, min(size - len(drawn), BLOCK), bits).tolist():
            if value < n:
                drawn[value] = None
    return np.fromiter(drawn, dtype=np.int64, count=size) + 1


def sample_pool(words: np.random.MT19937, size: int, n: int, kernels: Any = None) -> Integers:
    """Different draws (size,) from 1 to n: the last value of the pool takes the place of the value drawn. R's do_sample.

    kernels : as in `normals`.
    """
    drawn = np.empty(size, dtype=np.int64)
    done = 0
    pool = None
    if kernels:
        pool = np.arange(n, dtype=np.int32 if n <= R_INTEGER else np.int64)
    # Without compiled loops only values that have moved are stored, by place: a few draws from many need little memory.
    moved = dict[int, int]()
    while done < size:
        left = n - done
        bits = (left - 1).bit_length()
        same_bits = left - (1 << (bits - 1)) if bits else 1  # draws until the pool needs one bit less
        places = _candidates(words, min(size - done, same_bits, BLOCK), bits)
        if kernels:
            done = kernels.take(pool, left, places, drawn, done)
            continue
        for place in places.tolist():
            if place < left:
                left -= 1
                drawn[done] = moved.get(place, place) + 1
                moved[place] = moved.get(left, left)
                done += 1
    return drawn


def _candidates(words: np.random.MT19937, count: int, bits: int) -> Integers:
    """Numbers (count,) of `bits` bits, made of the upper 16 bits of successive words: rbits() in R's RNG.c.

    R takes bits // 16 + 1 words, so that 16 bits take two.
    """
    parts = words.random_raw(count * (bits // 16 + 1)).reshape(count, -1) >> np.uint64(16)
    value = np.zeros(count, dtype=np.uint64)
    for part in parts.T:
        value = (value << np.uint64(16)) | part
    return (value & np.uint64((1 << bits) - 1)).astype(np.int64)


def _ratio(polynomials: tuple[tuple[float, ...], tuple[float, ...]], r: Array) -> Array:
    """The first polynomial over the second, at r."""
    numerator, denominator = polynomials
    return horner(numerator, r) / horner(denominator, r)


def horner(coefficients: tuple[float, ...], r: Array) -> Array:
    """The polynomial with these coefficients, highest power first, at r."""
    value: Array = r * coefficients[0] + coefficients[1]
    for a in coefficients[2:]:
        value = value * r + a
    return value


def count(verb: str, name: str, value: object) -> int:
    """Number of draws, checked: a whole number of at least 0."""
    return whole_number(f"RStream.{verb}", name, value, low=0, limit=R_SAMPLE_MOST)


def valid_state(state: object) -> Integers:
    """R's .Random.seed as (626,) int64."""
    try:
        words = np.asarray(state, dtype=np.float64)
    except (TypeError, ValueError):  # lists of unequal lengths among them
        words = np.empty(0)
    has_form = words.shape == (2 + STATE_WORDS,) and words[0] == R_KIND and 1 <= words[1] <= STATE_WORDS
    # From -2^31 to 2^31 - 1. -2^31 is a word like any other here, though R prints it as NA.
    in_32_bits = bool((np.abs(words + 0.5) < R_INTEGER + 1).all() and (np.trunc(words) == words).all())
    if not (has_form and in_32_bits and words[2:].any()):
        rule = (
            'must be R\'s .Random.seed after RNGkind("Mersenne-Twister", "Inversion", "Rejection"): 10403, a position from 1 to '
            "624, and 624 words that are whole numbers of 32 bits, not all 0"
        )
        begins = f"{type(state).__name__} of {words.size} numbers, {words.flat[:2].tolist()} first"
        raise InvalidParameter("RStream.from_r_state", "state", rule, begins)
    return words.astype(np.int64)
