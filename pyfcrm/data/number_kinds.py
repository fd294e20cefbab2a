"""What numbers may be: their decimals and sign, codes, and values that look like codes of missing values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import WHOLE, Array, Mask
from .tally import FEWEST, NEARLY_ALL, Tally
from .variable import Value, plain_value
from .variables import NOT_NEGATIVE, NOT_POSITIVE

MAX_CODES = 20
MAX_DECIMALS = 8
WHOLES = (1, 100)  # the largest share and the largest percentage
ROUNDING = 4  # spacings of floats, by which sums of decimals may be off
SINGLE = 1e-14  # relative distance from a number of single precision, also after it was written with 15 digits
DIGITS_OF_SINGLE = 9  # significant digits that numbers of single precision are written with, at most
MULTIPLES = (1000, 500, 250, 200, 100, 50, 25, 20, 12, 10, 7, 6, 5, 4, 3, 2)  # of the last decimal, that grids have
PARTS = (2, 3, 4, 6, 7, 8, 9, 12, 16, 24, 32, 52, 60, 365, 365.25)  # of one, that grids have
MOST_BY_CHANCE = 0.5  # of the numbers with a column's decimals that lie on a grid of parts
FEWEST_FRACTIONS = 2  # different ones, on a grid of parts
BY_CHANCE = 1e-6  # the probability that all different values of a column are on a grid, or have few decimals
MAX_NEGATIVE = 9
WIDEST_NINES = 10  # digits
SAMPLE = 1000  # values that are examined first


@dataclass(frozen=True)
class Proposed:
    """Values that look like codes of missing values."""

    codes: tuple[Value, ...] = ()
    """The values, ascending."""
    reason: str = ""
    """A sentence without the column's name: "is 99999 in 55 records, far above the others"."""


