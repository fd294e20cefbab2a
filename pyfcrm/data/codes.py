"""Key attributes of any type as whole numbers, coded alike in two files."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import InvalidInput
from ..types import Codes
from .codes_more import Coding
from .frame import Frame
from .open import require_columns


def key_codes(owner: str, before: Frame, after: Frame, wanted: Sequence[str]) -> tuple[Codes, Codes]:
    """The columns `wanted` of two frames as codes (n, q) and (N, q): equal values have equal codes in both.

    Any type will do; 1 and 1.0 are equal, 1 and "1" are not; -1 is missing (None, NaN or the frame's own).
    Raises InvalidInput for a column that one of the frames does not have, or whose cells are lists and the like.
    """
    require_columns(f"{owner}, original", before, wanted)
    require_columns(f"{owner}, protected", after, wanted)
    K = np.empty((before.records, len(wanted)), dtype=np.int64)
    L = np.empty((after.records, len(wanted)), dtype=np.int64)
    for j, name in enumerate(wanted):
        coding = Coding()
        try:
            K[:, j], L[:, j] = coding.codes(*before.distinct(name)), coding.codes(*after.distinct(name))
        except (TypeError, ValueError) as error:  # a list is not hashable, an array not equal to itself
            rule = f"the cells of key column `{name}` must be single values"
            raise InvalidInput(owner, rule, str(error)) from error
    return K, L
