"""Types of arrays, and numbers that several files share."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
"""Values, weights, distances."""
Mask = NDArray[np.bool_]
"""True where something holds, one entry a record or a cell."""
Integers = NDArray[np.int64]
"""Whole numbers: group labels, counts, ranks."""
Codes = NDArray[np.int64]
"""Values of any type as whole numbers: equal codes, equal values."""
Index = NDArray[np.int64]
"""Positions, for compiled code."""
Places = NDArray[np.int32]
"""Positions, where memory is scarce."""
Rows = NDArray[np.intp]
"""Positions of records, of the type of numpy's sorting and indexing."""
Masks = Literal["values", "perturb", "keys"]
"""How a method masks: it replaces values without using the record's own, changes them, or coarsens key variables."""

WHOLE = 2.0**53  # below it every whole number is a float
# Relative: two distances (or two weights) closer than this are a tie.
TIE = 1e-12
# Chances of agreement are kept this far from 0 and 1, and EM ends when none moves by more than this.
CLAMP = 1e-12
CHANGE = 1e-10
Terms = Sequence[Sequence[int]]
"""The positions of the 0/1 columns of each categorical predictor in a design."""
