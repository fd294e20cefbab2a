"""The compiled stable sort on any finite floats. Oracle: Python's sort, which is stable. Identical."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pyfcrm.numerics.sorting_kernels import sort_stably

floats = st.floats(allow_nan=False, allow_infinity=False)


@given(values=st.lists(floats, min_size=1, max_size=8), picks=st.lists(st.integers(0, 7), min_size=1, max_size=80))
def test_the_order_is_pythons(values, picks):
    """Few values, taken often: ties of every kind, zeros of both signs among them."""
    x = np.array([values[i % len(values)] for i in picks])
    order, ranked = np.empty(len(x), np.int64), np.empty(len(x))
    sort_stably(x, order, ranked)
    assert order.tolist() == sorted(range(len(x)), key=x.__getitem__)
    assert ranked.tobytes() == x[order].tobytes()
