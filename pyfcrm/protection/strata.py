"""Parts of one stream of random numbers: strata, with methods that drop records or suppress cells, and copies of a release."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from ..data import Frame
from ..data.check import complete_rows
from ..data.strata import NoteSummary, Strata, strata_codes
from ..errors import InvalidInput, InvalidParameter, Note
from ..methods.work import CellRelease, CellWork, Run
from ..progress import Reporter, report_progress, within
from ..rstream import RStream
from .request import ProtectRequest

Result = TypeVar("Result")
DRAWN = (
    "{copies} datasets were drawn. An intruder who has all of them can compute their mean: evaluate them together, as "
    "`released.frames`"
)


def strata_of(request: ProtectRequest, frame: Frame, complete: Sequence[str]) -> Strata:
    """The strata of the records that are complete in these columns."""
    codes = strata_codes("protect", frame, request.strata, request.missing, request.progress)
    return Strata.of(request.strata, codes[complete_rows(frame, complete)])


@contextmanager
def unseeded(stream: RStream) -> Iterator[None]:
    """The stream without its seed: a method that starts its own generator from the seed would start every stratum alike."""
    seed = stream.seed
    stream.seed = None
    try:
        yield
    finally:
        stream.seed = seed


def by_stratum(
    request: ProtectRequest,
    strata: Strata,
    notes: list[Note],
    release: Callable[[int, ProtectRequest, Reporter], Result],
) -> list[Result]:
    """Results for each stratum; errors name the stratum, and notes of several strata are one.

    release : a function of a stratum's number from 0, its request, and the function that receives its notes.
    """
    count = len(strata)
    summary = NoteSummary(count)
    results: list[Result] = []
    with unseeded(request.stream):
        for k in range(count):
            what = f"stratum {k + 1}"
            report_progress(request.progress, k, count, what)
            in_stratum = replace(request, progress=within(request.progress, k, count, what))
            with strata.naming("protect", k):
                results.append(release(k, in_stratum, partial(summary.note, k)))
    notes += [strata.size_note("protected"), *summary.texts()]
    return results


def release_strata(
    work: CellWork, request: ProtectRequest, frame: Frame, columns: Mapping[str, Any], notes: list[Note]
) -> CellRelease:
    """The release of cells, stratum by stratum. columns : those of the work, (n,)."""
    strata = strata_of(request, frame, ())

    def release(k: int, in_stratum: ProtectRequest, note: Reporter) -> CellRelease:
        """The release of the cells of stratum k."""
        rows = strata.rows[k]
        cells = {name: values[rows] for name, values in columns.items()}
        return work.release(cells, len(rows), Run(in_stratum.stream, note))

    releases = by_stratum(request, strata, notes, release)
    return _joined(type(request.method).__name__, releases, strata, frame.records)


def _joined(method: str, releases: list[CellRelease], strata: Strata, n: int) -> CellRelease:
    """The releases of the strata as one of n records. method : the method's name, for errors."""
    orders: dict[str, list[str]] = {}  # by column, the order of its categories
    for release in releases:
        for name, (_, order) in release.categories.items():
            if orders.setdefault(name, order) != order:
                rule = "by strata, categories must be the same in all of them (give `breaks` as cut points)"
                raise InvalidInput(method, rule, f"others for column `{name}`")

    labels = []  # of each stratum, its columns of categories
    moved = []  # of each stratum, the records of the file from which the cells of its columns come
    rows_released = []  # of each stratum, its records of the file that are released
    for release, rows in zip(releases, strata.rows, strict=True):
        labels.append({name: cells for name, (cells, _) in release.categories.items()})
        moved.append({name: rows[places] for name, places in release.moved.items()})
        rows_released.append(rows if release.rows is None else rows[release.rows])
    kept_rows = np.sort(np.concatenate(rows_released))

    cells = _joined_columns(labels, strata, np.full(n, None, dtype=object))
    return CellRelease(
        numbers=_joined_columns([release.numbers for release in releases], strata, np.full(n, np.nan)),
        categories={name: (cells[name], order) for name, order in orders.items()},
        gaps=_joined_columns([release.gaps for release in releases], strata, np.zeros(n, dtype=bool)),
        rows=kept_rows if len(kept_rows) < n else None,
        moved=_joined_columns(moved, strata, np.arange(n)),
    )


def _joined_columns(columns: Sequence[Mapping[str, Any]], strata: Strata, default: Any) -> dict[str, Any]:
    """The columns of each stratum, by name, as columns of all records.

    default : (n,) the values of records in strata without a column.
    """
    joined: dict[str, Any] = {}
    for in_stratum, rows in zip(columns, strata.rows, strict=True):
        for name, values in in_stratum.items():
            if name not in joined:
                joined[name] = default.copy()
            joined[name][rows] = values
    return joined


def each_copy(request: ProtectRequest, notes: list[Note]) -> Iterator[tuple[ProtectRequest, list[Note]]]:
    """The request of each copy in turn, with the list for its notes.

    In the end `notes` has each note once, as the first copy with such a note has it. The first copy is what one release
    from the same start would be. Raises InvalidParameter where no random number is drawn.
    """
    count = request.options.copies
    notes_of_copies: list[list[Note]] = [[] for _ in range(count)]
    before = request.stream.to_r_state()
    for k, notes_of_copy in enumerate(notes_of_copies):
        progress = within(request.progress, k, count, f"copy {k + 1} of {count}")
        # A method that starts its own generator from the seed would make every copy alike.
        seeded = k == 0
        with nullcontext() if seeded else unseeded(request.stream):
            yield replace(request, progress=progress), notes_of_copy
        if k == 1 and (request.stream.to_r_state() == before).all():
            rule = "must be 1 for a method that draws no random numbers, whose copies are all alike"
            raise InvalidParameter("protect", "copies", rule, count)
    # Read from the end, so that of notes of one kind and wording the first one stays, at the last of their places.
    distinct: dict[Any, Note] = {}
    for notes_of_copy in reversed(notes_of_copies):
        for note in reversed(notes_of_copy):
            distinct[note.kind, note.wording, note.columns] = note
    notes += [*reversed(distinct.values()), Note.of("risk", DRAWN, copies=count)]
