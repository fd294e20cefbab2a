"""A method for all columns but those that follow from others: these are worked out of the release, last. Where the method is
one of exchanges, these keep the inequalities meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from ..constraints.accepted import Accepted, totals_of, zero_together
from ..constraints.bounds import bounds_of
from ..engine import Engine
from ..errors import Note
from ..numerics.decimals import decimals
from ..numerics.kept_sums import KeptSums
from ..progress import Reporter, discard
from ..rstream import RStream
from ..types import Array
from .keeping import Keeping
from .method import Method, Threaded, protected

DERIVED = "{columns} derived from other columns of the release, with the margin that follows"
AIMED_AT = (
    "{columns} derived from other columns of the release, with a margin that exchanges aimed at: its values by rank are at most "
    "{off:.1g} sd from the original's on average"
)
MOVED = "{count} values of {columns} changed places, or became zero, so that the columns are zero together"


@dataclass(frozen=True)
class Derived(Threaded):
    """`method` for the columns that `kept` does not derive. Made by protect() where structure was accepted, and under
    constraints where the method is one of exchanges.

    names : the independent and the dependent columns, once bound; limits : the constraints that exchanges keep.
    Seed: as the method's own. Draws: the method's own. Source: own.
    """

    method: Any
    kept: Any
    names: Any = ((), ())
    limits: Any = ()

    threaded = True
    takes_sums = True

    @property
    def wrapped(self) -> Method:
        """See Method.wrapped."""
        return cast(Method, self.method)

    @property
    def keeps(self) -> str:
        """See Method.keeps: what is linear holds of columns that are derived too."""
        return str(self.method.keeps)

    @property
    def reissues_values(self) -> bool:
        """See Method.reissues_values."""
        return bool(self.method.reissues_values)

    @property
    def undone_by_seed(self) -> bool:
        """See Method.undone_by_seed."""
        return bool(self.method.undone_by_seed)

    def bound(self, independent: Sequence[str], dependent: Sequence[str]) -> Method:
        """See Method.bound. Columns that have no part here are not derived, and derive none."""
        there, kept = {*independent, *dependent}, self.kept
        derived = tuple(one for one in kept.derived if {one[0], *(name for name, _ in one[1])} <= there)
        together = tuple(group for group in kept.together if set(group) <= there)
        follow = {name for name, _ in derived}
        inner = self.method.bound(independent, [name for name in dependent if name not in follow])
        names = (tuple(independent), tuple(dependent))
        return replace(self, method=inner, kept=Accepted(derived, together, kept.texts), names=names)

    def protect(
        self,
        X: Array,
        Y: Array,
        stream: RStream,
        note: Reporter = discard,
        engine: Engine | None = None,
        *,
        sums: KeptSums | None = None,
    ) -> Array:
        """See Threaded.protect. sums : that the release is to have of the original."""
        method = self.method if sums is None else Keeping(self.method, sums)
        independent, dependent = self.names
        follow = {name for name, _ in self.kept.derived}
        free = [j for j, name in enumerate(dependent) if name not in follow]

        def said(text: str) -> None:
            one = Note.taken(text)
            note(one.about([free[k] for k in one.columns if isinstance(k, int)] or one.columns))

        Z, y = Y.copy(), np.ascontiguousarray(Y[:, free])
        more = self._aims(X, Y, [dependent[j] for j in free]) if method.exchanges else {}
        Z[:, free] = protected(method, X, y, stream, said, engine, **more)
        values = {**dict(zip(independent, X.T, strict=True)), **{name: Z[:, j] for j, name in enumerate(dependent)}}
        for group in self.kept.together:
            fixed = group[0] in independent
            moved = zero_together(values[group[0]], [values[name] for name in group[1:]], fixed)
            if moved:
                note(Note.of("constraints", MOVED, group, count=moved))
        for name, parts in self.kept.derived:
            values[name][:] = _total([(c, values[part]) for part, c in parts], Y[:, dependent.index(name)])
        if follow and self.method.keeps == "swaps":
            off = max(_off(values[name], Y[:, dependent.index(name)]) for name in follow)
            note(Note.of("constraints", AIMED_AT, sorted(follow), off=off))
        elif follow:
            note(Note.of("constraints", DERIVED, sorted(follow)))
        return Z

    def _aims(self, X: Array, Y: Array, free: list[str]) -> dict[str, Any]:
        """What a swap method needs of bounds and of derived columns, beside X and the free columns of Y."""
        (independent, dependent), derived = self.names, self.kept.derived
        values = Y[:, [dependent.index(name) for name, _ in derived]]
        bounds = bounds_of(self.limits, dict(derived), independent, free)
        totals = totals_of(derived, independent, free, X, values)
        return {key: one for key, one in (("bounds", bounds), ("totals", totals)) if one is not None}

    def __str__(self) -> str:
        return str(self.method)


def _off(z: Array, y: Array) -> float:
    """How far the sorted values of z (n,) are from those of y, in sd of y: the mean."""
    sd = float(y.std())
    return float(np.abs(np.sort(z) - np.sort(y)).mean()) / (sd if sd > 0 else 1.0)


def _total(parts: Sequence[tuple[float, Array]], original: Array) -> Array:
    """The sum of columns (n,) times their coefficients; of amounts in cents it is one, where the original's was."""
    total = np.asarray(sum(c * column for c, column in parts))
    digits = [decimals(column) for column in (original, *(column for _, column in parts))]
    known = [one for one in digits if one is not None]
    rounded = len(known) == len(digits) and max(known) > 0 and all(c == round(c) for c, _ in parts)
    return np.asarray(np.round(total, max(known))) if rounded else total
