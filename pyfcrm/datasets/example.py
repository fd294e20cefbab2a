"""Five linear groups in the plane: the small example on which fuzzy c-regression is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..rstream import RStream

if TYPE_CHECKING:
    import pandas as pd

# One group a row: intercept, slope, where x starts, where x ends. The thesis prints no coordinates.
_GROUPS = (
    (10.0, 0.8, 0.0, 40.0),
    (85.0, -0.6, 5.0, 45.0),
    (-35.0, 1.2, 35.0, 75.0),
    (60.0, 0.3, 50.0, 95.0),
    (80.0, -0.7, 60.0, 100.0),
)
_POINTS = 50
_NOISE = 1.5


def example(seed: int | RStream = 1) -> pd.DataFrame:
    """Two columns, x and y: five lines of 50 points each, with noise of standard deviation 1.5 around each.

    In the manner of the example of the thesis, section 4.3 (figures 3 and 4), whose own points were
    never published. Records are in the order of their group; the group is not a column.

    seed : an int, or an RStream, which moves on.
    Returns a (250, 2) frame of floats.
    """
    import pandas as pd

    stream = seed if isinstance(seed, RStream) else RStream(seed)
    xs, ys = [], []
    for intercept, slope, start, end in _GROUPS:
        x = start + (end - start) * stream.runif(_POINTS)
        xs.append(x)
        ys.append(intercept + slope * x + _NOISE * stream.rnorm(_POINTS))
    return pd.DataFrame({"x": np.concatenate(xs), "y": np.concatenate(ys)})
