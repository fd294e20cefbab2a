"""Quantiles of each confidential number in each class, with standard errors by Woodruff's interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import stdtrit

from ....types import Array, Codes
from .estimand import MIN_RECORDS, Estimand, Estimates
from .group_means import FLOOR, by_table
from .grouped import Grouped, share_floors
from .panel_file import PanelColumns, PanelFile

LEVELS = {0.1: "10 % quantile of", 0.5: "median", 0.9: "90 % quantile of"}
KINDS = {0.1: "10 and 90 % quantiles", 0.5: "medians", 0.9: "10 and 90 % quantiles"}
MIN_RELEASED = 10  # values of a class in a release: a draw of 30 has a few less or more
PROBABILITY = 0.975
NORMAL = 1.959963984540054  # its quantile of the normal distribution
ROUNDING = 1e-12  # relative: a cumulative share this close to the level has reached it


@dataclass(frozen=True)
class GroupQuantiles:
    """See Family."""

    columns: PanelColumns
    """The columns of the panel."""

    def estimands(self) -> list[Estimand]:
        """See Family.estimands."""
        return [
            Estimand(
                family="group quantiles",
                estimate=f"{words} {number.name}",
                group=cell.label,
                records=cell.records,
                variables=(number.name,),
                kind=KINDS[q],
                by=self.columns.class_column(cell),
                columns=(j,),
                place=(cell.column, j, level, cell.code),
            )
            for cell in self.columns.cells
            for j, number in enumerate(self.columns.numbers)
            if not self.columns.is_class_of(cell, number.name)
            for level, (q, words) in enumerate(LEVELS.items())
        ]

    def measure(self, file: PanelFile, estimands: Sequence[Estimand]) -> Estimates:
        """See Family.measure.

        Of the values that are no point mass: where a class has at least 30 in the original, and 10 in the release. The least standard
        error is half a unit of the last decimal, and .01 sd sqrt(q (1 - q) / n).
        """
        values = np.full(len(estimands), np.nan)
        errors = np.full(len(estimands), np.nan)
        levels = list(LEVELS)
        for (k, j), places in by_table(estimands).items():
            number = self.columns.numbers[j]
            y = file.Y[:, j]
            used = np.isfinite(y) & ~np.isin(y, number.masses)
            count = len(self.columns.classes[k].labels)
            codes = np.where(used, file.classes[:, k], -1)
            groups = Grouped.of(codes, count, file.weights, file.clusters, file.design)
            distribution = Distribution.of(groups, y[codes >= 0])
            sizes = groups.sizes
            for level, q in enumerate(levels):
                own = [e for e in places if estimands[e].place[2] == level]
                classes = [estimands[e].place[3] for e in own]
                quantiles = distribution.quantiles(np.full(count, q))
                values[own] = np.where(sizes >= MIN_RELEASED, quantiles, np.nan)[classes]
                if file.only_values:
                    continue
                floors = quantile_floors(q, sizes, number.sd, number.unit)
                of_class = np.fmax(distribution.errors(quantiles), floors)
                errors[own] = np.where(sizes >= MIN_RECORDS, of_class, np.nan)[classes]
        return Estimates(values, errors)


def quantile_floors(q: float, sizes: Array, sd: float, unit: float) -> Array:
    """The least standard errors (g,) of quantiles at q of so many records: half a unit, and .01 sd sqrt(q (1 - q) / n)."""
    with np.errstate(divide="ignore"):
        return np.fmax(unit / 2, FLOOR * sd * np.sqrt(q * (1 - q) / sizes))


@dataclass(frozen=True)
class Distribution:
    """The distributions of a number in some groups."""

    groups: Grouped
    """The records, sorted by group and value."""
    y: Array
    """Their values (m,)."""
    total: Array
    """The weights (m,) added up over the file."""

    @classmethod
    def of(cls, groups: Grouped, y: Array) -> Distribution:
        """The distributions of values (m,)."""
        order = np.lexsort((y, groups.codes))
        ordered = groups.taken(order)
        return cls(ordered, y[order], np.cumsum(ordered.weights))

    def quantiles(self, q: Array) -> Array:
        """Quantiles (g,) at q (g,), the smallest value with a cumulative share of at least q (type 1); NaN of an empty group."""
        start, end = self._places
        before, weight = self._weights
        target = before + np.clip(q, 0.0, 1.0) * weight
        place = np.searchsorted(self.total, target - ROUNDING * np.abs(target), side="left")
        place = np.clip(place, start, np.maximum(end - 1, start))
        values = self._values[np.minimum(place, len(self.y))]
        return np.where(end > start, values, np.nan)

    @cached_property
    def _places(self) -> tuple[Codes, Codes]:
        """The first place (g,) of each group, and the place after its last one."""
        sizes = np.bincount(self.groups.codes, minlength=self.groups.count)
        end = np.cumsum(sizes)
        return end - sizes, end

    @cached_property
    def _weights(self) -> tuple[Array, Array]:
        """The weights (g,) before each group, and those of the group."""
        start, end = self._places
        padded = np.append(0.0, self.total)
        before = padded[start]
        return before, padded[end] - before

    @cached_property
    def _values(self) -> Array:
        """The values (m + 1,), and NaN after the last one."""
        return np.append(self.y, np.nan)

    def errors(self, quantiles: Array) -> Array:
        """Standard errors (g,) of these quantiles: (Q(p + 1.96 se) - Q(p - 1.96 se)) / (2 * 1.96), see `intervals`."""
        low, high = self.intervals(quantiles)
        return (high - low) / (2 * self._width)

    @property
    def _width(self) -> float:
        """Standard errors in half a 95 % interval: 1.96, and of a sampling design by Student's t."""
        design = self.groups.design
        return NORMAL if design is None else float(stdtrit(design.freedom, PROBABILITY))

    def intervals(self, quantiles: Array) -> tuple[Array, Array]:
        """Ends (g,) of the 95 % intervals of these quantiles: the quantiles at the ends of the interval of the share below.

        With p the share of values up to the quantile and se(p) its standard error, Q(p - 1.96 se) and Q(p + 1.96 se); with a sampling
        design the quantile of Student's t for 1.96. NaN of a group of one record. Source: Woodruff (1952).
        """
        below = (self.y <= quantiles[self.groups.codes]).astype(float)
        shares = self.groups.means(below)
        sizes = self.groups.sizes
        errors = self.groups.errors(below, shares)
        if self.groups.design is None:
            errors = np.fmax(errors, share_floors(sizes))
        half = self._width * errors
        half = np.where(sizes > 1, half, np.nan)
        return self.quantiles(shares - half), self.quantiles(shares + half)
