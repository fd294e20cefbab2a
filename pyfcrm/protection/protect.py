"""protect(): a frame or a file in, a protected one of the same kind out."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from narwhals.dependencies import is_pandas_dataframe

from ..arguments import flag
from ..constraints import constrained_columns
from ..constraints.strict import with_differences
from ..data import Frame, Roles, open_data, open_frame, require_columns
from ..data.check import complete_rows, constant_column, require_numeric
from ..data.codes import MISSING
from ..data.encoded import EncodedFrame
from ..data.encoding import require_declared
from ..data.index import released_rows, without_index
from ..data.predictors import Term, coded_predictors, column_levels, levels_in_pools
from ..data.roles import refuse_identifiers
from ..engine import Engine, chosen
from ..errors import InvalidInput, InvalidParameter, Note, lines
from ..files.atomic import Pending, atomic_files
from ..files.labelled import loses
from ..files.paths import Path, copy_paths, extension, path_text
from ..methods import Procedure
from ..methods.facts import NOT_EXAMINED
from ..methods.semicontinuous import classes_of
from ..methods.work import CellWork, FileWork, NumberWork, SumWork
from ..progress import Progress, report_progress, within
from ..rstream import RStream
from ..types import Mask, Rows
from .budget import protect_within_budget, without_values
from .completed import completed, gap_notes
from .drawn_gaps import gap_levels
from .frame_methods import number_columns, protect_cells, protect_generated
from .ids import NewIds
from .ledger.registration import Registration
from .numeric import protect_numbers
from .options import Options
from .protected import Protected
from .release import file_sink, untouched_text_columns
from .request import (
    Destination,
    ProtectRequest,
    keeps_signs,
    protect_request,
    require_output,
    require_suitable,
)
from .shuffle import RecordOrder
from .strata import each_copy
from .structure import structured
from .unit_predictors import WITHOUT_EFFECTS, with_unit_effects
from .units import joint_unit, protect_units
from .variables import checked_variables, described_frame, for_method, require_synthetic, with_missing
from .whole_file import as_many_records, require_whole_file

WEAK = "{method} draws from a generator of 32 bits whatever the seed: trying all of its seeds undoes this release"
GUESSABLE = "an intruder who finds the seed can undo this release: publish a release without a seed"
SEED_NOT_EXAMINED = "whether an intruder who finds the seed can undo this release has not been examined: publish a release without a seed"


class Released(NamedTuple):
    """A release, and which records of the original it has."""

    frame: Any
    """The released frame; None where it was never in memory as a whole."""
    rows: Rows | None = None
    """(N,) the positions in the original of the records, before they were shuffled; None for all in order."""
    places: Rows | None = None
    """See RecordOrder.applied."""


def run_protect(
    frame: Any,
    method: Procedure | str,
    roles: Roles | None,
    seed: int | RStream | None,
    options: Options,
    *,
    engine: str | Engine = "local",
    output: Path | None = None,
    overwrite: bool = False,
    ledger: Path | None = None,
    progress: Progress | None = None,
) -> Protected:
    """The release of a frame or a file, as protect() has it. Raises InvalidInput or InvalidParameter."""
    request = protect_request(method, roles, seed, options, progress)
    outputs = [] if output is None else copy_paths(output, request.options.copies)
    to = Destination(outputs=outputs, overwrite=flag("protect", "overwrite", overwrite), ledger=ledger)
    require_output(frame, to)
    with ExitStack() as recorded, atomic_files(outputs, overwrite=to.overwrite) as files:
        result = run_request(frame, request, engine, replace(to, outputs=files, overwrite=True))
        result = recorded.enter_context(recording(result, files))
    if result.path is None:
        return result
    return replace(result, frame=None, more=tuple(path_text("output", path) for path in outputs[1:]))


@contextmanager
def recording(result: Protected, files: Sequence[Pending], *, judged: bool = False) -> Iterator[Protected]:
    """Around the moment in which a release gets its files, or is returned: the release as its ledger has it at this moment.

    To be left after the files have their names. files : of the release; judged : see Registration.recording.
    """
    before = result.registration
    if before is None:
        yield result
        return
    with before.recording(lambda: any(file.has_name for file in files), judged=judged) as registration:
        notes = [note for note in result.all_notes if note not in before.notes]
        yield replace(result, registration=registration, all_notes=[*notes, *registration.notes])


def run_request(source: Any, request: ProtectRequest, engine: str | Engine, to: Destination) -> Protected:
    """Protect a frame or a file."""
    require_output(source, to)
    with chosen("protect", engine) as running:
        frame = open_data("protect", source)
        frame, renumbered = without_index("protect", frame, request.roles)
        require_declared("protect", request.options.variables, frame)
        # Before categories are coded: a message lists the columns of the file, not those of the design.
        named = [
            *request.roles.independent,
            *request.roles.dependent,
            *request.strata,
            *request.preserve,
            *([] if request.options.weights is None else [request.options.weights]),
        ]
        require_columns("protect", frame, named)
        notes = [*renumbered]
        if frame.source is not None:
            require_output(frame, to)
        require_synthetic(request, frame)
        require_whole_file(request, frame)
        encoded = described_frame(request, frame)
        request = with_missing(replace(request, engine=running), encoded)
        registration = None if to.ledger is None else Registration.of(to.ledger, frame, request)
        together = _records_of_units(request, frame)
        work = request
        coded: Frame = frame
        if together:  # the records of units are coded in wide files
            checked_variables(request, encoded, notes)
            coded = encoded
        elif not request.steps:
            work, coded = _coded(request, encoded, notes)
        order = RecordOrder(request, encoded, notes)
        with _pending(to, request.options.copies) as files:
            copies = zip(_copies(work, notes), files, strict=True)
            results = [
                _released(copy, coded, own, order=order, file=file, disarm=to.disarm) for (copy, own), file in copies
            ]
    new_file = request.method.makes_new_file() or request.records is not None
    new_file = new_file or request.method.draws_households(request.roles)
    rows = tuple(None if new_file else _rows(encoded, released) for released in results)
    # Levels and the index stay with the original, as do cells and records that were left out.
    frames = [None if each.frame is None else open_frame("protect", each.frame).bare() for each in results]
    # What a reader of files notes may be about confidential cells.
    notes = [*(frame.notes if request.facts.privacy is None else ()), *notes]
    notes += untouched_text_columns(request, frame)
    notes += _seed_notes(request, shuffled=any(each.places is not None for each in results))
    paths = [path_text("output", output) for output in to.outputs]
    if paths:
        notes += loses(extension(paths[0]), None if frame.table is None else frame.table.labels)
    if registration is not None:
        notes += registration.notes
    first, *more = frames
    return Protected(
        frame=first,
        all_notes=notes,
        method=request.method,
        roles=request.roles,
        seed=request.start,
        path=paths[0] if paths else None,
        more=tuple(paths[1:] if first is None else more),
        options=request.options,
        registration=registration,
        labels=dict(frame.column_labels),
        rows=rows,
        variables=encoded.encodings.variables,
    )


def _records_of_units(request: ProtectRequest, frame: Frame) -> bool:
    """Whether all records of a unit are protected together. Raises InvalidInput or InvalidParameter."""
    return bool(request.roles.ids) and joint_unit(request, frame) is not None


def _pending(to: Destination, copies: int) -> AbstractContextManager[Sequence[Pending | None]]:
    """The file of each copy, if any. All are renamed once all are complete."""
    if to.outputs:
        return atomic_files(to.outputs, overwrite=to.overwrite)
    return nullcontext([None] * copies)


def _copies(request: ProtectRequest, notes: list[Note]) -> Iterable[tuple[ProtectRequest, list[Note]]]:
    """The request of each copy, with the list for its notes."""
    return each_copy(request, notes) if request.options.copies > 1 else [(request, notes)]


def _rows(original: Frame, released: Released) -> Rows | None:
    """The positions in the original of the released records; see Protected.rows."""
    rows = released.rows
    places = released.places
    if released.frame is None:  # made by blocks
        return places
    if is_pandas_dataframe(released.frame):
        return released_rows(original, released.frame)
    count = open_frame("protect", released.frame).records
    if rows is None:
        rows = np.arange(original.records)
    if len(rows) != count:
        return None
    rows = rows if places is None else rows[places]
    return None if np.array_equal(rows, np.arange(original.records)) else rows


def _seed_notes(request: ProtectRequest, *, shuffled: bool) -> list[Note]:
    """The note on what an intruder can do who finds the seed, if anything is known or feared."""
    facts = request.facts
    if facts.weak_generator:
        return [Note.of("risk", WEAK, method=str(request.method))]
    if request.stream.seed is None or not (shuffled or facts.undone_by_seed):
        return []
    if shuffled:
        return [Note.of("risk", GUESSABLE)]
    return [Note.of("risk", SEED_NOT_EXAMINED if facts.undone_by_seed is NOT_EXAMINED else GUESSABLE)]


ALL_CATEGORICAL = "column `{column}` must hold numbers for this method; Sequential(), ARF() and PRAM() take categories"


def _coded(
    request: ProtectRequest, encoded: EncodedFrame, notes: list[Note], *, is_wide: bool = False
) -> tuple[ProtectRequest, Frame]:
    """The request with the structure found, and for a method of numbers request and frame with categories coded."""
    checked_variables(request, encoded, notes, is_wide=is_wide)
    frame = for_method(request, encoded)
    constraints = with_differences("protect", request.constraints, frame, request.roles.dependent)
    request = replace(request, constraints=constraints)
    work = request
    coded = frame
    rules = request.options.structure is not None or (request.facts.swaps and request.constraints)
    if rules and not request.steps and request.method.replaces_numbers():
        work = structured(request, frame, notes)
    if request.method.replaces_numbers():
        work, coded = _with_codes(work, frame, notes)
    if work.constraints:
        named = constrained_columns(work.constraints)
        refuse_identifiers("protect", "constraints", named, work.roles)
        require_numeric("protect", coded, named)
    require_suitable("protect", [work.method], frame, request.engine, bool(request.strata))
    return work, coded


def _with_codes(request: ProtectRequest, frame: Frame, notes: list[Note]) -> tuple[ProtectRequest, Frame]:
    """The request and the frame with categorical predictors as 0/1 columns, and dependent categories as positions of levels.

    With a privacy budget dependent categories have no levels, which would be read from the confidential values.
    """
    budget = request.facts.privacy is not None
    design = coded_predictors("protect", frame, request.roles, request.missing, by_counts=budget)
    if not budget:
        levels = column_levels("protect", frame, request.roles.dependent, request.missing)
        _require_several_levels(request, frame, levels)
        design = replace(design, levels=levels)
        request = replace(request, categories=tuple(term.column for term in levels))
        _require_suitable_categories(request)
    request = replace(
        request,
        roles=design.roles,
        terms=tuple(term.names for term in design.terms),
        pooled=None if budget else levels_in_pools("protect", frame, design.terms),
    )
    notes[:0] = design.notes
    coded = design.frame(frame)
    if request.method.takes_unit_effects and not budget:
        return with_unit_effects(request, coded, notes)
    # A method that perturbs the record's own value keeps what units have in common.
    if request.roles.has_sampling_design and request.facts.masks == "values":
        notes.append(Note.of("answers", WITHOUT_EFFECTS))
    return request, coded


def _require_suitable_categories(request: ProtectRequest) -> None:
    """Raises InvalidInput where a method has no number to work on, InvalidParameter for constraints of categories."""
    categories = request.categories
    if not categories:
        return
    has_numbers = {*categories} != {*request.roles.dependent}
    # A method that moves the release of trees has nothing to move then, and trees draw all columns.
    moved = request.method.wrapped
    takes_categories = request.numbers.takes_categories or (moved is not None and moved.numbers().takes_categories)
    if not has_numbers and not takes_categories:
        raise InvalidInput("protect", ALL_CATEGORICAL.format(column=categories[0]), str(request.method))
    constrained = {*constrained_columns(request.constraints)} & {*categories}
    if constrained:
        raise InvalidParameter("protect", "constraints", "must be about numbers", min(constrained))


def _require_several_levels(request: ProtectRequest, frame: Frame, levels: Sequence[Term]) -> None:
    """Raises InvalidInput for a category of one level, unless missing values are to be refused first."""
    for term in levels:
        if len(term.positions) == 1 and frame.records > 1:
            [value] = term.positions
            if request.missing != "refuse" or not (frame.codes(term.column) == MISSING).any():
                raise constant_column("protect", term.column, repr(value))


def _released(
    request: ProtectRequest,
    frame: Frame,
    notes: list[Note],
    *,
    order: RecordOrder,
    file: Pending | None,
    disarm: bool,
) -> Released:
    """The release of a frame or a file, also written to `file`."""
    with_new_ids = _id_replacement(request, frame, notes)
    if frame.source is not None:
        assert file is not None
        report_progress(request.progress, 0, 1, str(request.method))
        with file_sink(frame, request.roles, file, disarm) as sink:
            folder = os.path.dirname(file.target)
            blocks = map(with_new_ids, protect_numbers(request, frame, notes, folder))
            complete = partial(complete_rows, frame, request.columns)
            places = order.written(blocks, sink, stream=request.stream, folder=folder, complete=complete)
        return Released(None, places=places)
    if request.steps:
        released = _release_steps(request, frame, notes)
    elif isinstance(frame, EncodedFrame) and _records_of_units(request, frame):
        new_households = request.method.draws_households(request.roles)
        units = protect_units(request, frame, _release_of_wide, notes, new_households=new_households)
        released = Released(units, _complete(request, frame))
    else:
        released = _release(request, frame, notes)
    ordered, places = order.applied(with_new_ids(released.frame), request.stream)
    if file is not None:
        if request.facts.privacy is not None and frame.table is not None:
            frame.table = without_values(frame.table, request.roles.dependent)
        with file_sink(frame, request.roles, file, disarm) as sink:
            sink(ordered)
    return Released(ordered, released.rows, places)


def _id_replacement(request: ProtectRequest, frame: Frame, notes: list[Note]) -> Callable[[Any], Any]:
    """The function that gives a release, or a block of it, its new ids; records of a whole new file have none."""
    has_own_ids = request.method.makes_new_file() or request.method.draws_households(request.roles)
    if request.roles.ids and not has_own_ids:
        return NewIds(request, frame, notes).applied
    return lambda released: released


def _release_uncoded(request: ProtectRequest, frame: Frame, notes: list[Note], *, is_wide: bool = False) -> Released:
    """The release of a frame in memory whose columns are not yet coded."""
    work, coded = _coded(request, described_frame(request, frame), notes, is_wide=is_wide)
    return _release(work, coded, notes)


def _release_of_wide(request: ProtectRequest, frame: Frame, notes: list[Note]) -> Any:
    """The released frame of a wide file, in which each unit is a record."""
    return _release_uncoded(request, frame, notes, is_wide=True).frame


def _release_steps(request: ProtectRequest, frame: Frame, notes: list[Note]) -> Released:
    """The release of the last step."""
    part = frame
    rows = np.arange(frame.records)  # in the original, of the records that a step releases
    for k, step in enumerate(request.steps):
        own = list[Note]()
        label = f"step {k + 1}"
        progress = within(request.progress, k, len(request.steps), label)
        work = replace(step, engine=request.engine, progress=progress)
        try:
            if joint_unit(work, part) is not None:
                encoded = described_frame(work, part)
                checked_variables(work, encoded, own)
                units = protect_units(work, encoded, _release_of_wide, own)
                released = Released(units, _complete(work, encoded))
            else:
                released = _release_uncoded(work, part, own)
            if released.rows is not None:
                rows = rows[released.rows]
            part = open_frame("protect", released.frame).with_labels_of(frame)
        except InvalidInput as error:
            raise InvalidInput(f"{error.owner}, {label}", error.rule, error.value) from error
        notes += [note.after(f"{label}: ") for note in lines(own)]
    return Released(part.frame, rows)


def _release(request: ProtectRequest, frame: Frame, notes: list[Note]) -> Released:
    """The release of a frame in memory, by the work of its method."""
    report_progress(request.progress, 0, 1, str(request.method))
    dependent = request.roles.dependent
    rows = _complete(request, frame)
    match request.work:
        case FileWork() as work:
            whole = _without_gaps(request, frame, request.columns, notes)
            released = protect_generated(request, work, whole, notes)
        case CellWork() as work:
            whole = _without_gaps(request, frame, number_columns(work, frame), notes)
            released, rows = protect_cells(request, work, whole, notes)
            notes += gap_notes(whole, (), released)
        case NumberWork() if request.facts.privacy is not None:
            whole = _without_gaps(request, frame, request.columns, notes)
            released = protect_within_budget(request, whole, notes)
            notes += gap_notes(whole, dependent, released)
        case NumberWork() | SumWork():
            whole = _without_gaps(request, frame, request.columns, notes)
            released = as_many_records(request, frame, partial(_protected_numbers, request, whole), notes)
            levels = gap_levels(request, whole)
            notes += gap_notes(whole, dependent, released) if levels is None else [levels.note()]
    report_progress(request.progress, 1, 1, "done")
    return Released(released, rows)


def _protected_numbers(request: ProtectRequest, frame: Frame, notes: list[Note]) -> Any:
    """The release of a frame in memory by a method of numbers."""
    [released] = protect_numbers(request, frame, notes)
    return released


def _complete(request: ProtectRequest, frame: Frame) -> Rows | None:
    """The positions of the records without gaps, where those with gaps are left out; else None."""
    if request.missing != "drop":
        return None
    return np.flatnonzero(complete_rows(frame, request.columns))


def _without_gaps(request: ProtectRequest, frame: Frame, numbers: Sequence[str], notes: list[Note]) -> Frame:
    """The frame with the gaps of its numbers filled for the method, where these are to be protected."""
    if request.missing != "protect":
        return frame
    return completed(
        frame,
        numbers,
        request.stream,
        notes,
        accepted=request.derivation,
        constraints=request.constraints,
        classes=_classes(request, frame),
    )


def _classes(request: ProtectRequest, frame: Frame) -> Mask | None:
    """Masks (n, q) of the levels of categories and of predictors with few values; None for a method that keeps no such rule."""
    if not keeps_signs(request.method, request.roles):
        return None
    names = [*request.roles.independent, *request.categories]
    X = np.column_stack([frame.values(name) for name in names]) if names else np.empty((frame.records, 0))
    terms = [tuple(names.index(name) for name in term) for term in request.terms if {*term} <= {*names}]
    return classes_of(X, terms)
