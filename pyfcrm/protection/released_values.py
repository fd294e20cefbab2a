"""What a codebook says of the values of a released column. Nothing of it depends on fewer than 10 records."""

import math
from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True)
class Level:
    """A level of a released column that at least 10 records have."""

    value: Any
    """The level as it is released."""
    label: str
    """Its value label; empty where it has none."""
    per_cent: int
    """Its share of the observed cells, in whole per cent; 0 is under half a per cent."""


@dataclass(frozen=True)
class Percentile:
    """A percentile of a released column, with at least 10 records beyond it."""

    per_cent: int
    """Which percentile."""
    value: float
    """Its value, to 4 digits."""


@dataclass(frozen=True)
class ReleasedValues:
    """What may be stated of the values of a released column."""

    levels: tuple[Level, ...] = ()
    """The levels of at least 10 records each; empty where they are too many, or leave out too many cells."""
    others: int | None = None
    """The share of all other levels together, in whole per cent; None where the listed levels are all."""
    percentiles: tuple[Percentile, ...] = ()
    """A low and a high percentile of a number without listed levels."""

    def text(self) -> str:
        """The values in words; empty where nothing may be stated."""
        if self.percentiles:
            low, high = self.percentiles
            ends = f"{number_text(low.value)} to {number_text(high.value)}"
            return f"{ends} (percentiles {low.per_cent} and {high.per_cent})"
        parts = [f"{_named(level)}: {_share_text(level.per_cent)}" for level in self.levels]
        if self.others is not None:
            parts.append(f"others: {_share_text(self.others)}")
        return ", ".join(parts)


def released_values(frame: Frame, name: str) -> ReleasedValues:
    """The levels of a column with their shares, or percentiles of a number; neither where neither may be stated."""
    found = _levels(frame, name)
    if not found.levels and is_numeric(frame, name):
        return ReleasedValues(percentiles=_percentiles(frame.values(name)))
    return found


def stated_gaps(missing: int, records: int) -> int | None:
    """The number of records without a value; None where it, or its complement, is of 1 to 9 records."""
    return None if 0 < missing < FEWEST or 0 < records - missing < FEWEST else missing


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


def level_text(value: object) -> str:
    """A level as it is released: whole numbers without a point, other numbers to 15 digits."""
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _levels(frame: Frame, name: str) -> ReleasedValues:
    """The levels of at least 10 records with their shares; none where they are more than 20 or leave out too many cells."""
    codes, levels = frame.distinct(name)
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    observed = int(counts.sum())
    common = [k for k in range(len(levels)) if counts[k] >= FEWEST]
    if frame.kind(name) == "category":  # whose levels have an order of their own
        order = {level: position for position, level in enumerate(frame.categories(name))}
        common.sort(key=lambda k: order[levels[k]])
    else:
        common.sort(key=lambda k: levels[k] if is_numeric(frame, name) else str(levels[k]))
    if not common or len(common) > MOST_LEVELS:
        return ReleasedValues()
    others = observed - int(counts[common].sum())
    while 0 < others < FEWEST and common:
        # The share of the other levels follows from those that are stated.
        smallest = min(common, key=lambda k: counts[k])
        common.remove(smallest)
        others += int(counts[smallest])
    if not common or others > (1 - LISTED) * observed:
        return ReleasedValues()
    labels = frame.value_labels.get(name, {})
    listed = tuple(Level(levels[k], labels.get(levels[k], "").strip(), _per_cent(counts[k] / observed)) for k in common)
    return ReleasedValues(levels=listed, others=_per_cent(others / observed) if others else None)


def _per_cent(share: float) -> int:
    """A share in whole per cent."""
    return round(100 * float(share))


def _named(level: Level) -> str:
    """A level, with its label where it has one."""
    text = level_text(level.value)
    return f"{text} ({level.label})" if level.label else text


def _share_text(per_cent: int) -> str:
    """A share in words."""
    return f"{per_cent} %" if per_cent else "under 1 %"


def _percentiles(y: Array) -> tuple[Percentile, ...]:
    """The widest percentiles of values (n,), NaN for missing, beyond which there are 10 records on both sides; empty without any."""
    observed = y[np.isfinite(y)]
    for low in PERCENTILES:
        if (len(observed) - 1) * low >= 100 * FEWEST:
            ends = np.percentile(observed, [low, 100 - low], method="nearest")
            first, last = (float(f"{end:.{DIGITS}g}") for end in ends)
            return Percentile(low, first), Percentile(100 - low, last)
    return ()
