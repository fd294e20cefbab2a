"""Progress of passes over the records, and a way to stop between them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from ..engine import Engine, Kernel
from ..fuzzy.fcrm import START
from ..methods import FCRM, IPSO, Method
from ..progress import Progress

Block = TypeVar("Block")
Part = TypeVar("Part")


class Watched:
    """An engine that tells of each pass: progress(passes done, the most there can be, what).

    What the callback raises stops the work; Cancelled says so best.
    """

    def __init__(self, engine: Engine, progress: Progress, most: int, what: str) -> None:
        self.engine, self.progress, self.most, self.what, self.done = engine, progress, most, what, 0
        if hasattr(engine, "hold"):
            self.hold = engine.hold

    def total(self, kernel: Kernel[Block, Part], blocks: Iterable[Block]) -> Part:
        """See Engine."""
        part: Any = self.engine.total(kernel, blocks)
        self.done += 1
        self.progress(min(self.done, self.most), self.most, self.what)
        return part


def watched(engine: Engine, progress: Progress | None, method: Method, t: int) -> Engine:
    """The engine, telling `progress` of its passes if there is one; t : dependent columns."""
    return engine if progress is None else Watched(engine, progress, most_passes(method, t), str(method))


def most_passes(method: Method, t: int) -> int:
    """How often a method's records are gone through at most."""
    if isinstance(method, FCRM):
        fits = (1 if method.joint else t) * (int(START["max_iter"]) + method.max_iter + 3)
        return 2 + fits + (int(START["max_iter"]) if method.basis == "rbf" else 0)
    return 14 if isinstance(method, IPSO) else 6
