"""Work on one column after another, or on several at once where files are long; the results are the same."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

IN_THREADS = 50_000  # records from which threads pay
MOST_THREADS = 8

Result = TypeVar("Result")


def side_by_side(work: Callable[[int], Result], pieces: int, n: int) -> list[Result]:
    """[work(0), ..., work(pieces - 1)]. n : records of the file; work must leave the others' pieces alone."""
    if n < IN_THREADS or pieces < 2:
        return [work(j) for j in range(pieces)]
    with ThreadPoolExecutor(min(pieces, os.cpu_count() or 1, MOST_THREADS)) as pool:
        return list(pool.map(work, range(pieces)))
