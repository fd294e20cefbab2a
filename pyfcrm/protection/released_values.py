"""What a codebook says of the values of a released column. Nothing of it depends on fewer than 10 records."""

import math

import numpy as np

from ..data import Frame, is_numeric
from ..data.tally import FEWEST
from ..types import Array

MOST_LEVELS = 20
LISTED = 0.9  # share of the observed cells that listed levels have at least; a number with fewer has percentiles
PERCENTILES = (1, 5, 10, 25)  # lower ends of what is stated of a number, the widest first
DIGITS = 4  # of a number
GROUPED = 10_000  # from here on thousands are set apart: years are not
FEW = f"fewer than {FEWEST}"


def values_text(frame: Frame, name: str) -> str:
    """The levels of a column with their shares, or percentiles of a number; empty where neither may be stated."""
    return _levels_text(frame, name) or (_percentiles_text(frame.values(name)) if is_numeric(frame, name) else "")


def gaps_text(missing: int, records: int) -> str:
    """The number of records without a value; numbers of fewer than 10 records, with and without, are not given."""
    if 0 < missing < FEWEST:
        return FEW
    if 0 < records - missing < FEWEST:
        return f"all but {FEW}"
    return f"{missing:,}"


def number_text(value: float) -> str:
    """A number to 4 digits, without an exponent as far as people read such numbers."""
    if not 1e-4 <= abs(value) < 1e15:
        return f"{value:.{DIGITS}g}"
    decimals = DIGITS - 1 - math.floor(math.log10(abs(value)))
    if decimals > 0:
        return f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    rounded = round(value, decimals)
    return f"{rounded:,.0f}" if abs(rounded) >= GROUPED else f"{rounded:.0f}"


def _levels_text(frame: Frame, name: str) -> str:
    """The levels of at least 10 records with their shares; empty where they are more than 20 or leave out too many cells."""
    codes, levels = frame.distinct(name)
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    observed = int(counts.sum())
    common = [k for k in range(len(levels)) if counts[k] >= FEWEST]
    if frame.kind(name) != "category":  # whose levels have an order of their own
        common.sort(key=lambda k: levels[k] if is_numeric(frame, name) else str(levels[k]))
    if not common or len(common) > MOST_LEVELS:
        return ""
    others = observed - int(counts[common].sum())
    while 0 < others < FEWEST and common:
        # The share of the other levels follows from those that are stated.
        smallest = min(common, key=lambda k: counts[k])
        common.remove(smallest)
        others += int(counts[smallest])
    if not common or others > (1 - LISTED) * observed:
        return ""
    parts = [f"{_level_text(frame, name, levels[k])}: {_share_text(counts[k] / observed)}" for k in common]
    if others:
        parts.append(f"others: {_share_text(others / observed)}")
    return ", ".join(parts)


def _level_text(frame: Frame, name: str, value: object) -> str:
    """A level, with its label where it has one."""
    text = number_text(value) if isinstance(value, float) else str(value)
    label = frame.value_labels.get(name, {}).get(value, "").strip()
    return f"{text} ({label})" if label else text


def _share_text(share: float) -> str:
    """A share in whole per cent."""
    per_cent = round(100 * share)
    return f"{per_cent} %" if per_cent else "under 1 %"


def _percentiles_text(y: Array) -> str:
    """The widest percentiles of values (n,), NaN for missing, beyond which there are 10 records on both sides; empty without any."""
    observed = y[np.isfinite(y)]
    for low in PERCENTILES:
        if (len(observed) - 1) * low >= 100 * FEWEST:
            ends = np.percentile(observed, [low, 100 - low], method="nearest")
            first, last = (number_text(float(end)) for end in ends)
            return f"{first} to {last} (percentiles {low} and {100 - low})"
    return ""
