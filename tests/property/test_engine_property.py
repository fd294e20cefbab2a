"""Blocks and their sums for any number of rows and threads. Identical."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfcrm.engine import Local, row_blocks

MANY = settings(max_examples=40)


@MANY
@given(st.integers(1, 10**9))
def test_blocks_are_all_rows_once_in_order(n):
    blocks = row_blocks(n)
    assert blocks[0].start == 0
    assert blocks[-1].stop == n
    assert all(a.stop == b.start for a, b in pairwise(blocks))
    sizes = [rows.stop - rows.start for rows in blocks]
    assert all(size % 256 == 0 for size in sizes[:-1])
    assert 0 < sizes[-1] <= sizes[0]
    assert len(blocks) <= 256
    assert len(blocks) == 1 or sizes[0] >= 8192


class FloatSum:
    """A sum that rounding makes depend on the order: to be the same, it must be added the same."""

    def part(self, block):
        return float(np.sum(block))

    def add(self, a, b):
        return a + b


@MANY
@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=60), st.integers(1, 6))
def test_a_sum_does_not_depend_on_the_threads(values, threads):
    blocks = [np.array([value, 1 / 3, -1e-3]) for value in values]
    kernel, expected = FloatSum(), 0.0
    for k, block in enumerate(blocks):
        expected = kernel.part(block) if k == 0 else kernel.add(expected, kernel.part(block))
    assert Local(threads).total(kernel, blocks) == expected
    assert Local(threads).total(kernel, (block for block in blocks)) == expected
