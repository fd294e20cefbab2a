"""Totals and regressions that a release preserves: what is feasible, and the deviations of the release."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..data import Frame
from ..data.levels import Levels, levels_of, weights_of
from ..errors import InvalidInput, Note
from ..methods.facts import Preserved
from ..numerics.kept_sums import KeptSums, kept_sums
from ..numerics.least_squares import distances
from ..progress import Reporter
from ..types import Array, Mask, Rows
from .request import ProtectRequest

MAX_LEVELS = 100  # of a column
EACH = 3  # values to a sum that is kept, and records to a column of a level's own design
HOW = {"average": "on average over draws", "fits": "exactly", "moments": "exactly", "swaps": "nearly"}
KEPT = (
    "totals and regressions of dependent columns on {x} are kept {how} before constraints and rounding, {what}: {count} sums of "
    "{total} values"
)
UNWEIGHTED = "{count} totals and regressions weighted by `{weights}` are too many to keep: there are {total} values"
LINEAR = "; standard errors of weighted fits and within levels are not"
AS_NEAR = "{method} does not preserve totals or regressions. Deviations: {what}"
JOINED = "levels of {columns} with fewer than {fewest} records, which their own design needs, are one: {joined}"
APART = (
    "of {count} totals and regression coefficients, {what}, the release's lie at most {gap:.2g} standard errors from "
    "the original's, {mean:.2g} on average"
)


@dataclass(frozen=True)
class PreservedSums:
    """Totals and regressions of the n records that are protected, in addition to those of the method.

    weight : the column of survey weights, or None; weights : (n,), or None; levels : of columns, within each of whose levels;
    names : of the regressors.
    """

    weight: str | None
    weights: Array | None
    levels: tuple[Levels, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, request: ProtectRequest, frame: Frame, rows: Mask) -> PreservedSums | None:
        """Those of the records `rows` of a frame in memory. Raises InvalidInput."""
        weight = request.options.weights
        if frame.source is not None:
            if weight == request.roles.weight and not request.preserve:  # by its role alone
                return None
            rule = "weights and preserve need all records in memory (read the file into a frame)"
            raise InvalidInput("protect", rule, "a file that is read by blocks")
        return cls(
            weight,
            None if weight is None else weights_of("protect", frame, weight, rows),
            tuple(_few_levels(frame, name, rows) for name in request.preserve),
            request.roles.independent,
        )

    def describe(self) -> str:
        """Such as "plain and weighted by `w`, of all records and within each level of `region`"."""
        how = "plain" if self.weight is None else f"plain and weighted by `{self.weight}`"
        levels = " and of ".join(f"`{one.name}`" for one in self.levels)
        return f"{how}, of all records and within each level of {levels}" if levels else how

    def of_records(self, rows: Rows) -> PreservedSums:
        """Of some of the records."""
        weights = None if self.weights is None else self.weights[rows]
        levels = tuple(one.taken(rows) for one in self.levels)
        return replace(self, weights=weights, levels=levels)

    def kept_sums(self, keeps: Preserved, X: Array, t: int, *, method: str, note: Reporter) -> KeptSums | None:
        """The sums on records X (n, s) of t dependent columns, that a release of a method preserves.

        keeps : as Facts has it; method : its name, for notes. Raises InvalidInput where these are too many for the records.
        """
        sums = kept_sums(X, self.weights, [one.indicators for one in self._large_levels(X, note)])
        total, r = X.shape[0] * t, sums.columns.shape[1]
        count = sums.count(t) if keeps == "swaps" else t * (1 + r)
        if EACH * count > total and keeps:
            if not self.levels:
                note(Note.of("answers", UNWEIGHTED, weights=self.weight, count=count, total=total))
                return None
            rule = f"weights and preserve may keep one sum for {EACH} values at most (fewer levels, or fewer columns)"
            raise InvalidInput("protect", rule, f"{count} sums of {total} values")
        what = self.describe()
        if not keeps:
            note(Note.of("answers", AS_NEAR, method=method, what=what))
            return sums
        x = ", ".join(f"`{name}`" for name in self.names) or "their means"
        wording = KEPT + (LINEAR if keeps in ("fits", "moments") else "")
        note(Note.of("answers", wording, count=count, total=total, x=x, how=HOW[keeps], what=what))
        return sums

    def indicators(self, n: int) -> tuple[Array, list[str]]:
        """(n, k) of all levels in the order requested, and what each is called."""
        labels = [f"{one.name}={label}" for one in self.levels for label in one.labels]
        return np.hstack([np.empty((n, 0)), *(one.indicators for one in self.levels)]), labels

    def deviations(self, X: Array, Y: Array, Z: Array) -> Note:
        """How far the answers of a release Z (n, t) are from those of Y."""
        groups = [np.arange(len(X)), *(np.flatnonzero(d) for one in self._large_levels(X) for d in one.indicators.T)]
        found = [
            distances(B[rows], Y[rows], Z[rows], None if w is None else w[rows])
            for rows in groups
            for w in ([None] if self.weights is None else [None, self.weights])
            for B in ([X, X[:, :0]] if X.shape[1] else [X])
        ]
        apart = np.concatenate([one.ravel() for one in found])
        apart = apart[np.isfinite(apart)]
        gap, mean = float(apart.max(initial=0.0)), float(apart.mean()) if len(apart) else 0.0
        return Note.of("answers", APART, count=len(apart), what=self.describe(), gap=gap, mean=mean)

    def _large_levels(self, X: Array, note: Reporter | None = None) -> list[Levels]:
        """The levels, those joined that are too small for a design of X's width."""
        fewest, levels = EACH * (1 + X.shape[1]) * (1 if self.weights is None else 2), []
        for one in self.levels:
            joined = one.joined(fewest)
            if len(joined.labels) == 1 < len(one.labels):
                rule = f"a level of a column in `preserve` must have {fewest} records, which its own design needs"
                raise InvalidInput("protect", rule, f"fewer in all but one of `{one.name}`")
            if note is not None and len(joined.labels) < len(one.labels):
                note(Note.of("answers", JOINED, [one.name], fewest=fewest, joined=joined.labels[-1]))
            levels.append(joined)
        return levels


def _few_levels(frame: Frame, name: str, rows: Mask) -> Levels:
    levels = levels_of("protect", frame, name, rows)
    if len(levels.labels) > MAX_LEVELS:
        rule = f"`preserve` takes columns of at most {MAX_LEVELS} levels (group `{name}` first)"
        raise InvalidInput("protect", rule, f"{len(levels.labels)} levels")
    return levels
