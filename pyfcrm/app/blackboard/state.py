"""What one blackboard holds: its points, and the run so far."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
from numpy.typing import NDArray
from shiny import reactive

from ...arguments import real_number, whole_number
from ...datasets import example
from ...errors import InvalidInput, PyfcrmError
from ...rstream import RStream
from ..uploads import taken_in
from ..visit import Visit
from .board import MOST_CLUSTERS, MOST_POINTS, Moment, Settings, cluster, ended, first_membership, step

Array = NDArray[np.float64]
OWNER = "blackboard"


class State:
    """Reactive values of one visit, and what changes them. Trouble is one sentence, or nothing."""

    def __init__(self) -> None:
        self.points: reactive.Value[Array] = reactive.Value(np.empty((0, 2)))
        self.history: reactive.Value[tuple[Moment, ...]] = reactive.Value(())
        self.running: reactive.Value[bool] = reactive.Value(False)
        self.trouble: reactive.Value[str] = reactive.Value("")
        self.used = Settings()
        self._drags = RStream(1)

    def settings(self, c: Any, m: Any, independent: str, seed: Any) -> Settings:
        """The controls as Settings; a sentence and the nearest usable ones where they cannot be."""
        try:
            return Settings(
                whole_number(OWNER, "c", c, low=1, high=MOST_CLUSTERS),
                real_number(OWNER, "m", m, above=1),
                int(independent),
                whole_number(OWNER, "seed", seed, low=0),
            )
        except PyfcrmError as error:
            with reactive.isolate():
                self.running.set(False)
                self.trouble.set(str(error))
            return self.used

    def add(self, x: Any, y: Any, radius: Any) -> None:
        """A point, or with a radius a cluster of them."""
        try:
            x, y = real_number(OWNER, "horizontal", x), real_number(OWNER, "vertical", y)
            radius = real_number(OWNER, "radius", radius, low=0)
        except PyfcrmError as error:
            self.trouble.set(str(error))
            return
        new = cluster(x, y, radius, self._drags) if radius else np.array([[x, y]])
        self.put(np.vstack([self.points(), new]))

    def put(self, points: Array) -> None:
        """These points and no others; the run so far is over."""
        if len(points) > MOST_POINTS:
            self.trouble.set(f"The blackboard holds {MOST_POINTS} points at most; these are {len(points)}.")
            return
        self.stop()
        self.points.set(points)

    def example(self) -> None:
        """The points of pyfcrm.datasets.example()."""
        self.put(example().to_numpy(dtype=np.float64))

    def load(self, path: str, name: str, visit: Visit) -> None:
        """The first two numeric columns of a file."""
        try:
            own, table = taken_in(path, name, visit)
            own.unlink()
            numeric = table.frame.select_dtypes("number")
            if numeric.shape[1] < 2:
                raise InvalidInput(name, "needs two numeric columns", f"{numeric.shape[1]}")
            values = numeric.iloc[:, :2].dropna().to_numpy(dtype=np.float64)
            if not len(values) or not np.isfinite(values).all():
                raise InvalidInput(name, "needs records with two finite numbers", f"{len(table.frame)} records")
            self.put(values)
        except PyfcrmError as error:
            self.trouble.set(str(error))

    def clear(self) -> None:
        """No points."""
        self.stop()
        self.points.set(np.empty((0, 2)))

    def run(self) -> None:
        """Go on from here, or from the start where the last run has ended."""
        history = self.history()
        if history and ended(history[-1], self.used):
            self.history.set(())
        self.running.set(True)

    def stop(self) -> None:
        """Back to the points."""
        self.running.set(False)
        self.trouble.set("")
        self.history.set(())

    async def advance(self, how: Settings) -> None:
        """One more iteration, unless the run has ended."""
        history, points = self.history(), self.points()
        if history and ended(history[-1], self.used):
            self.running.set(False)
            return
        try:
            if not history:
                self.used = how
            made = await asyncio.to_thread(self._next, points, self.used, history)
        except PyfcrmError as error:
            self.running.set(False)
            self.trouble.set(str(error))
            return
        self.trouble.set("")
        self.history.set((*history, made))
        if ended(made, self.used):
            self.running.set(False)

    @staticmethod
    def _next(points: Array, how: Settings, history: tuple[Moment, ...]) -> Moment:
        before = history[-1] if history else None
        return step(points, how, first_membership(points, how) if before is None else before.membership, before)

    def standing(self) -> str:
        """Where the run is, in words."""
        history, running = self.history(), self.running()
        if not history:
            return "Starting." if running else "Not run yet."
        last = history[-1]
        if ended(last, self.used):
            why = "memberships have settled" if last.converged else "that is as long as a run may take"
            return f"Iteration {last.iteration}: ended, {why}."
        return f"Iteration {last.iteration}: {'running' if running else 'paused'}."
