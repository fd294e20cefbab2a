"""What one workbench holds, as reactive values."""

from __future__ import annotations

import itertools

from shiny import reactive

from ..uploads import let_go
from .columns import Column
from .job import Desk
from .trial import Source, Trial


class Bench:
    """source, columns : of the file on the bench; trials : everything tried so far; file_trouble, run_trouble : one
    sentence each, or nothing; `generation` numbers the files, so that the fields of one are not those of the next."""

    def __init__(self) -> None:
        self.source: reactive.Value[Source | None] = reactive.Value(None)
        self.columns: reactive.Value[tuple[Column, ...]] = reactive.Value(())
        self.trials: reactive.Value[tuple[Trial, ...]] = reactive.Value(())
        self.file_trouble: reactive.Value[str] = reactive.Value("")
        self.run_trouble: reactive.Value[str] = reactive.Value("")
        self.running: reactive.Value[bool] = reactive.Value(False)
        self.desk = Desk()
        self.generation = 0
        self._numbers = itertools.count(1)

    def put(self, source: Source, columns: tuple[Column, ...]) -> None:
        """Another file on the bench, with what was seen of it; what was tried on the last one is gone with it."""
        self.let_go()
        before = self.source()
        if before is not None and before.path is not None:
            let_go(before.path)
        self.generation += 1
        self.file_trouble.set("")
        self.run_trouble.set("")
        self.trials.set(())
        self.columns.set(columns)
        self.source.set(source)

    def next_number(self) -> int:
        """Of the next trial, from 1."""
        return next(self._numbers)

    def let_go(self) -> None:
        """Cancel what runs."""
        self.desk.cancel()
        self.running.set(False)

    def end(self) -> None:
        """The visit is over: nothing of it is kept in memory."""
        self.desk.cancel()
        self.trials.set(())
        self.columns.set(())
        self.source.set(None)
