"""Blocks and their sums for any number of rows and threads. Identical."""

import operator
from functools import reduce
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pyfcrm.engine import Local, row_blocks


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


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=60), st.integers(1, 6))
def test_a_sum_does_not_depend_on_the_threads(values, threads):
    blocks = [np.array([value, 1 / 3, -1e-3]) for value in values]
    expected = reduce(operator.add, map(np.sum, blocks))
    assert Local(threads).total(np.sum, blocks) == expected
