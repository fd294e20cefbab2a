"""evaluate() of two Parquet files by strata, or with inference baselines: what needs a stratum's records at once."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator

import numpy as np

from ..data import checked, open_frame
from ..data.blocks import Rebatched
from ..data.pairs import TwoFiles
from ..data.records import DiskRecords, SortedDiskRecords
from ..data.strata import Numbering, Strata
from ..errors import InvalidInput, InvalidParameter
from ..files.parquet import RECORDS_AT_ONCE, Source
from ..files.paths import Path
from ..progress import tell, within
from ..protection.strata_by_blocks import require_room
from ..types import Array, Codes
from .evaluate_by_blocks import arrays, gaps, pair
from .judge import EvaluateRequest, with_inference
from .report import Report
from .strata import averaged, refuse_extremes


def evaluate_strata(original: Path, protected: Path, asked: EvaluateRequest) -> Report:
    """The Report of two Parquet files or folders whose records pair by position, as that of their frames: the same bits.

    Memory holds the largest stratum (all records where there are no strata) and 32 bytes a record; the disk 16 bytes a
    value in files without a name.
    """
    both, columns = pair(original, protected, asked.columns, asked.measures)
    _check(columns, asked)
    given = asked.independent or ()
    rows, codes = _take_in(both, columns, given, asked)
    try:
        strata = Strata.of(asked.strata, codes)
        require_room("evaluate", strata, rows.p)
        table = SortedDiskRecords(rows, strata, tempfile.gettempdir())
    finally:
        rows.close()
    left = both[0].n - len(codes)
    notes = (f"{left} of {both[0].n} records have missing values and are not judged",) if left else ()
    reports = [
        _one(table.read(k), k, strata, columns, () if asked.strata else notes, asked) for k in range(len(strata))
    ]
    return averaged(reports, strata, asked.measures, notes) if asked.strata else reports[0]


def _check(columns: tuple[str, ...], asked: EvaluateRequest) -> None:
    if asked.strata:
        refuse_extremes(asked.measures)
    if twice := sorted({*(asked.independent or ())} & {*columns}):
        raise InvalidParameter("evaluate", "independent", "must not be judged too (name those by `columns`)", twice)


def _take_in(
    both: tuple[Source, Source], columns: tuple[str, ...], given: tuple[str, ...], asked: EvaluateRequest
) -> tuple[DiskRecords, Codes]:
    """Original, protected and independent columns side by side, and the strata, of the records complete in both files."""
    p = len(columns)
    before = Rebatched(_with_strata(both[0], columns, given, asked), p + len(given) + 1)
    after = Rebatched(arrays(both[1], "evaluate, protected", columns), p)
    rows, codes, seen = DiskRecords(2 * p + len(given), tempfile.gettempdir()), list[Codes](), 0
    try:
        while seen < both[0].n:
            A, Z = before.take(RECORDS_AT_ONCE), after.take(RECORDS_AT_ONCE)
            judged_too = np.hstack([A[:, :p], Z])
            whole = ~gaps(judged_too if asked.missing == "complete" else np.hstack([A, Z]), asked.missing, seen)
            rows.append(np.hstack([judged_too, A[:, p:-1]])[whole])
            codes.append(A[whole, -1].astype(np.int64))
            seen += len(A)
            tell(asked.progress, seen, both[0].n, "reading")
        if rows.n == 0:
            raise InvalidInput("evaluate", "no record is complete in both files", "none")
    except BaseException:
        rows.close()
        raise
    return rows, np.concatenate(codes)


def _with_strata(
    one: Source, columns: tuple[str, ...], given: tuple[str, ...], asked: EvaluateRequest
) -> Iterator[Array]:
    """Blocks of the original: judged columns, independent ones, and the stratum's number."""
    numbering, seen = Numbering("evaluate, original", asked.strata, asked.missing), 0
    for table in one.tables(list(dict.fromkeys([*columns, *given, *asked.strata]))):
        door = open_frame("evaluate, original", table)
        X = checked("evaluate, original", door, columns, first=seen)
        G = checked("evaluate, independent", door, given, first=seen)
        codes = numbering.codes(door) if asked.strata else np.zeros(len(X), dtype=np.int64)
        yield np.column_stack([X, G, codes])
        seen += len(X)


def _one(
    A: Array, k: int, strata: Strata, columns: tuple[str, ...], notes: tuple[str, ...], asked: EvaluateRequest
) -> Report:
    p, progress = len(columns), asked.progress
    if asked.strata:
        progress = within(progress, k, len(strata), f"stratum {k + 1}")
    X, Z, given = (np.ascontiguousarray(part) for part in (A[:, :p], A[:, p : 2 * p], A[:, 2 * p :]))
    rows = np.arange(len(A))
    both = TwoFiles(columns, X, Z, (rows, rows), notes)
    with strata.naming("evaluate", k):
        return with_inference(both, {}, None, given if asked.infers else None, asked, progress)
