"""evaluate() of two Parquet files, and of frames on a cluster."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..arguments import names
from ..engine import Engine, is_cluster, one_blas_thread
from ..errors import InvalidInput, InvalidParameter
from ..files.paths import Path
from ..measures import MEASURES
from ..measures.dbrl import dbrl
from ..measures.interval_disclosure import interval_disclosure
from ..measures.measure import Aggregate, KeyMeasure, Measure, Part, Parts
from ..measures.prl import prl
from ..table import checked, numeric_names, open_frame
from .blocks import pieces
from .flow import Flow
from .intake import Progress
from .linking import OnCluster
from .parquet import RECORDS_AT_ONCE, Source, source
from .pil import column, pil
from .rows import ArrayRows, Rows, Scratch

Array = NDArray[np.float64]
BY_BLOCKS = ("pil", "id")
COPIES = 8  # of both files that a measure of all records at once may need


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
    memory at a time; the others compare records with each other, and are refused where the files do not fit.
    """
    both = source("evaluate", original), source("evaluate", protected)
    wanted = _columns(*both, columns)
    if both[0].n != both[1].n:
        rule = "records of two Parquet files pair by position, so there must be as many in both"
        raise InvalidInput("evaluate", rule, f"{both[0].n} and {both[1].n}")
    if unknown := [key for key in asked if isinstance(MEASURES[key], KeyMeasure)]:
        rule = "must be measures of numeric attributes where files are judged (read the key columns into a frame)"
        raise InvalidParameter("evaluate", "measures", rule, unknown)
    rows = _take_in(both, wanted, missing, progress)
    notes = (f"{both[0].n - rows.n} of {both[0].n} records have missing values and are not judged",)
    with one_blas_thread():
        results = measured(rows, asked, engine, progress)
    rows.close()
    return results, wanted, rows.n, notes if rows.n < both[0].n else ()


def on_cluster(X: Array, Z: Array, asked: Iterable[str], engine: Engine) -> dict[str, Parts]:
    """Those measures among the ones asked for that a cluster works out, by key; X, Z (n, p)."""
    wanted = {part for key in asked for part in _needed(key)}
    rows = ArrayRows(np.hstack([X, Z]))
    with one_blas_thread():
        return {key: _measure(key, rows, engine) for key in ("pil", "dbrl", "prl") if key in wanted}


def measured(rows: Rows, asked: Sequence[str], engine: Engine, progress: Progress | None = None) -> dict[str, Parts]:
    """The measures by key, of records that hold the original's columns, then the protected ones."""
    single = list(dict.fromkeys(part for key in asked for part in _needed(key)))
    for key in single:
        if key not in BY_BLOCKS:
            _refuse_too_large(key, rows)
    made: dict[str, Parts] = {}
    for done, key in enumerate(single):
        if progress is not None:
            progress(done, len(single), f"measuring {key}")
        made[key] = _measure(key, rows, engine)
    return {key: _combined(key, made) for key in asked}


def _needed(key: str) -> Iterator[str]:
    measure = MEASURES[key]
    if isinstance(measure, Aggregate):
        for part in measure.of:
            yield from _needed(part)
    else:
        yield key


def _combined(key: str, made: dict[str, Parts]) -> Parts:
    measure = MEASURES[key]
    if isinstance(measure, Aggregate):
        return measure.combine(*(_combined(part, made) for part in measure.of))
    return made[key]


def _measure(key: str, rows: Rows, engine: Engine) -> Parts:
    if key == "pil":
        return pil(engine, pieces(rows, engine), rows)
    if key == "id":
        return _interval_disclosure(rows)
    A, p = rows.read(slice(0, rows.n)), rows.p // 2
    X, Z = np.ascontiguousarray(A[:, :p]), np.ascontiguousarray(A[:, p:])
    if is_cluster(engine) and key in ("dbrl", "prl"):
        cluster = OnCluster(engine)
        return dbrl(X, Z, cluster.nearest) if key == "dbrl" else prl(X, Z, cluster.probabilistic)
    measure = MEASURES[key]
    assert isinstance(measure, Measure)
    return measure(X, Z)


def _interval_disclosure(rows: Rows) -> Parts:
    """measures.interval_disclosure, a column at a time: its total is the mean of the columns'."""
    p = rows.p // 2
    made = [interval_disclosure(column(rows, j), column(rows, p + j)).parts[0] for j in range(p)]
    parts = tuple(Part("id", one.value, one.baseline, attribute=j) for j, one in enumerate(made))
    baselines = [one.baseline for one in made if one.baseline is not None]
    return Parts(sum(one.value for one in made) / p, parts, sum(baselines) / p)


def _refuse_too_large(key: str, rows: Rows) -> None:
    most = memory() // 2 // (COPIES * 8 * rows.p)
    if rows.n > most:
        rule = (
            f"`{key}` compares records with each other and needs both files in memory, which holds about {most} records "
            'here: ask for measures=["pil", "id"], or judge strata of the files one by one'
        )
        raise InvalidInput("evaluate", rule, f"{rows.n} records")


def memory() -> int:
    """Bytes of memory that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


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


def _take_in(both: tuple[Source, Source], wanted: tuple[str, ...], missing: str, progress: Progress | None) -> Scratch:
    """Both files' columns side by side: the records that are complete in both."""
    flows = [
        Flow(_arrays(one, f"evaluate, {which}", wanted), len(wanted))
        for one, which in zip(both, ("original", "protected"), strict=True)
    ]
    scratch, seen = Scratch(2 * len(wanted), tempfile.gettempdir()), 0
    try:
        while seen < both[0].n:
            A = np.hstack([flow.take(RECORDS_AT_ONCE) for flow in flows])
            gaps = np.isnan(A).any(axis=1)
            if gaps.any() and missing == "refuse":
                rule = 'values are missing (missing="complete" judges the records complete in both files only)'
                raise InvalidInput("evaluate", rule, f"record {seen + int(np.argmax(gaps)) + 1}")
            scratch.append(A[~gaps])
            seen += len(A)
            if progress is not None:
                progress(seen, both[0].n, "reading")
        if scratch.n == 0:
            raise InvalidInput("evaluate", "no record is complete in both files", "none")
    except BaseException:
        scratch.close()
        raise
    return scratch


def _arrays(one: Source, owner: str, wanted: tuple[str, ...]) -> Iterator[Array]:
    seen = 0
    for table in one.tables(list(wanted)):
        yield checked(owner, open_frame(owner, table), wanted, first=seen)
        seen += table.num_rows
