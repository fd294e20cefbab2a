"""protect(): a frame or a file in, a protected one of the same kind out."""

import os
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, cast

from ..arguments import flag
from ..constraints import constrained_columns
from ..data import Frame, Roles, open_data, open_frame, require_columns
from ..data.check import constant_column, require_numeric
from ..data.codes import MISSING
from ..data.index import released_rows, without_index
from ..data.predictors import Term, coded_predictors, column_levels
from ..data.roles import refuse_identifiers
from ..engine import Engine, chosen
from ..errors import InvalidInput, InvalidParameter, Note, lines
from ..files.atomic import Pending, atomic_files
from ..files.labelled import loses
from ..files.paths import Path, copy_paths, extension, path_text
from ..methods import Method
from ..methods.external import External
from ..methods.frame_method import FrameMethod
from ..progress import Progress, report_progress, within
from ..rstream import RStream
from .budget import protect_within_budget, without_values
from .completed import completed, gap_notes
from .frame_methods import number_columns, protect_cells, protect_generated
from .ids import NewIds
from .ledger import Registration
from .numeric import protect_numbers
from .protected import Protected
from .release import file_sink, untouched_text_columns
from .request import (
    Destination,
    ProtectRequest,
    protect_request,
    require_output,
    require_suitable,
)
from .strata import each_copy
from .structure import structured
from .units import joint_unit, protect_units

WEAK = "{method} draws from a generator of 32 bits whatever the seed: trying all of its seeds undoes this release"
GUESSABLE = "an intruder who finds the seed can undo this release: publish a release without a seed"


