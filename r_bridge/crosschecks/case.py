"""What a cross-check is: one computation done on both sides, and the lines in which its results are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .ground import Ground

Results = Mapping[str, Any]  # numbers and arrays by the name of the line they belong to

SAME_BITS = "the same integers and the same operations in the same order: identical"
ROUNDING = "the same formula, summed in another order"
COUNTED = "the same records counted; their shares are summed in another order"


@dataclass(frozen=True)
class Line:
    """One row: the name of a result, the largest relative difference allowed (0: the same bits), and why that.

    nothing : in the result's own unit; two values no larger than this are equal, both being 0 but for rounding.
    """

    name: str
    tolerance: float
    reason: str
    nothing: float = 0.0


@dataclass(frozen=True)
class Case:
    """family : the first word of each row; python, r : the two computations, on the same data from the same seed;
    lines : what of their results is compared; scalars show themselves, arrays their mean; unfair : where there is no
    telling a fault from rounding on these data, why, and the lines are skipped; else None."""

    family: str
    python: Callable[[Ground], Results]
    r: Callable[[Ground], Results]
    lines: tuple[Line, ...]
    unfair: Callable[[Ground], str | None] = lambda ground: None


@dataclass(frozen=True)
class Row:
    """The outcome of one line: both values (an array's mean), the largest relative difference, and the verdict.

    difference is None where the two cannot be compared; verdict is "ok", "FAIL" or "skipped".
    """

    what: str
    python: float | None
    r: float | None
    difference: float | None
    tolerance: float
    reason: str
    verdict: str
