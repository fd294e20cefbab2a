"""The search: every candidate on one seed, nearer settings around the best, the best on every seed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ..errors import InvalidInput, InvalidParameter, MissingExtra
from ..evaluating import Report
from ..methods import Method
from ..progress import Progress, still, tell
from ..rstream import RStream
from .grid import between, dial, turned
from .recommendation import Judged, nondominated

# (method, seed) to the report of its release and the notes.
Judge = Callable[[Method, int | RStream], tuple[Report, tuple[str, ...]]]

ROUNDS = 3  # of refinement
AROUND = 3  # methods looked at more closely in a round
LONG_LIST = 6  # methods within the limit that are judged on every seed
ALIKE = 3  # methods that fail with one sentence
GRID_SHARE, REFINING_SHARE = 0.5, 0.75  # of the time, at which a stage gives way to the next


@dataclass
class Search:
    """A search under way; `judged` grows. judge : what makes a report; seeds : the first judges everything."""

    judge: Judge
    seeds: tuple[int | RStream, ...]
    max_dr: float
    seconds: float
    progress: Progress | None = None
    judged: list[Judged] = field(default_factory=list)
    set_aside: dict[str, str] = field(default_factory=dict)
    left: int = 0  # candidates of the grid that there was no time for
    complete: bool = True
    failure: Exception | None = None
    inside: Progress | None = None  # told in the middle of the step under way
    clock: Callable[[], float] = time.monotonic
    started: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.clock()

    def elapsed(self) -> float:
        """Seconds since the start."""
        return self.clock() - self.started

    def grid(self, candidates: list[Method]) -> None:
        """Every candidate on the first seed, until half of the time is gone; one at least."""
        for k, method in enumerate(candidates):
            if (self.judged and self.elapsed() > GRID_SHARE * self.seconds) or self._hopeless():
                self.left, self.complete = len(candidates) - k, False
                return
            self._tell(k, len(candidates), str(method))
            self._first(method)

    def _hopeless(self) -> bool:
        """Whether the time is gone, and several methods could not be used for one and the same reason: the file's."""
        reasons = list(self.set_aside.values())
        alike = len(reasons) >= ALIKE and len(set(reasons)) == 1
        return not self.judged and alike and self.elapsed() > self.seconds

    def refine(self) -> None:
        """Settings halfway to their neighbours, around the best within the limit and the first beyond it."""
        for _ in range(ROUNDS):
            known = [one.method for one in self.judged]
            wanted = [new for one in self._promising() for new in between(one.method, known)]
            for method in wanted:
                if self.elapsed() > REFINING_SHARE * self.seconds:
                    self.complete = False
                    return
                if method not in [one.method for one in self.judged] and str(method) not in self.set_aside:
                    self._tell(len(self.judged), len(self.judged) + len(wanted), str(method))
                    self._first(method)
            if not wanted:
                return

    def confirm(self) -> None:
        """Every seed for the best within the limit, the frontier and the least risk; the first of them in any case."""
        done = 0
        while (k := self._unconfirmed(done)) is not None:
            if done and self.elapsed() > self.seconds:
                self.complete = False
                return
            self._tell(done, done + 1, f"{self.judged[k].method}, every seed")
            self.judged[k] = self._on_every_seed(self.judged[k])
            done += 1

    def pick(self) -> Judged | None:
        """The least mean PIL among those within the limit with every seed."""
        whole = [one for one in self.judged if len(one.reports) == len(self.seeds)]
        within = [one for one in whole if one.worst("dr") <= self.max_dr]
        return min(within, key=lambda one: (one["pil"], one["dr"]), default=None)

    def _unconfirmed(self, done: int) -> int | None:
        """The next to be judged on every seed: within the limit by PIL, then the rest of the frontier by DR."""
        marks = nondominated(self.judged)
        within = [k for k, one in enumerate(self.judged) if one.worst("dr") <= self.max_dr]
        within.sort(key=lambda k: (self.judged[k]["pil"], self.judged[k]["dr"]))
        frontier = [k for k, mark in enumerate(marks) if mark]
        order = [*within[:LONG_LIST], *sorted(frontier, key=lambda k: self.judged[k]["dr"])]
        return next((k for k in order if len(self.judged[k].reports) < len(self.seeds)), None)

    def _promising(self) -> list[Judged]:
        """With a dial, one a family: those of least PIL within the limit, and those beyond it that lose less, by DR."""
        turning = [one for one in self.judged if dial(one.method) is not None]
        within = [one for one in turning if one.worst("dr") <= self.max_dr]
        least = min((one["pil"] for one in self.judged if one.worst("dr") <= self.max_dr), default=float("inf"))
        beyond = [one for one in turning if one.worst("dr") > self.max_dr and one["pil"] < least]
        best = _one_a_family(sorted(within, key=lambda one: (one["pil"], one["dr"])))[:AROUND]
        return [*best, *_one_a_family(sorted(beyond, key=lambda one: (one["dr"], one["pil"])))[:AROUND]]

    def _first(self, method: Method) -> None:
        try:
            report, notes = self.judge(method, self.seeds[0])
        except (InvalidInput, InvalidParameter, MissingExtra) as error:
            self.set_aside[str(method)] = str(error)
            self.failure = self.failure or error
            return
        self.judged.append(Judged(method, (report,), notes))

    def _on_every_seed(self, one: Judged) -> Judged:
        rest = [self.judge(one.method, seed)[0] for seed in self.seeds[len(one.reports) :]]
        return Judged(one.method, (*one.reports, *rest), one.notes)

    def _tell(self, done: int, total: int, what: str) -> None:
        self.inside = still(self.progress, done, total, what)
        tell(self.progress, done, total, what)


def _one_a_family(ordered: list[Judged]) -> list[Judged]:
    """The first of each family of settings that differ by the dial only."""
    families = [str(turned(one.method, 1.0)) for one in ordered]
    return [one for k, one in enumerate(ordered) if families[k] not in families[:k]]
