"""Answers that a release gives as its original does: the records' weights and levels, the sums that follow from them, how many
these may be, and how near the release came."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..constraints import Limits
from ..data import Frame, Roles
from ..data.levels import Levels, levels_of, numbers_of, weights_of
from ..errors import InvalidInput, Note
from ..methods import Method
from ..methods.keeping import Keeping
from ..numerics.kept_sums import KeptSums, kept_sums
from ..numerics.least_squares import distances
from ..progress import Reporter
from ..types import Array, Mask, Rows
from .promise import AVERAGE, EXACT, NEAR, Asked, promise

EACH = 3  # values to a sum that is kept, and records to a column of a level's own design
ALONE = 0.9  # of a record's own value goes into what kept sums tell of it
HOW = {"average": AVERAGE, "fits": EXACT, "moments": EXACT, "swaps": NEAR}
KEPT = "totals and regressions of dependent columns on {x} are kept {how}{but}, {what}: {count} sums of {total} values"
LINEAR = "; standard errors of weighted fits and within levels are not"
AS_NEAR = "{method} keeps no totals or regressions by design: how near it comes is told, {what}"
JOINED = "levels of {columns} with fewer than {fewest} records, which their own design needs, are one: {joined}"
LONE = (
    "{count} {count:record nearly determines|records nearly determine} a kept sum by {count:itself|themselves}, and "
    "{count:leaves nearly as it is|leave nearly as they are}"
)
APART = (
    "of {count} totals and regression coefficients, {what}, the release's lie at most {gap:.2g} standard errors from "
    "the original's, {mean:.2g} on average"
)
CROSS = "; of {cross} sums of products of released columns, at most {cross_gap:.2g}"
FORMULA = "{formula}: {parts}"


@dataclass(frozen=True)
class Answers:
    """What was asked, with what the n records that are protected have of it.

    weights : (n,), or None; levels : by column; beside : (n, e) what formulas add to X; names : of X's columns and these.
    """

    asked: Asked
    weights: Array | None
    levels: tuple[Levels, ...]
    beside: Array
    names: tuple[str, ...]

    @classmethod
    def of(cls, asked: Asked, door: Frame, roles: Roles, rows: Mask) -> Answers:
        """Those of the records `rows` of a frame in memory. Raises InvalidInput."""
        if door.source is not None:
            rule = "weights and preserve need all records in memory (read the file into a frame)"
            raise InvalidInput("protect", rule, "a file that is read by blocks")
        more = asked.beside(roles)
        return cls(
            asked,
            None if asked.weights is None else weights_of("protect", door, asked.weights, rows),
            tuple(levels_of("protect", door, name, rows) for name in asked.levels),
            numbers_of("protect", door, more, rows),
            (*roles.independent, *more),
        )

    def taken(self, rows: Rows) -> Answers:
        """Of some of the records."""
        weights = None if self.weights is None else self.weights[rows]
        levels = tuple(one.taken(rows) for one in self.levels)
        return replace(self, weights=weights, levels=levels, beside=self.beside[rows])

    def kept_by(self, method: Method, X: Array, t: int, note: Reporter) -> Method:
        """A bound method that keeps the sums on records X (n, s) of t dependent columns.

        Raises InvalidInput where these are too many for the records.
        """
        sums = kept_sums(np.hstack([X, self.beside]), self.weights, [one.indicators for one in self._large(X, note)])
        total, r = X.shape[0] * t, sums.columns.shape[1]
        count = sums.count(t) if method.keeps == "swaps" else t * (1 + r)
        if EACH * count > total and method.keeps:
            rule = f"weights and preserve may keep one sum for {EACH} values at most (fewer levels, or fewer columns)"
            raise InvalidInput("protect", rule, f"{count} sums of {total} values")
        self._say(method, sums, count, total, note)
        return Keeping(method, sums)

    def indicators(self) -> tuple[Array, list[str]]:
        """(n, k) of all levels as they are asked for, and what each is called."""
        labels = [f"{one.name}={label}" for one in self.levels for label in one.labels]
        return np.hstack([np.empty((len(self.beside), 0)), *(one.indicators for one in self.levels)]), labels

    def measured(self, X: Array, Y: Array, Z: Array, method: Method) -> Note:
        """How far the answers of a release Z (n, t) are from those of Y."""
        A = np.hstack([X, self.beside])
        found = [
            distances(B[rows], Y[rows], Z[rows], None if w is None else w[rows])
            for rows, w in self._parts(A)
            for B in ([A, A[:, :0]] if A.shape[1] else [A])
        ]
        apart = np.concatenate([one.ravel() for one in found])
        apart = apart[np.isfinite(apart)]
        facts: dict[str, Any] = {
            "gap": float(apart.max(initial=0.0)),
            "mean": float(apart.mean()) if len(apart) else 0.0,
        }
        wording = APART
        if method.keeps == "swaps":
            cross = np.concatenate([_cross(Y[r], Z[r], None if w is None else w[r]) for r, w in self._parts(A)])
            wording, facts = APART + CROSS, {**facts, "cross": len(cross), "cross_gap": float(cross.max(initial=0.0))}
        return Note.of("answers", wording, count=len(apart), what=self.asked.said(), **facts)

    def _parts(self, A: Array) -> Iterator[tuple[Rows, Array | None]]:
        """Which records an analysis is of, and its weights."""
        every = [np.arange(len(A))]
        every += [np.flatnonzero(d) for one in self._large(A) for d in one.indicators.T]
        for rows in every:
            yield rows, None
            if self.weights is not None:
                yield rows, self.weights

    def _large(self, X: Array, note: Reporter | None = None) -> list[Levels]:
        """The levels, those joined that are too small for a design of X's width."""
        fewest, made = EACH * (1 + X.shape[1]) * (1 if self.weights is None else 2), []
        for one in self.levels:
            joined = one.joined(fewest)
            if len(joined.labels) == 1 < len(one.labels):
                rule = f"a level of a column in `preserve` must have {fewest} records, which its own design needs"
                raise InvalidInput("protect", rule, f"fewer in all but one of `{one.name}`")
            if note is not None and len(joined.labels) < len(one.labels):
                note(Note.of("answers", JOINED, [one.name], fewest=fewest, joined=joined.labels[-1]))
            made.append(joined)
        return made

    def _say(self, method: Method, sums: KeptSums, count: int, total: int, note: Reporter) -> None:
        what = self.asked.said()
        if not method.keeps:
            note(Note.of("answers", AS_NEAR, method=type(method).__name__, what=what))
            return
        x = "their means" if not self.names else ", ".join(f"`{name}`" for name in self.names)
        wording = KEPT + (LINEAR if method.keeps in ("fits", "moments") else "")
        how, but = HOW[method.keeps], self.asked.but()
        note(Note.of("answers", wording, count=count, total=total, x=x, how=how, but=but, what=what))
        n = len(sums.columns)
        lone = int((1 / n + (sums.columns**2).sum(axis=1) / n > ALONE).sum())
        if lone:
            note(Note.of("risk", LONE, count=lone))


