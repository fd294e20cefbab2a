"""Pairs of small files for hypothesis."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def two_files(draw, most=9, scales=True, columns=3):
    """Small whole numbers, so ties, constants and collinear columns abound; then any units, each file its own."""
    n, p = draw(st.integers(1, most)), draw(st.integers(1, columns))
    cells = st.lists(st.integers(-3, 3), min_size=n * p, max_size=n * p)
    results = []
    for _ in range(2):
        A = np.array(draw(cells), dtype=float).reshape(n, p)
        if scales:
            power = np.array(draw(st.lists(st.integers(-90, 90), min_size=p, max_size=p)), dtype=float)
            A = (A + draw(st.sampled_from([0.0, 0.1, 1e6]))) * 10.0**power
        results.append(A)
    return results[0], results[0].copy() if draw(st.integers(0, 4)) == 0 else results[1]