def decimals_of(tally: Tally) -> int | None:
    """The smallest number of decimals, up to 8, of nearly all values; None where there is none."""
    largest = float(np.abs(tally.near_ends()).max())
    some = tally.values[:: max(len(tally.values) // SAMPLE, 1)]
    for decimals in range(MAX_DECIMALS + 1):
        # Too many exceptions among some of the values are too many among all.
        if (~_has_decimals(some, decimals, largest)).sum() > FEWEST:
            continue
        if tally.holds(_has_decimals(tally.values, decimals, largest)):
            return decimals
    return None


def _has_decimals(values: Array, decimals: int, largest: float) -> Mask:
    """(k,) whether each number has at most so many decimals. largest : a large value of the column, in magnitude.

    Sums of decimals are off by a few spacings of floats, of the size of the column's large values as these may be summands;
    single-precision numbers by spacings of theirs. Where such spacings are not small beside the last decimal, every number would
    seem to have it: numbers stored so have it if they are the nearest to their decimals, and hardly all of them are by chance.
    """
    whole: Mask = values % 1 == 0
    if decimals == 0:
        return whole
    last = 10.0**-decimals
    with np.errstate(over="ignore", invalid="ignore"):
        single = values.astype(np.float32)
        # Stored so, or written with the digits of single precision: 20.1 as 20.1000004.
        is_stored = np.abs(single - values) <= SINGLE * np.abs(values)
        is_single = is_stored | _has_digits_of_single(values)
        spacing = np.spacing(np.maximum(np.abs(values), largest))
        tolerated = np.where(is_single, np.spacing(np.abs(single)), spacing)
        rounded = np.round(values, decimals)
        distance = np.abs(rounded - values)
        near: Mask = (distance <= ROUNDING * tolerated) & (100 * tolerated < last)
        exact: Mask = (distance == 0) & (ROUNDING * spacing < last)
        nearest: Mask = is_stored & (rounded.astype(np.float32) == single)
        chances = np.minimum(np.spacing(np.abs(single)) / last, 1.0)
    has = whole | near | exact
    is_shown = np.log(chances[nearest & ~whole]).sum() < np.log(BY_CHANCE)
    return has | nearest if is_shown else has


def _has_digits_of_single(values: Array) -> Mask:
    """(k,) whether each number has at most the significant digits of single precision."""
    magnitude = np.floor(np.log10(np.where(values == 0, 1.0, np.abs(values))))
    scale = 10.0 ** (DIGITS_OF_SINGLE - 1 - magnitude)
    written: Mask = np.abs(np.rint(values * scale) / scale - values) <= SINGLE * np.abs(values)
    return written


@np.errstate(over="ignore", invalid="ignore")  # numbers near the largest one are multiples of nothing
def multiple_of(tally: Tally, decimals: int | None) -> float | None:
    """What nearly all numbers are multiples of: 5, 0.25, or 1/12 of a year, also if written with few decimals; else None.

    The coarsest of the grids that people use, with so many different values that hardly any column has it by chance.
    decimals : of nearly all numbers.
    """
    # Too many exceptions among some of the values are too many among all.
    every = max(len(tally.values) // SAMPLE, 1)
    if decimals is not None:
        units = np.rint(tally.values * 10.0**decimals)
        for multiple in MULTIPLES:
            if (units[::every] % multiple != 0).sum() > FEWEST:
                continue
            # All multiples of 10 are even, and show nothing about steps of 2.
            next_decade = 10 ** len(str(multiple))
            shows = units % next_decade != 0
            if _is_on_grid(tally, units % multiple == 0, shows, chance=1 / multiple):
                return float(round(multiple * 10.0**-decimals, decimals))
    if decimals == 0:
        return None
    tolerance = np.maximum(ROUNDING * np.spacing(np.abs(tally.values)), SINGLE * np.abs(tally.values))
    fractions = np.round(tally.values % 1, MAX_DECIMALS)
    for parts in PARTS:
        chance = 0.0 if decimals is None else parts / 10.0**decimals
        if chance > MOST_BY_CHANCE:
            return None
        nearest = np.rint(tally.values * parts) / parts
        if decimals is not None:
            nearest = np.round(nearest, decimals)
        near = np.abs(nearest - tally.values) <= tolerance
        if (~near[::every]).sum() > FEWEST:
            continue
        # Numbers that all end in .7 are on no grid of thirds.
        few_fractions = parts > 2 and len(np.unique(fractions[near & (fractions > 0)])) < FEWEST_FRACTIONS
        if not few_fractions and _is_on_grid(tally, near, fractions > 0, chance=chance):
            return 1 / parts
    return None


def _is_on_grid(tally: Tally, on_grid: Mask, shows: Mask, *, chance: float) -> bool:
    """Whether nearly all records are on a grid, with enough different values that would not be there by chance.

    on_grid, shows : (k,) the values on the grid, and those that could show one; chance : the share of numbers that are on it.
    """
    fewest = FEWEST
    if chance > 0:
        fewest = max(FEWEST, int(np.ceil(np.log(BY_CHANCE) / np.log(chance))))
    return bool((on_grid & shows).sum() >= fewest) and tally.holds(on_grid)


def sign_of(tally: Tally) -> str:
    """ "not negative" or "not positive" where nearly all values are; else ""."""
    if tally.holds(tally.values >= 0):
        return NOT_NEGATIVE
    if tally.holds(tally.values <= 0):
        return NOT_POSITIVE
    return ""


def share_of(tally: Tally) -> int | None:
    """1 or 100 where the numbers are shares of it: none is larger, at least 10 records have it, and nearly all are not negative."""
    largest = float(tally.values[-1])
    is_share = largest in WHOLES and tally.counts[-1] >= FEWEST and sign_of(tally) == NOT_NEGATIVE
    return int(largest) if is_share else None


def codes_of(tally: Tally) -> Array | None:
    """The values of a column of codes: those of at least 10 records, if 20 of them have 99 per cent of the records.

    tally : of whole numbers. None where it is no column of codes.
    """
    largest = np.sort(tally.counts[tally.counts >= FEWEST])[::-1][:MAX_CODES]
    if not len(largest) or largest.sum() < NEARLY_ALL * tally.records:
        return None
    return tally.frequent


def step_of_codes(codes: Array) -> int | None:
    """The smallest distance between neighbouring whole codes if each distance is it, or twice it where a code is rare; else None.

    1, 2, 3, 5 have step 1. Codes of classifications, such as 11, 12, 21, and two codes far apart in a scale have none.
    """
    if len(codes) < 2 or np.abs(codes).max() >= WHOLE:
        return None
    distances = np.diff(codes)
    smallest = int(distances.min())
    return smallest if np.isin(distances, [smallest, 2 * smallest]).all() else None


def proposed_missing_codes(tally: Tally) -> Proposed:
    """Values of at least 10 records that look like codes of missing values: 9, 99, 999, ..., 97, 98, -1 to -9, far outside the others.

    Far above: the distance from the others is at least their range, that of the 10th smallest and 10th largest record. Far
    below: negative where nearly all others are not, unless such values continue the others, as -1 and -2 continue 0, 1, 2.
    """
    frequent = tally.counts >= FEWEST
    nines = frequent & tally.among(_nines())
    negatives = frequent & (
        tally.among(-_nines()) | ((tally.values < 0) & (tally.values >= -MAX_NEGATIVE) & (tally.values % 1 == 0))
    )
    below = _far_below(tally, negatives)
    above = _far_above(tally.where(~below), tally.values[nines])
    codes = np.sort(np.concatenate([tally.values[below], above]))
    if not len(codes):
        return Proposed()
    records = int(tally.counts[np.isin(tally.values, codes)].sum())
    values = tuple(value for value in map(plain_value, codes.tolist()) if value is not None)
    sides = [side for side, found in (("below", below.any()), ("above", len(above) > 0)) if found]
    reason = f"is {_either(values)} in {records:,} records, far {' and '.join(sides)} the others"
    return Proposed(values, reason)


def _nines() -> Array:
    """9, 99, 999, ...; 97 and 98, 997 and 998, ..."""
    tens = 10.0 ** np.arange(1, WIDEST_NINES + 1)
    return np.concatenate([tens - 1, tens[1:] - 2, tens[1:] - 3])


def _far_above(tally: Tally, candidates: Array) -> Array:
    """Those of the candidates, ascending, that lie above all others by at least the range of the others."""
    for position in range(len(candidates)):
        codes = candidates[position:]
        others = tally.where(~np.isin(tally.values, codes))
        if others.records < FEWEST:
            continue
        low, high = others.near_ends()
        gap = codes[0] - high
        if gap >= max(high - low, 2.0) and others.holds(others.values < codes[0]):
            return codes
    return np.empty(0)


def _far_below(tally: Tally, candidates: Mask) -> Mask:
    """(k,) the candidates if nearly all others are not negative, and the candidates do not continue them. candidates : (k,)."""
    none = np.zeros(len(tally.values), dtype=bool)
    others = tally.where(~candidates)
    if not candidates.any() or len(others.values) < 2 or not others.holds(others.values >= 0):
        return none
    codes, frequent = tally.values[candidates], others.frequent
    is_scale = codes_of(others) is not None
    follows_zero = codes[-1] == -1 and codes[0] == -len(codes) and 0 in frequent  # -2, -1, 0
    if not follows_zero:
        return candidates
    # An age of -1 at the survey has no more records than 0 and 1 have; a code of missing values usually has.
    beside = int(others.counts[np.isin(others.values, [0, 1])].sum())
    continues = 1 in frequent and (len(codes) > 1 or int(tally.counts[candidates].sum()) <= beside)
    return none if is_scale or continues else candidates


def _either(values: tuple[Value, ...]) -> str:
    """ "97, 98 or 99"."""
    texts = list(map(str, values))
    return " or ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))
