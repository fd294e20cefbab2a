"""Totals and regressions that a release preserves: the request, what is feasible, and the deviations of the release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..arguments import names, one_name
from ..data import Frame, Roles
from ..data.formula import parse_formula
from ..data.levels import Levels, levels_of, numbers_of, weights_of
from ..data.roles import refuse_identifier
from ..errors import InvalidInput, InvalidParameter, Note
from ..methods import Method
from ..numerics.kept_sums import KeptSums, kept_sums
from ..numerics.least_squares import distances
from ..progress import Reporter
from ..types import Array, Mask, Rows

EXACT, NEAR, AVERAGE, NOT = "exactly", "nearly", "on average over draws", "not"
MAX_LEVELS = 100  # of a column
EACH = 3  # values to a sum that is kept, and records to a column of a level's own design
HOW = {"average": AVERAGE, "fits": EXACT, "moments": EXACT, "swaps": NEAR}
KEPT = (
    "totals and regressions of dependent columns on {x} are kept {how} before constraints and rounding, {what}: {count} sums of "
    "{total} values"
)
LINEAR = "; standard errors of weighted fits and within levels are not"
AS_NEAR = "{method} does not preserve totals or regressions. Deviations: {what}"
JOINED = "levels of {columns} with fewer than {fewest} records, which their own design needs, are one: {joined}"
APART = (
    "of {count} totals and regression coefficients, {what}, the release's lie at most {gap:.2g} standard errors from "
    "the original's, {mean:.2g} on average"
)
FORMULA = "{formula}: {parts}"


@dataclass(frozen=True)
class PreserveRequest:
    """Totals and regressions that a release is to preserve, in addition to those of its method.

    weights : the column of survey weights, or None; levels : columns, within each of whose levels; formulas : each as its
    response and regressors; entries : levels and formulas as they were given.
    """

    weights: str | None = None
    levels: tuple[str, ...] = ()
    formulas: tuple[tuple[str, ...], ...] = ()
    entries: tuple[str, ...] = field(default=(), repr=False)

    def __bool__(self) -> bool:
        return self.weights is not None or bool(self.levels or self.formulas)

    def extra_columns(self, roles: Roles) -> tuple[str, ...]:
        """Columns that formulas regress dependent ones on, and that are not independent: they join the design."""
        known = {*roles.independent, *roles.dependent}
        return tuple(dict.fromkeys(name for formula in self.formulas for name in formula if name not in known))

    def describe(self) -> str:
        """Such as "plain and weighted by `w`, of all records and within each level of `region`"."""
        how = "plain" if self.weights is None else f"plain and weighted by `{self.weights}`"
        levels = " and of ".join(f"`{name}`" for name in self.levels)
        return f"{how}, of all records and within each level of {levels}" if levels else how


NOTHING = PreserveRequest()


def preserve_request(weights: object, preserve: object, roles: Roles, owner: str = "protect") -> PreserveRequest:
    """The arguments `weights` and `preserve` of protect(), checked by name. Raises InvalidParameter."""
    weights = one_name(owner, "weights", weights)
    entries = names(owner, "preserve", preserve)
    parsed = [(one, parse_formula(one, owner, "preserve")) for one in entries if "~" in one]
    for text, formula in parsed:
        if not formula.additive:
            raise InvalidParameter(
                owner, "preserve", "must add up plain columns, without functions or interactions", text
            )
    formulas = tuple(formula.columns for _, formula in parsed)
    request = PreserveRequest(weights, tuple(one for one in entries if "~" not in one), formulas, entries)
    of_names = [("weights", name) for name in (weights,) if name is not None]
    of_names += [("preserve", name) for name in request.levels]
    for parameter, name in of_names:
        if name in roles.dependent:
            rule = 'must not name a dependent column, which changes (a formula may: "wage ~ age")'
            raise InvalidParameter(owner, parameter, rule, name)
    for parameter, name in [*of_names, *(("preserve", name) for formula in formulas for name in formula)]:
        refuse_identifier(owner, parameter, name, roles)
    return request


@dataclass(frozen=True)
class Guarantee:
    """How a regression is preserved: EXACT, NEAR, AVERAGE or NOT, and the reason.

    standard_errors : whether these are preserved as the coefficients are.
    """

    how: str
    why: str
    standard_errors: bool = False

    def __str__(self) -> str:
        if self.how == NOT:
            return f"not kept: {self.why}"
        errors = "standard errors too" if self.standard_errors else "but no standard errors"
        return f"kept {self.how}, {errors}: {self.why}"


def guarantee(
    terms: Sequence[str],
    method: Method,
    roles: Roles,
    request: PreserveRequest,
    *,
    weights: str | None = None,
    by: str | None = None,
) -> Guarantee:
    """How the regression of the first of `terms` on the others is preserved.

    weights : the column that it is weighted by; by : the column within whose levels it is fitted.
    """
    changed = [name for name in terms if name in roles.dependent]
    if not changed:
        return Guarantee(EXACT, "none of its columns is changed", True)
    known = {*roles.dependent, *roles.independent, *request.extra_columns(roles)}
    outside = ", ".join(f"`{name}`" for name in terms if name not in known)
    plain, swaps = weights is None and by is None, method.keeps == "swaps"
    covariances = method.keeps in ("moments", "average")
    products = "plain only" if covariances else "by no sum of this method"
    reasons = {
        f"{type(method).__name__} keeps no sums by design": not method.keeps,
        f"{outside} did not explain the dependent columns (preserve= takes the formula)": outside,
        f"the release was not made with weights=`{weights}`": weights not in (None, request.weights),
        f"`{by}` is not among the columns of preserve": by not in (None, *request.levels),
        f"products of released columns are kept {products} (Calibrated with margins keeps them nearly, by swaps)": (
            changed != [terms[0]] and not swaps and not (plain and covariances)
        ),
    }
    for reason, applies in reasons.items():
        if applies:
            return Guarantee(NOT, reason)
    if swaps:
        return Guarantee(NEAR, "swaps bring these very sums to the original's", True)
    why = "means and covariances" if plain else "the sums that its coefficients are made of"
    return Guarantee(
        HOW[method.keeps], f"before constraints and rounding {why} are the original's", plain and covariances
    )


def guarantee_notes(request: PreserveRequest, method: Method, roles: Roles) -> list[Note]:
    """A note on each formula, before the method runs."""
    weights = request.weights
    scopes: list[tuple[str, str | None, str | None]] = [("plain", None, None)]
    scopes += [(f"weighted by `{weights}`", weights, None)] if weights is not None else []
    scopes += [(f"within levels of `{name}`", None, name) for name in request.levels]
    notes = []
    for terms in request.formulas:
        guarantees = dict[str, list[str]]()
        for scope, by_weights, by in scopes:
            found = guarantee(terms, method, roles, request, weights=by_weights, by=by)
            guarantees.setdefault(str(found), []).append(scope)
        parts = "; ".join(f"{' and '.join(where)} {how}" for how, where in guarantees.items())
        notes.append(Note.of("answers", FORMULA, formula=f"{terms[0]} ~ {' + '.join(terms[1:])}", parts=parts))
    return notes


@dataclass(frozen=True)
class PreservedSums:
    """The request with the data of the n records that are protected.

    weights : (n,), or None; levels : by column; extra_columns : (n, e) regressors that formulas add; names : of all regressors.
    """

    request: PreserveRequest
    weights: Array | None
    levels: tuple[Levels, ...]
    extra_columns: Array
    names: tuple[str, ...]

    @classmethod
    def of(cls, request: PreserveRequest, frame: Frame, roles: Roles, rows: Mask) -> PreservedSums | None:
        """Those of the records `rows` of a frame in memory. Raises InvalidInput."""
        if frame.source is not None:
            if request == PreserveRequest(roles.weight):  # by its role alone
                return None
            rule = "weights and preserve need all records in memory (read the file into a frame)"
            raise InvalidInput("protect", rule, "a file that is read by blocks")
        more = request.extra_columns(roles)
        return cls(
            request,
            None if request.weights is None else weights_of("protect", frame, request.weights, rows),
            tuple(_few_levels(frame, name, rows) for name in request.levels),
            numbers_of("protect", frame, more, rows),
            (*roles.independent, *more),
        )

    def of_records(self, rows: Rows) -> PreservedSums:
        """Of some of the records."""
        weights = None if self.weights is None else self.weights[rows]
        levels = tuple(one.taken(rows) for one in self.levels)
        return replace(self, weights=weights, levels=levels, extra_columns=self.extra_columns[rows])

    def kept_sums(self, method: Method, X: Array, t: int, note: Reporter) -> KeptSums:
        """The sums on records X (n, s) of t dependent columns, that a bound method preserves.

        Raises InvalidInput where these are too many for the records.
        """
        sums = kept_sums(
            np.hstack([X, self.extra_columns]), self.weights, [one.indicators for one in self._large_levels(X, note)]
        )
        total, r = X.shape[0] * t, sums.columns.shape[1]
        count = sums.count(t) if method.keeps == "swaps" else t * (1 + r)
        if EACH * count > total and method.keeps:
            rule = f"weights and preserve may keep one sum for {EACH} values at most (fewer levels, or fewer columns)"
            raise InvalidInput("protect", rule, f"{count} sums of {total} values")
        what = self.request.describe()
        if not method.keeps:
            note(Note.of("answers", AS_NEAR, method=type(method).__name__, what=what))
            return sums
        x = ", ".join(f"`{name}`" for name in self.names) or "their means"
        wording = KEPT + (LINEAR if method.keeps in ("fits", "moments") else "")
        note(Note.of("answers", wording, count=count, total=total, x=x, how=HOW[method.keeps], what=what))
        return sums

    def indicators(self) -> tuple[Array, list[str]]:
        """(n, k) of all levels in the order requested, and what each is called."""
        labels = [f"{one.name}={label}" for one in self.levels for label in one.labels]
        return np.hstack([np.empty((len(self.extra_columns), 0)), *(one.indicators for one in self.levels)]), labels

    def deviations(self, X: Array, Y: Array, Z: Array) -> Note:
        """How far the answers of a release Z (n, t) are from those of Y."""
        A = np.hstack([X, self.extra_columns])
        found = [
            distances(B[rows], Y[rows], Z[rows], None if w is None else w[rows])
            for rows, w in self._analyses(A)
            for B in ([A, A[:, :0]] if A.shape[1] else [A])
        ]
        apart = np.concatenate([one.ravel() for one in found])
        apart = apart[np.isfinite(apart)]
        gap, mean = float(apart.max(initial=0.0)), float(apart.mean()) if len(apart) else 0.0
        return Note.of("answers", APART, count=len(apart), what=self.request.describe(), gap=gap, mean=mean)

    def _analyses(self, A: Array) -> Iterator[tuple[Rows, Array | None]]:
        """Which records an analysis is of, and its weights."""
        every = [np.arange(len(A))]
        every += [np.flatnonzero(d) for one in self._large_levels(A) for d in one.indicators.T]
        for rows in every:
            yield rows, None
            if self.weights is not None:
                yield rows, self.weights

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
