"""Group means compiled; the plain twin is microaggregation.group_means: same sums in the same order, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...compiling import compiled_for_threads

Array = NDArray[np.float64]


@compiled_for_threads
def fill_means(y: Any, labels: NDArray[np.int64], anchors: Array, sums: Array, sizes: Array, out: Any) -> None:
    """out (n,): y (n,) with every value replaced by its group's mean. anchors, sums, sizes (groups,) are written over."""
    sizes[:], sums[:] = 0.0, 0.0
    for i in range(labels.size):
        g = labels[i]
        if sizes[g] == 0:
            anchors[g] = y[i]
        sums[g] += y[i] - anchors[g]
        sizes[g] += 1
    for g in range(sizes.size):
        sums[g] = anchors[g] + sums[g] / sizes[g]
    for i in range(labels.size):
        out[i] = sums[labels[i]]
