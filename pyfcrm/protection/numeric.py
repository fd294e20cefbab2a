"""Numeric methods on the complete records of a frame or a file, as a whole or by stratum."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..data import Frame, Roles
from ..data.blocks import Records, Sample, pieces
from ..data.check import complete_rows, load
from ..data.predictors import MIN_RECORDS
from ..data.preserved_totals import PreservedTotals
from ..data.roles import PUBLIC
from ..data.strata import Strata, require_room
from ..engine import Local, one_blas_thread, row_blocks
from ..engine.engines import Watched
from ..errors import InvalidInput, Note
from ..methods.balanced_categories import draw_balanced_categories
from ..methods.sequential import draw_categories
from ..methods.work import Run, SumWork, finite, with_pooled_levels
from ..progress import ProgressTracker, Reporter
from ..types import Array, Mask
from .derived import protect_derived
from .drawn_gaps import gap_levels
from .given_gaps import gaps_of, release_given_gaps
from .nested import keep_nested
from .preserve import PreservedSums
from .release import Checks, ReleaseRules, released_blocks
from .request import ProtectRequest
from .strata import by_stratum, strata_of
from .unprotected import UnprotectedCounter, refuse_small_strata

AFTER_NUMBERS = "drawn from trees as categories, given the predictors and the released numbers: {columns}"


def protect_numbers(
    request: ProtectRequest, frame: Frame, notes: list[Note], folder: str | None = None
) -> Iterator[Any]:
    """The release of the complete records, in blocks where the frame is read so. Adds to the notes.

    folder : has space for 8 bytes a value, and as much again by strata, of a frame that is read by blocks. Raises
    InvalidInput or InvalidParameter.
    """
    table, incomplete = load(
        "protect",
        frame,
        request.columns,
        request.missing,
        also=request.named,
        folder=folder,
        progress=request.progress,
    )
    notes += incomplete
    roles = request.roles
    strata = strata_of(request, frame, request.columns) if request.strata else None
    if strata is not None and not request.options.allow_unprotected:
        refuse_small_strata(strata, len({*roles.independent} - {*request.strata}))
    rules = ReleaseRules(request, frame, roles.dependent, fixed=roles.independent, complete=request.columns)
    sums = None
    if request.options.weights or request.preserve:
        sums = PreservedSums.of(request, frame, complete_rows(frame, request.columns))
    # With another number of threads sums come in another order, and one seed must give one file.
    complete = complete_rows(frame, request.columns) if frame.gaps else None
    request = replace(request, gaps={name: gap[complete] for name, gap in frame.gaps.items()})
    if request.pooled is not None:
        request = replace(request, pooled=request.pooled[complete_rows(frame, request.columns)])
    levels = gap_levels(request, frame)
    work, values_of_file = request, table
    if levels is not None:
        work, A = levels.added_to(request, table.read())
        values_of_file = Records(A)
    with one_blas_thread():
        if strata is None:
            values = release_values(work, values_of_file, notes.append, sums, folder)
        else:
            values = _release_strata(work, values_of_file, strata, notes, folder, sums=sums)
        if levels is not None:
            Z, drawn = np.split(np.vstack(list(values)), [len(roles.dependent)], axis=1)
            values, frame = iter([Z]), levels.released(drawn)
        if request.derivation is not None and request.derivation.nested and frame.source is None:
            values = _nested(request, frame, table, values)
        totals = _totals(request, table, strata, sums)
        unprotected = UnprotectedCounter(table, len(roles.independent), roles.dependent)
        checks = Checks(totals, unprotected, sums)
        yield from released_blocks(request, frame, values, rules=rules, checks=checks, notes=notes)


def _nested(request: ProtectRequest, frame: Frame, table: Records, values: Iterator[Array]) -> Iterator[Array]:
    """The release with nested codes."""
    Y = table.read()[:, len(request.roles.independent) :]
    Z = np.vstack(list(values))
    keep_nested(request, frame, complete_rows(frame, request.columns), Y, Z)
    return iter([Z])


def _totals(
    request: ProtectRequest, table: Records, strata: Strata | None, sums: PreservedSums | None
) -> PreservedTotals:
    """The totals that are checked: also of the levels that are to be preserved."""
    roles = request.roles
    X = table
    labels = list[str]()
    if sums is not None:
        D, labels = sums.indicators(table.n)
        X = Records(np.hstack([table.read()[:, : len(roles.independent)], D]))
    stratum = None if strata is None else strata.codes
    return PreservedTotals(X, roles.dependent, roles.independent, stratum, levels=labels)


def release_values(
    request: ProtectRequest, table: Records, note: Reporter, sums: PreservedSums | None, folder: str | None = None
) -> Iterator[Array]:
    """The method's release (b, t) of a table, in blocks one after another. Its work is done at once.

    note : receives notes with the names of the columns. Raises InvalidInput where the release is not finite.
    """
    work = request.numbers
    s = len(request.roles.independent)
    t = len(request.roles.dependent)
    categories = [j for j, name in enumerate(request.roles.dependent) if name in request.categories]
    if categories and not work.takes_categories:
        return iter([_with_categories(request, table, categories, note, sums)])
    run = _run(request, table, categories, note, sums)
    if isinstance(work, SumWork) and request.derivation is None and run.fills is None:
        # Progress is that of the passes through the records.
        tracker = ProgressTracker(str(request.method), work.passes, request.progress)
        engine = Watched(request.engine, tracker, work.passes)
        run = replace(run, engine=engine)
        if run.sums is None:
            blocks = pieces(table, engine)
            sample = Sample(engine=engine, blocks=blocks, rows=table, s=s, t=t, folder=folder)
            return work.of_sample(sample, run).blocks(pieces(table, Local()))
    else:
        tracker = ProgressTracker(str(request.method), 1, request.progress)
        run = replace(run, engine=Watched(request.engine, tracker), tracker=tracker)
    A = table.read()
    X = A[:, :s].copy()
    Y = A[:, s:].copy()
    if request.derivation is None:
        Z = release_given_gaps(request, X, Y, run)
    else:
        Z = protect_derived(request, request.derivation.within(request.columns), X, Y, run)
    if Z.shape != Y.shape:
        rule = f"the method must give one value for each original one, an array of shape {Y.shape}"
        raise InvalidInput("protect", rule, Z.shape)
    return iter([finite(Z)])


def _run(
    request: ProtectRequest, table: Records, categories: Sequence[int], note: Reporter, sums: PreservedSums | None
) -> Run:
    """What the method's work gets besides the records of a table, but for engine and progress."""
    roles = request.roles
    names = roles.dependent

    def named_note(text: Note) -> None:
        note(Note.taken(text).named(names))

    kept = None
    if sums is not None:
        X = table.read()[:, : len(roles.independent)]
        name = type(request.method).__name__
        kept = sums.kept_sums(request.facts.keeps, X, len(names), method=name, note=named_note)
    # In a stratum all columns of a category may be constant, and left out.
    places = [[j for j, name in enumerate(roles.independent) if name in term] for term in request.terms]
    effects = [
        (j, names.index(of) if of in names else -1)
        for j, name in enumerate(roles.independent)
        if (of := request.unit_effects.get(name)) is not None
    ]
    fills = gaps_of(request, names)
    return Run(
        stream=request.stream,
        note=named_note,
        sums=kept,
        categories=tuple(categories),
        terms=[term for term in places if term],
        unit_effects=tuple(effects),
        names=names,
        pooled=_frequent(request.pooled),
        fills=fills,
        free_fills=fills,
        chooses_order=roles.product == PUBLIC,
        larger_leaves=roles.product == PUBLIC and not request.by_unit,
    )


