"""Work on one column after another, or on several at once where files are long; the results are the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..engine import Engine, Local

IN_THREADS = 50_000  # records from which threads pay

Result = TypeVar("Result")


def side_by_side(work: Callable[[int], Result], pieces: int, n: int, engine: Engine | None = None) -> list[Result]:
    """[work(0), ..., work(pieces - 1)]. n : records of the file; work must leave the others' pieces alone.

    engine : of this machine, whose threads long files take; None is Local().
    """
    if n < IN_THREADS or pieces < 2:
        return [work(j) for j in range(pieces)]
    return (engine or Local()).total(_Pieces(work), list(range(pieces)))


@dataclass(frozen=True)
class _Pieces(Generic[Result]):
    """An engine's kernel whose blocks are pieces by number, and whose sum is the list of their results."""

    work: Callable[[int], Result]

    def part(self, block: int) -> list[Result]:
        return [self.work(block)]

    def add(self, a: list[Result], b: list[Result]) -> list[Result]:
        a += b
        return a
