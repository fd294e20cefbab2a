"""evaluate() of two Parquet files, whose records are read side by side, and of frames on a cluster."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..arguments import names
from ..data import checked, numeric_names, open_frame
from ..data.blocks import Rebatched, pieces
from ..data.records import DiskRecords, MemoryRecords
from ..engine import Engine, one_blas_thread
from ..errors import InvalidInput, InvalidParameter
from ..files.parquet import RECORDS_AT_ONCE, Source, source
from ..files.paths import Path
from ..measures import MEASURES
from ..measures.measure import KeyMeasure, Parts
from ..measures.pil_by_blocks import pil
from ..progress import Progress
from ..types import Array
from .measures_by_blocks import at_once, measured, needed


def pair(
    original: Path, protected: Path, columns: str | Iterable[str] | None, measures: Sequence[str]
) -> tuple[tuple[Source, Source], tuple[str, ...]]:
    """Both files, and the columns to judge: those asked for, or all numeric ones both have.

    Raises InvalidInput or InvalidParameter where records cannot pair, or a measure is not one of numbers.
    """
    both = source("evaluate", original), source("evaluate", protected)
    wanted = _columns(*both, columns)
    if both[0].n != both[1].n:
        rule = "records of two Parquet files pair by position, so there must be as many in both"
        raise InvalidInput("evaluate", rule, f"{both[0].n} and {both[1].n}")
    if unknown := [key for key in measures if isinstance(MEASURES[key], KeyMeasure)]:
        rule = "must be measures of numeric attributes where files are judged (read the key columns into a frame)"
        raise InvalidParameter("evaluate", "measures", rule, unknown)
    return both, wanted


def gaps(A: Array, missing: str, before: int) -> NDArray[np.bool_]:
    """(b,) where a record of A (b, p) has a value missing, which missing="refuse" refuses; before : records that came first."""
    found = np.isnan(A).any(axis=1)
    if found.any() and missing == "refuse":
        rule = 'values are missing (missing="complete" judges the records complete in both files only)'
        raise InvalidInput("evaluate", rule, f"record {before + int(np.argmax(found)) + 1}")
    return np.asarray(found)


def arrays(one: Source, owner: str, wanted: tuple[str, ...]) -> Iterator[Array]:
    seen = 0
    for table in one.tables(list(wanted)):
        yield checked(owner, open_frame(owner, table), wanted, first=seen)
        seen += table.num_rows


def _columns(before: Source, after: Source, columns: str | Iterable[str] | None) -> tuple[str, ...]:
    doors = open_frame("evaluate", before.first()), open_frame("evaluate", after.first())
    there = set(numeric_names(doors[1]))
    given = names("evaluate", "columns", columns)
    wanted = given or tuple(name for name in numeric_names(doors[0]) if name in there)
    if not wanted:
        raise InvalidInput("evaluate", "needs at least one numeric column that both files have", "none")
    for door, which in zip(doors, ("original", "protected"), strict=True):
        checked(f"evaluate, {which}", door, wanted)
    return wanted


def evaluate_files(
    original: Path,
    protected: Path,
    columns: str | Iterable[str] | None,
    asked: Sequence[str],
    missing: str,
    engine: Engine,
    progress: Progress | None = None,
) -> tuple[dict[str, Parts], tuple[str, ...], int, tuple[str, ...]]:
    """The measures `asked` for of two Parquet files or folders whose records pair by position.

    Returns them by key, the columns, the number of records judged, and notes. PIL and ID take one column of numbers in
    memory at a time; DBRL and PRL two blocks of records where the files are large; the others need all records at once,
    and are refused where the files do not fit.
    """
    both, wanted = pair(original, protected, columns, asked)
    rows = _take_in(both, wanted, missing, progress)
    notes = (f"{both[0].n - rows.n} of {both[0].n} records have missing values and are not judged",)
    with one_blas_thread():
        results = measured(rows, asked, engine, progress)
    rows.close()
    return results, wanted, rows.n, notes if rows.n < both[0].n else ()


def on_cluster(X: Array, Z: Array, asked: Iterable[str], engine: Engine) -> dict[str, Parts]:
    """Those measures among the ones asked for that a cluster works out, by key; X, Z (n, p)."""
    wanted = {part for key in asked for part in needed(key)}
    with one_blas_thread():
        made: dict[str, Parts] = {key: at_once(key, X, Z, engine) for key in ("dbrl", "prl") if key in wanted}
        if "pil" in wanted:
            rows = MemoryRecords(np.hstack([X, Z]))
            made["pil"] = pil(engine, pieces(rows, engine), rows)
    return made


def _take_in(
    both: tuple[Source, Source], wanted: tuple[str, ...], missing: str, progress: Progress | None
) -> DiskRecords:
    """Both files' columns side by side: the records that are complete in both."""
    flows = [
        Rebatched(arrays(one, f"evaluate, {which}", wanted), len(wanted))
        for one, which in zip(both, ("original", "protected"), strict=True)
    ]
    scratch, seen = DiskRecords(2 * len(wanted), tempfile.gettempdir()), 0
    try:
        while seen < both[0].n:
            A = np.hstack([flow.take(RECORDS_AT_ONCE) for flow in flows])
            scratch.append(A[~gaps(A, missing, seen)])
            seen += len(A)
            if progress is not None:
                progress(seen, both[0].n, "reading")
        if scratch.n == 0:
            raise InvalidInput("evaluate", "no record is complete in both files", "none")
    except BaseException:
        scratch.close()
        raise
    return scratch