def _frequent(levels: Mask | None) -> Mask | None:
    """Those of the levels (n, q) that at least 10 records have; None where there are none."""
    return None if levels is None else levels[:, levels.sum(axis=0) >= MIN_RECORDS]


def _with_categories(
    request: ProtectRequest, table: Records, categories: Sequence[int], note: Reporter, sums: PreservedSums | None
) -> Array:
    """The release (n, t) of a method of numbers with columns of categories, which are drawn after the numbers."""
    names = request.roles.dependent
    numbers = [j for j in range(len(names)) if j not in categories]
    X, Y = np.split(table.read(), [table.p - len(names)], axis=1)
    Z = np.empty_like(Y)
    if numbers:
        roles = Roles(request.roles.independent, [names[j] for j in numbers], product=request.roles.product)
        work = replace(request, roles=roles)
        Z[:, numbers] = np.vstack(list(release_values(work, Records(np.hstack([X, Y[:, numbers]])), note, sums)))
    given = with_pooled_levels(X, _frequent(request.pooled))
    if request.unit_effects:
        effects = [
            (j, names.index(request.unit_effects[name]))
            for j, name in enumerate(request.roles.independent)
            if name in request.unit_effects
        ]
        draw_balanced_categories(given, Y, Z, categories, effects=effects, stream=request.stream)
    else:
        draw_categories(given, Y, Z, categories, request.stream)
    note(Note.of("chosen", AFTER_NUMBERS, [names[j] for j in categories]))
    return Z


def _release_strata(
    request: ProtectRequest,
    table: Records,
    strata: Strata,
    notes: list[Note],
    folder: str | None,
    *,
    sums: PreservedSums | None,
) -> Iterator[Array]:
    """The release (b, t) in the records' order, each stratum protected separately. Adds to the notes."""
    if table.on_disk:
        require_room("protect", strata, table.p)
    released = Records.empty(table.n, len(request.roles.dependent), on_disk=table.on_disk, folder=folder)

    def release(k: int, part: ProtectRequest, note: Reporter) -> None:
        own_sums = None if sums is None else sums.of_records(strata.rows[k])
        A = np.ascontiguousarray(table.A[strata.rows[k]])
        rows = strata.rows[k]
        pooled = None if request.pooled is None else request.pooled[rows]
        part = replace(part, gaps={name: gap[rows] for name, gap in request.gaps.items()}, pooled=pooled)
        released.A[strata.rows[k]] = _release_stratum(part, A, note, own_sums)

    by_stratum(request, strata, notes, release)
    return map(released.read, row_blocks(table.n))


def _release_stratum(request: ProtectRequest, A: Array, note: Reporter, sums: PreservedSums | None) -> Array:
    """The release (b, t) of a stratum's records A (b, s + t).

    A column with one value there (two records or more) is left out. An independent one explains nothing; a dependent
    one is released unchanged, with a note.
    """
    roles, s = request.roles, len(request.roles.independent)
    varies = np.any(A[:1] != A, axis=0) if len(A) > 1 else np.ones(A.shape[1], dtype=bool)
    independent = [name for name, part in zip(roles.independent, varies[:s], strict=True) if part]
    dependent = [name for name, part in zip(roles.dependent, varies[s:], strict=True) if part]
    for name, part in zip(request.columns, varies, strict=True):
        if not part and name not in request.strata:
            what = "is released unchanged" if name in roles.dependent else "explains nothing"
            note(Note.of("constant", f"column `{{columns}}` has one value only there, and {what}", [name]))
    Z = A[:, s:].copy()
    if dependent:
        work = replace(request, roles=Roles(independent, dependent, product=roles.product))
        Z[:, varies[s:]] = np.vstack(list(release_values(work, Records(A[:, varies]), note, sums)))
    return Z
