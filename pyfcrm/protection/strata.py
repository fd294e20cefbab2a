"""Strata: the records of each, and methods that drop records or suppress cells, stratum by stratum."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..data import Frame
from ..data.load import complete_rows
from ..data.source import read_blocks
from ..data.strata import NoteSummary, Numbering, Strata
from ..errors import InvalidInput, Note
from ..methods.frame_method import FrameMethod, FrameRelease
from ..progress import Reporter, report_progress, within
from ..rstream import RStream
from ..types import Array, Codes, Mask, Rows
from .request import ProtectRequest

Result = TypeVar("Result")


def strata_of(request: ProtectRequest, frame: Frame, complete: Sequence[str]) -> Strata:
    """The strata of the records that are complete in these columns."""
    numbering, codes, seen = Numbering("protect", request.strata, request.missing), list[Codes](), 0
    for part in read_blocks("protect", frame, [*request.strata, *complete]):
        codes.append(numbering.codes(part)[complete_rows(part, complete)])
        seen += part.records
        if frame.source is not None:
            report_progress(request.progress, seen, frame.records, "finding the strata")
    return Strata.of(request.strata, np.concatenate(codes))


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
    report_progress(request.progress, count, count, "done")
    notes += [strata.size_note("protected"), *summary.texts()]
    return results


def release_strata(
    method: FrameMethod, request: ProtectRequest, strata: Strata, cells: Mapping[str, Any], n: int, notes: list[Note]
) -> FrameRelease:
    """The release of a FrameMethod, stratum by stratum. cells : its columns (n,)."""

    def release(k: int, part: ProtectRequest, note: Reporter) -> FrameRelease:
        rows = strata.rows[k]
        return method.release({name: values[rows] for name, values in cells.items()}, len(rows), part.stream, note)

    return _joined(method, by_stratum(request, strata, notes, release), strata, n)


def _joined(method: FrameMethod, releases: list[FrameRelease], strata: Strata, n: int) -> FrameRelease:
    """The releases of the strata as one of n records."""
    numbers: dict[str, Array] = {}
    gaps: dict[str, Mask] = {}
    categories: dict[str, tuple[NDArray[np.object_], list[str]]] = {}
    moved: dict[str, Rows] = {}
    for result, rows in zip(releases, strata.rows, strict=True):
        for name, values in result.numbers.items():
            numbers.setdefault(name, np.full(n, np.nan))[rows] = values
        for name, records in result.moved.items():
            moved.setdefault(name, np.arange(n))[rows] = rows[records]
        for name, gap in result.gaps.items():
            gaps.setdefault(name, np.zeros(n, dtype=bool))[rows] = gap
        for name, (labels, order) in result.categories.items():
            whole, same = categories.setdefault(name, (np.full(n, None, dtype=object), order))
            if order != same:
                rule = "by strata, categories must be the same in all of them (give `breaks` as cut points)"
                raise InvalidInput(type(method).__name__, rule, f"others for column `{name}`")
            whole[rows] = labels
    retained = [
        rows if result.rows is None else rows[result.rows] for result, rows in zip(releases, strata.rows, strict=True)
    ]
    whole_file = all(result.rows is None for result in releases)
    return FrameRelease(numbers, categories, gaps, None if whole_file else np.sort(np.concatenate(retained)), moved)
