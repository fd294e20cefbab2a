"""Values as whole numbers, for exact agreement: equal codes where values are equal in both files.

Most records of a release that was drawn anew share no value with anyone; they are left out, for all their pairs agree
nowhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..engine import row_blocks
from .columns import Columns
from .rows import Rows, Scratch, column

NOBODY = -1.0, -2.0  # codes of a value that only the original, only the protected file has


@dataclass(frozen=True)
class Coded:
    """rows : the originals' codes, then the protected ones', of the records that are kept; kept : (n,) which these are."""

    rows: Scratch
    kept: NDArray[np.bool_]


def coded(rows: Rows, told: Callable[[int], None]) -> Coded:
    """The codes of records that hold the original's p columns, then the protected ones, a column at a time.

    A record is kept where its original, or its protected one, has a value that the other file has too.
    told : called with the columns done. Memory holds some 50 bytes a record; the disk, 24 bytes a value at most.
    """
    from ..linkage.subset_kernels import encode

    p, n = rows.p // 2, rows.n
    codes, kept = Columns(n, 2 * p, kind=np.int32), np.zeros(n, np.bool_)
    a_codes, b_codes = np.empty((2, n), np.int32)
    for j in range(p):
        a, b = column(rows, j)[:, 0], column(rows, p + j)[:, 0]
        encode(a, np.argsort(a), b, np.argsort(b), a_codes, b_codes)
        kept |= (a_codes >= 0) | (b_codes >= 0)
        codes.write(j, np.where(a_codes < 0, np.int32(NOBODY[0]), a_codes))
        codes.write(p + j, np.where(b_codes < 0, np.int32(NOBODY[1]), b_codes))
        told(j + 1)
    made = Scratch(2 * p)
    for where in row_blocks(n):
        if kept[where].any():
            made.append(codes.read(where)[kept[where]])
    codes.close()
    return Coded(made, kept)
