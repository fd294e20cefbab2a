"""Number of decimals of a column: amounts in cents are whole numbers in another unit."""

import numpy as np

from ..types import Array

FINEST = 4  # most digits behind the point that are tried
COARSEST = -6  # as a number of decimals: values may end in up to six zeros before the point
LARGEST = 2.0**49  # in units of the last digit: sums of a few of these are exact
EXACT = 16  # parts of 1 that floats add up exactly: halves and quarters need no care
SAMPLE = 1_000  # values that are tried first


def decimals(values: Array) -> int | None:
    """The number of decimals of values (n,), below 0 if all end in zeros.

    None for more than 4 decimals, and for fractions with exact sums as floats, such as halves.
    """
    largest = float(np.abs(values).max(initial=0.0))
    coarsest = COARSEST if largest else 0
    for digits in range(coarsest, FINEST + 1):
        if largest * 10.0**digits >= LARGEST:
            return None
        # The first values decide most columns, before all are rounded.
        if not _has_decimals(values[:SAMPLE], digits) or not _has_decimals(values, digits):
            continue
        exact_as_floats = digits > 0 and bool((np.rint(values * EXACT) == values * EXACT).all())
        return None if exact_as_floats else digits
    return None


def _has_decimals(values: Array, digits: int) -> bool:
    """True if no value changes when it is rounded to so many decimals."""
    return bool((np.round(values, digits) == values).all())


def in_units(values: Array, digits: int) -> Array:
    """Values in units of their last digit, not rounded.

    Both branches use a positive power of ten, which floats hold exactly.
    """
    return values * 10.0**digits if digits >= 0 else values / 10.0**-digits


def of_units(whole: Array, digits: int) -> Array:
    """The nearest floats to `whole` units of the last digit: the inverse of `in_units`."""
    return whole / 10.0**digits if digits >= 0 else whole * 10.0**-digits
