"""Columns that follow from others: the method releases the other columns, and these are computed from the release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..constraints import constrained_columns
from ..constraints.accepted import Accepted, totals_of
from ..constraints.bounds import bounds_of
from ..constraints.identities import unit_of
from ..constraints.proposal import CONSTANT
from ..constraints.reporting import reported
from ..constraints.zeros import nonzero_where, zero_together, zero_where, zeros_by_predictors
from ..errors import Note
from ..methods.semicontinuous import class_levels, zeros_by_class
from ..methods.work import Run
from ..numerics.decimals import decimals
from ..rstream import RStream
from ..types import Array, Integers, Mask
from .differences import Difference, differences_of, orders_of, sign_of, with_differences
from .given_gaps import gaps_of, release_given_gaps
from .request import ProtectRequest, keeps_signs

Columns = dict[str, Array]

DERIVED = "{columns} derived from other columns of the release, with the margin that follows"
FOLLOWS = "{columns} is at most {above}, which is unmodified, and mostly equal to it, so shows its values: protect both, or drop the rule"
REPORTED = "{count} values of {columns} became round numbers, or equal to another column, as often as in the original"
MOVED = "{count} values of {columns} changed places, or became zero, so that joint zeros of the columns hold"


def protect_derived(request: ProtectRequest, accepted: Accepted, X: Array, Y: Array, run: Run) -> Array:
    """The release (n, t) of the dependent columns, of which the method gives the free ones."""
    differences = list[Difference]()
    if request.facts.swaps:
        original = dict(zip((*request.roles.independent, *request.roles.dependent), (*X.T, *Y.T), strict=True))
        differences = differences_of(request, accepted, original)
    request, accepted = with_differences(request, accepted, differences)
    with_these = np.column_stack([Y, *(one.observed for one in differences)])
    return _released(request, accepted, X, with_these, run, differences=differences)[:, : Y.shape[1]]


def _released(
    request: ProtectRequest, accepted: Accepted, X: Array, Y: Array, run: Run, *, differences: Sequence[Difference]
) -> Array:
    """The release (n, t) of the dependent columns. differences : the last of these columns. See protect_derived."""
    independent = request.roles.independent
    dependent = request.roles.dependent
    names = [name for name in dependent if name not in accepted.derived]
    free = [dependent.index(name) for name in names]
    own_run = _run_of_free(request, accepted, X, Y, run, differences=differences)
    given = Y[:, free].copy()
    if any((one.observed < 0).any() for one in differences):
        # Moments are those of all records, the margin of a difference that of records in order.
        margins = given.copy()
        for one in differences:
            margins[:, names.index(one.name)] = one.values
        own_run = replace(own_run, margins=margins)
    if own_run.zeros is not None:
        # A few originals may break the rule; nothing that is released depends on them.
        given[own_run.zeros] = 0.0
    Z = Y.copy()
    Z[:, free] = release_given_gaps(request, X, given, own_run)
    # Views: what changes a column changes the release.
    kept = dict(zip(independent, X.T, strict=True)) | {CONSTANT: np.ones(len(X))}
    columns = {**kept, **dict(zip(dependent, Z.T, strict=True))}
    original = {**kept, **dict(zip(dependent, Y.T, strict=True))}
    for one in differences:
        _round(columns[one.name], one.values, keeps_sign=True)
    if accepted.together or accepted.zero_where:
        # Constraints, such as wage >= 0, and bounds of variables would make further zeros afterwards.
        constrained = constrained_columns(request.constraints)
        limited = {one.columns[0] for one in request.constraints if len(one.columns) == 1}
        for name in names:
            _round(columns[name], original[name], keeps_sign=name in limited or request.keeps_sign(name))
            if name in request.permitted:
                encoding = request.permitted[name]
                is_constrained = name in constrained
                columns[name][:] = (
                    encoding.nearest(columns[name]) if is_constrained else encoding.on_grid(columns[name])
                )
        if keeps_signs(request.method, request.roles):
            by_class = _zeros_by_class(X, Y, Z, run)
            zeros = {name: by_class[:, dependent.index(name)] for name in names}
        else:
            zeros = {}
        moved = _keep_zeros(accepted, original, columns, names, zeros)
        for group, count in moved.items():
            run.note(Note.of("constraints", MOVED, group, count=count))
    habits = accepted.habits
    if habits:
        count = reported(habits, original, columns, request.stream)
        run.note(Note.of("constraints", REPORTED, sorted({one.columns[0] for one in habits}), count=count))
    _derive(accepted, original, columns, request.stream)
    if accepted.derived:
        run.note(Note.of("constraints", DERIVED, sorted(accepted.derived)))
    for one in differences:
        if one.from_above and one.higher in independent:
            run.note(Note.of("risk", FOLLOWS, [one.lower], above=f"`{one.higher}`"))
    return Z


def _run_of_free(
    request: ProtectRequest, accepted: Accepted, X: Array, Y: Array, run: Run, *, differences: Sequence[Difference]
) -> Run:
    """The run of the method, which releases the columns that are not derived."""
    derived = accepted.derived
    independent = request.roles.independent
    dependent = request.roles.dependent
    names = [name for name in dependent if name not in derived]
    # The place among these of each dependent column that is not derived.
    place_of = {dependent.index(name): place for place, name in enumerate(names)}
    zeros = None
    if accepted.together or accepted.zero_where:
        predictors = dict(zip(independent, X.T, strict=True))
        zeros = zeros_by_predictors(accepted.together, accepted.zero_where, predictors, names, len(X))
    own_run = replace(
        run,
        note=lambda note: run.note(note.named(names)),
        names=tuple(names),
        derived=tuple(derived),
        categories=tuple(names.index(dependent[j]) for j in run.categories),
        unit_effects=tuple((j, place_of.get(of, -1)) for j, of in run.unit_effects),
        zeros=zeros,
        fills=gaps_of(request, names),
        free_fills=_free_fills(request, accepted, names),
    )
    if not request.facts.swaps:
        return own_run
    # The margin of a column follows nearly from that of the column it is often equal to, and the order from the difference's sign.
    by_difference = {one.derived for one in differences}
    targeted = {name: parts for name, parts in derived.items() if name not in by_difference}
    orders = {one.order for one in differences}
    others = [one for one in request.constraints if one not in orders]
    original = dict(zip(dependent, Y.T, strict=True))
    others += [
        sign_of(one.lower)
        for one in differences
        if one.from_above and request.keeps_sign(one.lower) and original[one.lower].min() >= 0
    ]
    values = Y[:, [dependent.index(name) for name in targeted]]
    return replace(
        own_run,
        fills=_fills(request, differences, names, len(X)),
        bounds=bounds_of(others, derived, independent, names),
        totals=totals_of(targeted, independent, names, X, values),
    )


def _fills(request: ProtectRequest, differences: Sequence[Difference], names: Sequence[str], n: int) -> Mask | None:
    """(n, t) gaps of the columns `names`: of columns with enough of them, and of orders, whose fills follow these.

    None where there are none.
    """
    gaps = dict[str, list[Mask]]()
    for order in orders_of(request.constraints):
        for name in (order.lower, order.higher):
            if name in request.gaps:
                gaps[name] = [request.gaps[name]]
    for one in differences:
        gaps[one.name] = [request.gaps[name] for name in (one.lower, one.higher) if name in request.gaps]
    large = gaps_of(request, names)
    fills = np.zeros((n, len(names)), dtype=bool) if large is None else large.copy()
    for j, name in enumerate(names):
        for gap in gaps.get(name, ()):
            fills[:, j] |= gap
    return fills if fills.any() else None


def _free_fills(request: ProtectRequest, accepted: Accepted, names: Sequence[str]) -> Mask | None:
    """(n, t) gaps of the columns `names` in no rule with other columns: no released cell depends on their fills."""
    large = gaps_of(request, names)
    if large is None:
        return None
    bound = {*accepted.derived, *(name for pair in (*accepted.nested, *accepted.zero_where) for name in pair)}
    bound |= {name for parts in accepted.derived.values() for name in parts}
    bound |= {name for group in accepted.together for name in group}
    rules = [one.columns for one in request.constraints] + [one.columns for one in accepted.habits]
    for columns in rules:
        if len(columns) > 1:
            bound |= {*columns}
    free = large & np.array([name not in bound for name in names])
    return free if free.any() else None


def _round(column: Array, original: Array, *, keeps_sign: bool) -> None:
    """Give a released column (n,) the decimals and the sign that it will have, so that small values become zero before zeros are
    placed."""
    places = decimals(original)
    if places is not None:
        column[:] = np.round(column, places)
    if keeps_sign:
        low = 0.0 if original.min() >= 0 else -np.inf
        high = 0.0 if original.max() <= 0 else np.inf
        column[:] = np.clip(column, low, high)


def _zeros_by_class(X: Array, Y: Array, Z: Array, run: Run) -> Mask:
    """(n, t) where a released column must be zero, as it is for nearly all originals of a level."""
    classes, released = class_levels(*run.with_pooled(X), Y, Z, run.categories)
    return np.column_stack([zeros_by_class(y, classes, released) for y in Y.T])


def _keep_zeros(
    accepted: Accepted,
    original: Columns,
    columns: Columns,
    free: Sequence[str],
    zeros: Mapping[str, Mask],
) -> dict[tuple[str, ...], int]:
    """Place the zeros of the free columns of a release as the rules say. Returns how many values moved, by rule.

    A rule may undo what another one did, so all are applied until none moves a value.
    zeros : (n,) by column where it must be zero for another reason.
    """
    counts = Counter[tuple[str, ...]]()
    # A column that is zero wherever any of several others is.
    followed = dict[str, list[str]]()
    # A column that differs from zero wherever any of several others, which stay, does.
    required = dict[str, list[str]]()
    for column, first in accepted.zero_where:
        if column in free:
            followed.setdefault(column, []).append(first)
        else:
            required.setdefault(first, []).append(column)
    for _ in range(1 + len(accepted.together) + len(accepted.zero_where)):
        before = counts.total()
        for name, parts in accepted.derived.items():
            columns[name][:] = _total([(c, columns[part]) for part, c in parts.items()], original[name])
        for group in accepted.together:
            first, *others = group
            counts[group] += zero_together(columns[first], [columns[name] for name in others], first not in free)
        for column, firsts in followed.items():
            zero_with = [columns[first] for first in firsts]
            if column in zeros:
                zero_with.append(np.where(zeros[column], 0.0, np.inf))
            counts[column, *firsts] += zero_where(columns[column], zero_with)
        for first, fixed in required.items():
            counts[*fixed, first] += nonzero_where(columns[first], [columns[column] for column in fixed])
        if counts.total() == before:
            break
    return {rule: count for rule, count in counts.items() if count}


def _derive(accepted: Accepted, original: Columns, columns: Columns, stream: RStream) -> None:
    """Compute the derived columns of the release from its other `columns`. Draws: n uniforms where sums are rounded."""
    if not accepted.derived:
        return
    n = len(next(iter(columns.values())))
    drawn = (stream.runif(n) * n).astype(np.intp) if accepted.off else None
    for name, parts in accepted.derived.items():
        columns[name][:] = _total([(c, columns[part]) for part, c in parts.items()], original[name])
        if drawn is not None:
            own = np.asarray(sum(c * original[part] for part, c in parts.items()))
            columns[name][:] = _as_rounded(columns[name], own, original[name], drawn, accepted.off)


def _as_rounded(total: Array, own: Array, y: Array, drawn: Integers, off_by: float) -> Array:
    """A derived total (n,) in the units of the original's y, as far off as that of the records `drawn` (n,).

    own (n,) : the sums of the original's parts.
    """
    unit = unit_of(y)
    whole = own
    if unit:
        whole = np.rint(own / unit) * unit
        total = np.rint(total / unit) * unit
    off = np.where(np.abs(y - own) <= off_by * (1 + 1e-9), y - whole, 0.0)
    return np.asarray(total + off[drawn])


def _total(parts: Sequence[tuple[float, Array]], original: Array) -> Array:
    """The sum of columns (n,) times their coefficients; of amounts in cents it is one, where the original's was."""
    total = np.asarray(sum(c * column for c, column in parts))
    # What does not vary, such as a constant, has as many decimals as the others.
    digits = [decimals(column) for column in (original, *(column for _, column in parts))]
    known = [count for count in digits if count is not None]
    rounded = len(known) == len(digits) and max(known) > 0 and all(c == round(c) for c, _ in parts)
    return np.asarray(np.round(total, max(known))) if rounded else total
