"""The median by passes over blocks. Oracle: numpy's median of all at once. Identical."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfcrm.engine import Local
from pyfcrm.numerics.median import median

NUMBERS = st.one_of(
    st.floats(0, 1e300, allow_subnormal=True), st.sampled_from([0.0, 5e-324, 1.0, 1.0 + 2**-52, 1e-300, 2.0, np.inf])
)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(st.lists(NUMBERS, min_size=1, max_size=9), min_size=1, max_size=5))
def test_it_is_numpys(blocks):
    whole = np.concatenate(blocks)
    expected = np.median(whole) if np.isfinite(np.median(whole)) else np.inf
    assert median(Local(1), [np.array(block)[:, None] for block in blocks], len(whole)) == expected
