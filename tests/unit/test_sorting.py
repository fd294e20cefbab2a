"""The compiled stable sort against numpy's, which is its plain twin. All identical: places, and values to the bit."""

import numpy as np
import pytest

from pyfcrm.numerics.sorting_kernels import sort_stably

pytestmark = pytest.mark.compiles

MOST = np.finfo(float).max
LEAST = 5e-324  # the smallest subnormal


def compiled(x):
    order, ranked = np.full(len(x), -1), np.full(len(x), np.nan)
    sort_stably(x, order, ranked)
    return order, ranked


def assert_is_numpys(x):
    before = x.tobytes()
    order, ranked = compiled(x)
    assert x.tobytes() == before
    np.testing.assert_array_equal(order, np.argsort(x, kind="stable"))
    assert ranked.tobytes() == x[order].tobytes()  # -0.0 stays -0.0


COLUMNS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "money": lambda rng, n: np.round(rng.lognormal(8, 3, size=n)),
    "few values": lambda rng, n: rng.integers(-3, 4, size=n).astype(float),
    "constant": lambda rng, n: np.full(n, 0.1),
    "zeros of both signs": lambda rng, n: rng.choice([0.0, -0.0], size=n),
    "zeros of both signs among others": lambda rng, n: rng.choice([0.0, -0.0, LEAST, -LEAST, 1.0], size=n),
    "subnormal": lambda rng, n: rng.integers(-9, 10, size=n) * LEAST,
    "extremes": lambda rng, n: rng.choice([MOST, -MOST, 1.0, np.nextafter(1, 2), LEAST, -0.0], size=n),
    "ascending": lambda rng, n: np.arange(n) / 7 - 3,
    "descending": lambda rng, n: 3 - np.arange(n) / 7,
    "far from zero": lambda rng, n: 1e15 + rng.integers(0, n, size=n),
    # What differs lies below the first 32 bits: insertion has to be given up.
    "one outlier": lambda rng, n: np.where(np.arange(n) == n // 2, -1e300, 1 + rng.integers(0, n, size=n) * 2.0**-52),
    "two clusters": lambda rng, n: rng.choice([-1.0, 1e9], size=n) * (1 + rng.integers(0, n, size=n) * 2.0**-52),
}


@pytest.mark.parametrize("n", [1, 3, 1000, 30_000])
@pytest.mark.parametrize("kind", COLUMNS)
def test_order_and_values_are_numpys(kind, n):
    assert_is_numpys(COLUMNS[kind](np.random.default_rng(n), n))


def test_every_span_of_keys():
    """Columns whose keys differ by less than 2^(bits + 1), so that every number of digits and of bits left over occurs."""
    for bits in range(64):
        rng = np.random.default_rng(bits)
        distance = rng.integers(0, 2**bits, size=300, dtype=np.uint64, endpoint=True)
        distance[:100] = distance[100:200]
        # From the lowest finite float up; patterns above the highest are taken back into range.
        keys = np.minimum(np.uint64(0x0010000000000000) + distance, np.uint64(0xFFEFFFFFFFFFFFFF))
        negative = keys < np.uint64(1 << 63)
        x = np.where(negative, ~keys, keys ^ np.uint64(1 << 63)).view(np.float64)
        assert np.isfinite(x).all()
        assert_is_numpys(x)