def moved_after(method: Method, limits: Limits, door: Frame, roles: Roles) -> tuple[str, ...]:
    """What moves answers once a method has kept them, in words. Exchanges leave whole numbers as they are."""
    whole = [name for name in roles.dependent if name in door.names and door.kind(name) == "integer"]
    rounded = bool(whole) and limits.round_integers and method.keeps != "swaps"
    return ("rounding to whole numbers",) * rounded + ("constraints",) * bool(limits.constraints)


def promised(asked: Asked, method: Method, roles: Roles) -> list[Note]:
    """What is said of each formula before anything is done."""
    weights = asked.weights
    scopes: list[tuple[str, str | None, str | None]] = [("plain", None, None)]
    scopes += [(f"weighted by `{weights}`", weights, None)] if weights is not None else []
    scopes += [(f"within levels of `{name}`", None, name) for name in asked.levels]
    notes = []
    for terms in asked.formulas:
        said = dict[str, list[str]]()
        for scope, by_weights, by in scopes:
            found = promise(terms, method, roles, asked, weights=by_weights, by=by)
            said.setdefault(str(found), []).append(scope)
        parts = "; ".join(f"{' and '.join(where)} {how}" for how, where in said.items())
        notes.append(Note.of("answers", FORMULA, formula=f"{terms[0]} ~ {' + '.join(terms[1:])}", parts=parts))
    return notes


def _cross(Y: Array, Z: Array, weights: Array | None) -> Array:
    """Gaps of sums of products of two columns, weighted, in standard errors; one for each pair."""
    center, sd = Y.mean(axis=0), np.where(Y.std(axis=0) > 0, Y.std(axis=0), 1.0)
    y, z = (Y - center) / sd, (Z - center) / sd
    root = np.ones((len(Y), 1)) if weights is None else np.sqrt(weights / weights.mean())[:, None]
    y, z = y * root, z * root
    gap, n = z.T @ z - y.T @ y, len(Y)
    variance = (y * y).T @ (y * y) - (y.T @ y) ** 2 / n
    pairs = np.triu_indices(Y.shape[1])
    return np.abs(gap[pairs]) / np.sqrt(np.maximum(variance[pairs], 1e-300))
