"""evaluate() of two Parquet files, and of frames on a cluster."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..engine import Engine, one_blas_thread
from ..errors import InvalidInput
from ..files.paths import Path
from ..measures.measure import Parts
from ..progress import Progress
from .blocks import pieces
from .flow import Flow
from .measuring import at_once, measured, needed
from .parquet import RECORDS_AT_ONCE, Source
from .pil import pil
from .rows import ArrayRows, Scratch
from .two_sources import arrays, gaps, pair

Array = NDArray[np.float64]


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
            rows = ArrayRows(np.hstack([X, Z]))
            made["pil"] = pil(engine, pieces(rows, engine), rows)
    return made


def _take_in(both: tuple[Source, Source], wanted: tuple[str, ...], missing: str, progress: Progress | None) -> Scratch:
    """Both files' columns side by side: the records that are complete in both."""
    flows = [
        Flow(arrays(one, f"evaluate, {which}", wanted), len(wanted))
        for one, which in zip(both, ("original", "protected"), strict=True)
    ]
    scratch, seen = Scratch(2 * len(wanted), tempfile.gettempdir()), 0
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
