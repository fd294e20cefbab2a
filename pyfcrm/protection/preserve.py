"""Totals and regressions that a release preserves: what is feasible, and the deviations of the release."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..data import Frame
from ..data.levels import Levels, levels_of, weights_of
from ..errors import InvalidInput, Note
from ..methods.facts import Preserved
from ..numerics.kept_sums import RECORDS_A_COLUMN, SHARE, VALUES_A_SUM, KeptLevels, KeptSums, kept_levels, kept_sums
from ..numerics.least_squares import distances
from ..progress import Reporter, discard
from ..types import Array, Mask, Rows
from .request import ProtectRequest

MAX_LEVELS = 100  # of a column
HOW = {"average": "on average over draws", "fits": "exactly", "moments": "exactly", "swaps": "nearly"}
KEPT = (
    "totals and regressions of dependent columns on {x} are kept {how} before constraints and rounding, {what}: {count} sums of "
    "{total} values"
)
KEPT_IN_BRIEF = "totals and regressions of dependent columns are kept {how} before constraints and rounding: {count} sums of {total} values"
UNWEIGHTED = "{count} totals and regressions weighted by `{weights}` are too many to keep: there are {total} values"
TOO_MANY_WEIGHTED = "{count} sums weighted by `{weights}` are not kept: they are more than a tenth of {total} records"
MEANS_ONLY = "in levels of {columns} with less than ten records for each sum only means are kept: {levels}"
MEANS_ONLY_IN_BRIEF = "in levels of {columns} with less than ten records for each sum only means are kept"
LINEAR = "; standard errors of weighted fits and within levels are not"
AS_NEAR = "{method} does not preserve totals or regressions. Deviations: {what}"
JOINED = "levels of {columns} with fewer than {fewest} records, which their own design needs, are one: {joined}"
APART = (
    "of {count} totals and regression coefficients, {what}, the release's lie at most {gap:.2g} standard errors from "
    "the original's, {mean:.2g} on average"
)
APART_IN_BRIEF = (
    "{count} totals and regression coefficients lie at most {gap:.2g} standard errors from the original's, "
    "{mean:.2g} on average"
)
JOINED_IN_BRIEF = "levels of {columns} with fewer than {fewest} records, which their own design needs, are one"


@dataclass(frozen=True)
class PreservedSums:
    """Totals and regressions of the n records that are protected, in addition to those of the method."""

    weight: str | None
    """The column of survey weights, or None."""
    weights: Array | None
    """The survey weights (n,), or None."""
    levels: tuple[Levels, ...]
    """The columns within each of whose levels totals and regressions are preserved."""
    names: tuple[str, ...]
    """The regressors."""
    weight_is_chosen: bool = True
    """Whether weighted sums are asked for. Those of a weight given by its role alone are at most a tenth of the records."""

    @classmethod
    def of(cls, request: ProtectRequest, frame: Frame, rows: Mask) -> PreservedSums | None:
        """The sums requested for the records `rows` (n,) of a frame in memory; None of a file. Raises InvalidInput."""
        weight = request.options.weights
        if frame.source is not None:
            if weight == request.roles.weight and not request.preserve:  # by its role alone
                return None
            rule = "weights and preserve need all records in memory (read the file into a frame)"
            raise InvalidInput("protect", rule, "a file that is read by blocks")
        return cls(
            weight=weight,
            weights=None if weight is None else weights_of("protect", frame, weight, rows),
            levels=tuple(_few_levels(frame, name, rows) for name in request.preserve),
            names=request.roles.independent,
            weight_is_chosen=weight != request.roles.weight,
        )

    def describe(self) -> str:
        """Text such as "plain and weighted by `w`, of all records and within each level of `region`"."""
        how = "plain" if self.weight is None else f"plain and weighted by `{self.weight}`"
        if not self.levels:
            return how
        columns = " and of ".join(f"`{levels.name}`" for levels in self.levels)
        return f"{how}, of all records and within each level of {columns}"

    def of_records(self, rows: Rows) -> PreservedSums:
        """The sums of some of the records."""
        weights = None if self.weights is None else self.weights[rows]
        levels_of_rows = tuple(levels.taken(rows) for levels in self.levels)
        return replace(self, weights=weights, levels=levels_of_rows)

    def kept_sums(self, keeps: Preserved, X: Array, t: int, *, method: str, note: Reporter) -> KeptSums | None:
        """The sums on records X (n, s) of t dependent columns that a release of a method preserves.

        keeps : as Facts has it, empty for a method that preserves none; method : its name, for notes. None where weighted
        sums are too many. Raises InvalidInput where those within levels are.
        """
        n = len(X)
        # Of the methods that preserve cross sums only swaps do so with weights and within levels.
        cross = keeps == "swaps"
        if keeps and self.weights is not None and not self.weight_is_chosen:
            weighted = kept_sums(X, self.weights, []).count(t, cross=cross)
            if weighted > SHARE * n:
                note(Note.of("answers", TOO_MANY_WEIGHTED, weights=self.weight, count=weighted, total=n))
                plain = replace(self, weight=None, weights=None)
                return plain.kept_sums(keeps, X, t, method=method, note=note) if self.levels else None
        sums = kept_sums(X, self.weights, self._kept_levels(X, t, cross=cross, note=note))
        total = n * t  # values
        count = sums.count(t, cross=cross)
        if keeps and VALUES_A_SUM * count > total:
            if not self.levels:
                note(Note.of("answers", UNWEIGHTED, weights=self.weight, count=count, total=total))
                return None
            rule = f"weights and preserve may keep one sum for {VALUES_A_SUM} values at most (fewer levels, or fewer columns)"
            raise InvalidInput("protect", rule, f"{count} sums of {total} values")
        what = self.describe()
        if not keeps:
            note(Note.of("answers", AS_NEAR, method=method, what=what))
            return sums
        x = ", ".join(f"`{name}`" for name in self.names) or "their means"
        wording = KEPT + (LINEAR if keeps in ("fits", "moments") else "")
        note(Note.of("answers", wording, count=count, total=total, x=x, how=HOW[keeps], what=what, brief=KEPT_IN_BRIEF))
        return sums

    def indicators(self, n: int) -> tuple[Array, list[str]]:
        """Indicators (n, k) of all levels in the order requested, and the k names such as "region=2"."""
        names = list[str]()
        columns = [np.empty((n, 0))]  # without levels, k = 0
        for levels in self.levels:
            names += [f"{levels.name}={label}" for label in levels.labels]
            columns.append(levels.indicators)
        return np.hstack(columns), names

    def deviations(self, X: Array, Y: Array, Z: Array, *, keeps: Preserved, by_strata: bool) -> Note:
        """Note of the largest and the mean distance of the release's totals and coefficients from the original's.

        X (n, s) has the regressors, Y (n, t) the original values, Z (n, t) the released ones; keeps : see kept_sums. Of levels
        with means only, and of all where strata are released one by one, totals are compared.
        """
        totals = X[:, :0]  # the constant alone
        both = [X, totals] if X.shape[1] else [X]
        groups = [(np.arange(len(X)), both)]  # all records, then those of each level, with the designs
        for levels in self._kept_levels(X, Y.shape[1], cross=keeps == "swaps"):
            for indicator, means_only in zip(levels.indicators.T, levels.means_only, strict=True):
                groups.append((np.flatnonzero(indicator), [totals] if means_only or by_strata else both))
        found = []
        for rows, designs in groups:
            weightings: list[Array | None] = [None]
            if self.weights is not None:
                weightings.append(self.weights[rows])
            for weights in weightings:
                for design in designs:
                    found.append(distances(design[rows], Y[rows], Z[rows], weights).ravel())
        gaps = np.concatenate(found)
        gaps = gaps[np.isfinite(gaps)]
        largest = float(gaps.max(initial=0.0))
        mean = float(gaps.mean()) if len(gaps) else 0.0
        return Note.of(
            "answers", APART, count=len(gaps), what=self.describe(), gap=largest, mean=mean, brief=APART_IN_BRIEF
        )

    def _kept_levels(self, X: Array, t: int, *, cross: bool, note: Reporter = discard) -> list[KeptLevels]:
        """The levels of each column, with all sums or means only, see kept_levels; with notes."""
        found = list[KeptLevels]()
        for levels in self._large_levels(X, note):
            kept = kept_levels(X, self.weights, levels.indicators, t, cross=cross)
            found.append(kept)
            if kept.means_only.any():
                labels = [label for label, only in zip(levels.labels, kept.means_only, strict=True) if only]
                which = "all" if len(labels) == len(levels.labels) else ", ".join(labels)
                note(Note.of("answers", MEANS_ONLY, [levels.name], levels=which, brief=MEANS_ONLY_IN_BRIEF))
        return found

    def _large_levels(self, X: Array, note: Reporter) -> list[Levels]:
        """The levels of each column, those joined that are too small for a design of X's width. X : (n, s)."""
        columns_of_design = 1 + X.shape[1]
        if self.weights is not None:
            columns_of_design *= 2  # also times the weights
        fewest = RECORDS_A_COLUMN * columns_of_design
        large = []
        for levels in self.levels:
            joined = levels.joined(fewest)
            if len(joined.labels) == 1 and len(levels.labels) > 1:
                rule = f"a level of a column in `preserve` must have {fewest} records, which its own design needs"
                raise InvalidInput("protect", rule, f"fewer in all but one of `{levels.name}`")
            if len(joined.labels) < len(levels.labels):
                rest = joined.labels[-1]
                note(Note.of("answers", JOINED, [levels.name], fewest=fewest, joined=rest, brief=JOINED_IN_BRIEF))
            large.append(joined)
        return large


def _few_levels(frame: Frame, name: str, rows: Mask) -> Levels:
    """The levels of a column in the records `rows`. Raises InvalidInput where there are more than MAX_LEVELS."""
    levels = levels_of("protect", frame, name, rows)
    if len(levels.labels) > MAX_LEVELS:
        rule = f"`preserve` takes columns of at most {MAX_LEVELS} levels (group `{name}` first)"
        raise InvalidInput("protect", rule, f"{len(levels.labels)} levels")
    return levels
