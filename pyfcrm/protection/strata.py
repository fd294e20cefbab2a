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
    codes = strata_codes("protect", frame, request.strata, request.options.missing, request.progress)
    return Strata.of(request.strata, codes[complete_rows(frame, complete)])


@contextmanager
def unseeded(stream: RStream) -> Iterator[None]:
    """The stream without its seed: a method that starts its own generator from the seed would start every stratum alike."""
    seed, stream.seed = stream.seed, None
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
    """What `release` gives for each stratum, of its number, its request and what receives its notes; errors name it."""
    summary, results, count = NoteSummary(len(strata)), list[Result](), len(strata)
    with unseeded(request.stream):
        for k in range(count):
            what = f"stratum {k + 1}"
            report_progress(request.progress, k, count, what)
            with strata.naming("protect", k):
                part = replace(request, progress=within(request.progress, k, count, what))
                results.append(release(k, part, partial(summary.note, k)))
    notes += [strata.size_note("protected"), *summary.texts()]
    return results


def release_strata(
    work: CellWork, request: ProtectRequest, frame: Frame, columns: Mapping[str, Any], notes: list[Note]
) -> CellRelease:
    """The release of cells, stratum by stratum. columns : those of the work, (n,)."""
    strata = strata_of(request, frame, ())

    def release(k: int, part: ProtectRequest, note: Reporter) -> CellRelease:
        rows = strata.rows[k]
        in_stratum = {name: values[rows] for name, values in columns.items()}
        return work.release(in_stratum, len(rows), Run(part.stream, note))

    releases = by_stratum(request, strata, notes, release)
    return _joined(type(request.method).__name__, releases, strata, frame.records)


def _joined(method: str, releases: list[CellRelease], strata: Strata, n: int) -> CellRelease:
    """The releases of the strata as one of n records. method : the method's name, for errors."""
    orders = dict[str, list[str]]()
    for result in releases:
        for name, (_, order) in result.categories.items():
            if orders.setdefault(name, order) != order:
                rule = "by strata, categories must be the same in all of them (give `breaks` as cut points)"
                raise InvalidInput(method, rule, f"others for column `{name}`")
    labels = [{name: cells[0] for name, cells in result.categories.items()} for result in releases]
    pairs = list(zip(releases, strata.rows, strict=True))
    moved = [{name: rows[records] for name, records in result.moved.items()} for result, rows in pairs]
    cells = _scattered(labels, strata, np.full(n, None, dtype=object))
    rows = np.concatenate([rows if result.rows is None else rows[result.rows] for result, rows in pairs])
    return CellRelease(
        numbers=_scattered([result.numbers for result in releases], strata, np.full(n, np.nan)),
        categories={name: (cells[name], order) for name, order in orders.items()},
        gaps=_scattered([result.gaps for result in releases], strata, np.zeros(n, dtype=bool)),
        rows=np.sort(rows) if len(rows) < n else None,
        moved=_scattered(moved, strata, np.arange(n)),
    )


def _scattered(columns: Sequence[Mapping[str, Any]], strata: Strata, whole: Any) -> dict[str, Any]:
    """The columns of each stratum, by name, as columns of all records; whole (n,) : of records without any."""
    joined: dict[str, Any] = {}
    for part, rows in zip(columns, strata.rows, strict=True):
        for name, values in part.items():
            joined.setdefault(name, whole.copy())[rows] = values
    return joined


def each_copy(request: ProtectRequest, notes: list[Note]) -> Iterator[tuple[ProtectRequest, list[Note]]]:
    """The request of each copy in turn, with the list for its notes; `notes` has in the end each of them once, as the first copy has it.

    The first copy is what one release from the same start would be. Raises InvalidParameter where no random number is drawn for it.
    """
    copies: list[list[Note]] = [[] for _ in range(request.options.copies)]
    before = request.stream.to_r_state()
    for k, own in enumerate(copies):
        progress = within(request.progress, k, request.options.copies, f"copy {k + 1} of {request.options.copies}")
        # A method that starts its own generator from the seed would make every copy alike.
        with unseeded(request.stream) if k else nullcontext():
            yield replace(request, progress=progress), own
        if k == 1 and (request.stream.to_r_state() == before).all():
            rule = "must be 1 for a method that draws no random numbers, whose copies are all alike"
            raise InvalidParameter("protect", "copies", rule, request.options.copies)
    first = {(note.kind, note.wording, note.columns): note for own in reversed(copies) for note in reversed(own)}
    notes += [*reversed(first.values()), Note.of("risk", DRAWN, copies=request.options.copies)]