def protect(
    frame: Any,
    method: Method | str,
    roles: Roles | None = None,
    seed: int | RStream | None = None,
    *,
    constraints: Any = None,
    missing: str = "refuse",
    round_integers: bool = True,
    strata: str | Iterable[str] | None = None,
    structure: Any = None,
    engine: str | Engine = "local",
    output: Path | None = None,
    overwrite: bool = False,
    strict_totals: bool = False,
    allow_unprotected: bool = False,
    weights: str | None = None,
    preserve: str | Iterable[str] | None = None,
    copies: int = 1,
    bounds: Any = "default",
    decimals: Any = "default",
    ledger: Path | None = None,
    progress: Progress | None = None,
) -> Protected:
    """Protect the dependent columns of a microdata frame.

    Parameters
    ----------
    frame : DataFrame, Table or path
        Of pandas, polars or arrow, never modified. Or the path of a CSV, Excel, Parquet, SPSS, Stata or SAS file, or of
        a folder of Parquet files. Parquet files larger than memory are read and written by blocks of records, with a
        note. FCRM, IPSO, GADP, EGADP, Hybrid and Noise (but for "nonlinear") work so. Other methods for numbers need strata that fit in
        memory.
    method : Method or str
        Such as FCRM(c=8), or a method's name for its defaults, such as "ipso".
    roles : Roles
        The role of each column. Omitted for Steps, which have their own.
    seed : int or RStream, optional
        None fills the generator's whole state from the system's entropy, and the result stores it. Use it for a release
        that is published. An integer is R's set.seed. It can be found by trying; a note warns if the release can then
        be undone. A stream is continued.
    constraints : str or iterable of str, optional
        Linear ones as text, "A == B + C; D >= 0" or a list. Every protected record satisfies them by the nearest
        feasible values; notes state the cost (see pyfcrm.constraints). Calibrated with margins derives totals from
        their parts, and satisfies inequalities by swaps as far as possible, so that margins stay.
    missing : {"refuse", "protect", "drop"}
        What to do with records with missing values in columns with a role. "refuse" is an error. "protect" fills each
        gap by one regression draw, protects the completed file, and empties these cells again. What is preserved
        exactly is preserved for the completed file; notes report the deviation on the observed cells. "drop" leaves the
        records out of the release.
    round_integers : bool
        Round the release of integer columns, which stay integer (False releases floats).
    strata : str or iterable of str, optional
        Columns of any type, not dependent ones. The records of each combination of their values are protected
        separately, in the order of their first records, from one continued stream. A column with one value in a stratum
        is left out there. Unless missing="refuse", a missing stratum value is a level.
    structure : Structure or "find", optional
        Accepted proposals of find_structure(frame, roles). "find" accepts the identities, orders and signs that hold in
        all records, and habits of reporting for methods with bounds="sign"; notes name them. Derived columns are
        computed from the release of their parts. Joint zeros are restored by swaps. Orders become constraints.
    engine : str or Engine
        "local", Local(threads), "dask" for processes here, or the address of a Dask scheduler: the same release to
        1e-10.
    output : path, optional
        Where `frame` is a path, the file that the release goes to, in the format of its extension, and the result's
        `path`.
    overwrite : bool
        Whether an output that exists is replaced (else it is refused before any work is done).
    strict_totals : bool
        Refuse a release that preserves a total which discloses a contribution, by the rules of published tables
        (see pyfcrm.data.preserved_totals); else the notes name the cells.
    allow_unprotected : bool
        True lifts two rules. True lifts two rules. Otherwise a release is refused in which more than 5 % of the records
        keep every confidential value, at least one of them no point mass. So are strata of fewer than max(15, 3 (s +
        1)) records, with s independent columns.
    weights : str, optional
        The column of survey weights, above 0, which is released unchanged: totals and regressions of dependent columns on
        independent ones are kept weighted too. IPSO, EGADP and Calibrated(margins=None) keep the coefficients exactly,
        GADP on average, Calibrated with margins nearly, with weighted cross sums among dependent columns. A note states
        the deviation in standard errors. The frame must be in memory.
    preserve : str or iterable of str, optional
        Columns such as "region", within each level of which they are kept likewise; levels of few records are joined.
    copies : int
        The number of synthetic datasets drawn from the stream: `frames` of the result, and of a file out-1.csv,
        out-2.csv and so on for `output` "out.csv", written once all are complete. The first is what one release from
        the same seed would be, and is the result's `frame`. `combine` says what an analyst makes of them.
    bounds : "default", "sign", mapping or None
        Limits of released values. "sign": no value crosses zero if none does in the original. {"wage": (0, 5000)}:
        limits by column, None for no limit. "default" is "sign" for Calibrated with margins, the FCRM model, trees and
        ARF, and None for methods that preserve moments exactly. The limits are never the smallest and largest values
        observed.
    decimals : "default", "original", mapping or None
        "original" rounds each column to the decimals of the original's values, up to 6; {"wage": 2} to the declared ones.
        "default" is "original", and None for a method with a privacy budget.
    ledger : path, optional
        A private register of earlier releases, with its key in a file beside it, PATH.key: made where there is none. It holds
        no values. What this release discloses together with an earlier one of the same records is noted, and the verdict's
        test `ledger` fails.
    progress : callable, optional
        Called with (done, of how many at most, what); where it raises (Cancelled), nothing is left behind.

    Returns
    -------
    Protected
        The release, in the original's units, with its notes.

    Raises
    ------
    InvalidInput
        If the frame cannot be protected: a column that is not there, missing values, text where numbers must be.
    InvalidParameter
        If an argument breaks its rule.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.survey(100)
    >>> roles = pf.Roles(["region", "age"], ["wage", "tax"], identifiers="name")
    >>> released = pf.protect(frame, pf.IPSO("C"), roles, missing="protect")
    >>> "name" in released.frame
    False
    """
    request = protect_request(
        method,
        roles,
        seed,
        progress,
        constraints=constraints,
        missing=missing,
        strata=strata,
        round_integers=round_integers,
        structure=structure,
        strict_totals=strict_totals,
        allow_unprotected=allow_unprotected,
        weights=weights,
        preserve=preserve,
        copies=copies,
        bounds=bounds,
        decimals=decimals,
    )
    outputs = [] if output is None else copy_paths(output, request.copies)
    to = Destination(outputs=outputs, overwrite=flag("protect", "overwrite", overwrite), ledger=ledger)
    result = run_request(frame, request, engine, to)
    if result.registration is not None:
        result.registration.record()
    if result.path is None:
        return result
    return replace(result, frame=None, more=tuple(path_text("output", path) for path in outputs[1:]))


def run_request(source: Any, request: ProtectRequest, engine: str | Engine, to: Destination) -> Protected:
    """Protect a frame or a file."""
    require_output(source, to)
    with chosen("protect", engine) as running:
        frame = open_data("protect", source)
        frame, renumbered = without_index("protect", frame, request.roles)
        # Before categories are coded: a message lists the columns of the file, not those of the design.
        options = [*request.strata, *request.preserve, *([] if request.weights is None else [request.weights])]
        require_columns("protect", frame, options)
        notes = [*renumbered]
        if frame.source is not None:
            require_output(frame, to)
        registration = None if to.ledger is None else Registration.of(to.ledger, frame, request)
        request = replace(request, engine=running)
        joint = bool(request.roles.ids) and joint_unit(request, frame) is not None
        work, coded = (request, frame) if joint else _coded(request, frame, notes)
        # Files of several copies are renamed once all are complete.
        files = atomic_files(to.outputs, overwrite=to.overwrite) if to.outputs else nullcontext([None] * request.copies)
        with files as pending:
            copies = zip(each_copy(work, notes) if request.copies > 1 else [(work, notes)], pending, strict=True)
            results = [_released(copy, coded, file, to.disarm, own) for (copy, own), file in copies]
    rows = tuple(None if request.method.generates else released_rows(frame, released) for released in results)
    # Levels and the index stay with the original, as do cells and records that were left out.
    frames = [None if released is None else open_frame("protect", released).bare() for released in results]
    # What a reader of files notes may be about confidential cells.
    notes = [*(frame.notes if request.method.privacy is None else ()), *notes]
    notes += untouched_text_columns(request, frame)
    if request.method.weak_generator:
        notes.append(Note.of("risk", WEAK, method=str(request.method)))
    elif request.method.undone_by_seed and request.stream.seed is not None:
        notes.append(Note.of("risk", GUESSABLE))
    paths = [path_text("output", output) for output in to.outputs]
    if paths:
        notes += loses(extension(paths[0]), None if frame.table is None else frame.table.labels)
    if registration is not None:
        notes += registration.notes
    return Protected(
        frames[0],
        notes,
        request.method,
        request.roles,
        request.start,
        paths[0] if paths else None,
        tuple(paths[1:] if frames[0] is None else frames[1:]),
        request.options(),
        registration=registration,
        labels=dict(frame.column_labels),
        rows=rows,
    )


ALL_CATEGORICAL = "column `{column}` must hold numbers for this method; Sequential(), ARF() and PRAM() take categories"


def _coded(request: ProtectRequest, frame: Frame, notes: list[Note]) -> tuple[ProtectRequest, Frame]:
    """The request and the frame with categorical predictors coded, and with the structure found."""
    work, coded = request, frame
    if request.structure is not None or (request.method.by_swaps and request.constraints):
        work = structured(request, frame, notes)
    if request.method.one_for_one:
        by_counts = request.method.privacy is not None
        design = coded_predictors("protect", frame, request.roles, request.missing, by_counts=by_counts)
        if request.method.privacy is None:
            levels = column_levels("protect", frame, request.roles.dependent, request.missing)
            _require_several_levels(request, frame, levels)
            design, categories = replace(design, levels=levels), tuple(term.column for term in levels)
            if {*categories} == {*request.roles.dependent} and not request.method.takes_categories:
                raise InvalidInput("protect", ALL_CATEGORICAL.format(column=categories[0]), str(request.method))
            if categories and (text := {*constrained_columns(work.constraints)} & {*categories}):
                raise InvalidParameter("protect", "constraints", "must be about numbers", min(text))
            work = replace(work, categories=categories)
        work = replace(work, roles=design.roles, terms=tuple(term.names for term in design.terms))
        coded = design.frame(frame)
        notes[:0] = design.notes
    if work.constraints:
        named = constrained_columns(work.constraints)
        refuse_identifiers("protect", "constraints", named, work.roles)
        require_numeric("protect", coded, named)
    require_suitable("protect", [work.method], frame, request.engine, bool(request.strata))
    return work, coded


def _require_several_levels(request: ProtectRequest, frame: Frame, levels: Sequence[Term]) -> None:
    """Raises InvalidInput for a category of one level, unless missing values are to be refused first."""
    for term in levels:
        if len(term.positions) == 1 and frame.records > 1:
            [value] = term.positions
            if request.missing != "refuse" or not (frame.codes(term.column) == MISSING).any():
                raise constant_column("protect", term.column, repr(value))


def _released(request: ProtectRequest, frame: Frame, file: Pending | None, disarm: bool, notes: list[Note]) -> Any:
    """The released frame, also written to `file`; None where it was never in memory as a whole."""
    replaced = request.roles.ids and not request.method.generates
    ids = NewIds(request, frame, notes).applied if replaced else lambda released: released
    if frame.source is not None:
        assert file is not None
        report_progress(request.progress, 0, 1, str(request.method))
        with file_sink(frame, request.roles, file, disarm) as sink:
            for block in protect_numbers(request, frame, notes, os.path.dirname(file.target)):
                sink(ids(block))
        return None
    if request.steps:
        released = _release_steps(request, frame, notes)
    elif replaced and joint_unit(request, frame) is not None:
        released = protect_units(request, frame, _release_coded, notes)
    else:
        released = _release(request, frame, notes)
    released = ids(released)
    if file is not None:
        if request.method.privacy is not None and frame.table is not None:
            frame.table = without_values(frame.table, request.roles.dependent)
        with file_sink(frame, request.roles, file, disarm) as sink:
            sink(released)
    return released


def _release_coded(request: ProtectRequest, frame: Frame, notes: list[Note]) -> Any:
    """The release of a frame in memory whose predictors are not yet coded."""
    work, coded = _coded(request, frame, notes)
    return _release(work, coded, notes)


def _release_steps(request: ProtectRequest, frame: Frame, notes: list[Note]) -> Any:
    """The frame that the last step releases."""
    part = frame
    for k, step in enumerate(request.steps):
        own, label = list[Note](), f"step {k + 1}"
        progress = within(request.progress, k, len(request.steps), label)
        try:
            work = replace(step, engine=request.engine, progress=progress)
            joint = joint_unit(work, part) is not None
            released = protect_units(work, part, _release_coded, own) if joint else _release_coded(work, part, own)
            part = open_frame("protect", released).with_labels_of(frame)
        except InvalidInput as error:
            raise InvalidInput(f"{error.owner}, {label}", error.rule, error.value) from error
        notes += [note.changed(wording=f"{label}: {note.wording}") for note in lines(own)]
    return part.frame


def _release(request: ProtectRequest, frame: Frame, notes: list[Note]) -> Any:
    """The released frame of one in memory."""
    method, dependent, whole = request.method, request.roles.dependent, frame
    report_progress(request.progress, 0, 1, str(method))
    if request.missing == "protect":
        cells = method.one_for_one or method.generates
        numbers = request.columns if cells else number_columns(method, frame, dependent)
        whole = completed(frame, numbers, request.stream, notes)
    if method.generates:
        released = protect_generated(request, cast(External, method), whole, notes)
    elif method.privacy is not None:
        released = protect_within_budget(request, whole, notes)
    elif method.one_for_one:
        [released] = protect_numbers(request, whole, notes)
    else:
        released = protect_cells(request, cast(FrameMethod, method), whole, notes)
    if not method.generates:
        notes += gap_notes(whole, dependent if method.one_for_one else (), released)
    report_progress(request.progress, 1, 1, "done")
    return released
