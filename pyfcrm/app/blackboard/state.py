"""What one blackboard holds: its points, and the run so far."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from shiny import reactive

from ...arguments import choice, real_number, whole_number
from ...datasets import example
from ...errors import InvalidInput, PyfcrmError
from ...rstream import RStream
from ...types import Array
from ..visit import Upload, Visit, let_go, taken_in, unread
from .board import MOST_CLUSTERS, MOST_POINTS, Moment, Settings, cluster, ended, first_membership, step

OWNER = "blackboard"
MOST_UNDONE = 50
FURTHEST = 1e12


class State:
    """Reactive values of one visit, and what changes them. Trouble is one sentence, or nothing."""

    def __init__(self) -> None:
        self.points: reactive.Value[Array] = reactive.Value(np.empty((0, 2)))
        self.history: reactive.Value[tuple[Moment, ...]] = reactive.Value(())
        self.running: reactive.Value[bool] = reactive.Value(False)
        self.trouble: reactive.Value[str] = reactive.Value("")
        self.used = Settings()
        self._drags = RStream(1)
        self._past: list[Array] = []
        self._turn = 0  # of the run; what an earlier one still brings is not taken

    def settings(self, c: Any, m: Any, independent: Any, seed: Any) -> Settings | None:
        """The controls as Settings; a sentence, and none, where they cannot be: nothing runs then."""
        try:
            return Settings(
                whole_number(OWNER, "c", c, low=1, high=MOST_CLUSTERS),
                real_number(OWNER, "m", m, above=1),
                int(choice(OWNER, "independent", independent, ("0", "1"))),
                whole_number(OWNER, "seed", seed, low=0),
            )
        except PyfcrmError as error:
            with reactive.isolate():
                self.running.set(False)
                self.trouble.set(str(error))
            return None

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
        if len(points) and not np.abs(points).max() <= FURTHEST:
            self.trouble.set(f"The blackboard shows points between -{FURTHEST:g} and {FURTHEST:g}.")
            return
        self._past = [*self._past, self.points()][-MOST_UNDONE:]
        self.stop()
        self.points.set(points)

    def undo(self) -> None:
        """The points as they were before they last changed."""
        if self._past:
            self.stop()
            self.points.set(self._past.pop())

    def example(self) -> None:
        """The points of pyfcrm.datasets.simulated()."""
        self.put(example().to_numpy(dtype=np.float64))

    def clear(self) -> None:
        """No points; those that were can be had again."""
        if len(self.points()):
            self.put(np.empty((0, 2)))

    def run(self) -> None:
        """Go on from here; from the start where memberships have settled."""
        self.trouble.set("")
        history = self.history()
        if history and history[-1].converged:
            self._turn += 1
            self.history.set(())
        self.go_on(Settings.most)
        self.running.set(True)

    def go_on(self, more: int) -> None:
        """So many iterations more, where the run has had all of its own and has not settled."""
        history = self.history()
        if history and ended(history[-1], self.used) and not history[-1].converged:
            self.used = replace(self.used, most=history[-1].iteration + more)

    def stop(self) -> None:
        """Back to the points."""
        self._turn += 1
        self.running.set(False)
        self.trouble.set("")
        self.history.set(())

    def next(self, how: Settings | None) -> tuple[int, Array, Settings, Moment | None] | None:
        """What `following` needs for one more iteration; None where the run has ended, or the settings cannot be."""
        history = self.history()
        if how is None or (history and ended(history[-1], self.used)):
            self.running.set(False)
            return None
        if not history:
            self.used = how
        return self._turn, self.points(), self.used, history[-1] if history else None

    def take(self, turn: int, result: Moment | str) -> None:
        """The iteration that was made, or a sentence why not; nothing where the run it is of was stopped meanwhile."""
        if turn != self._turn:
            return
        if isinstance(result, str):
            self.running.set(False)
            self.trouble.set(result)
            return
        self.trouble.set("")
        self.history.set((*self.history(), result))
        if ended(result, self.used):
            self.running.set(False)

    def standing(self) -> str:
        """Where the run is, in words."""
        history, running = self.history(), self.running()
        if not history:
            return "Starting." if running else "Not run yet."
        last = history[-1]
        if ended(last, self.used):
            why = (
                "memberships have settled"
                if last.converged
                else f"not settled yet; Run goes on for {Settings.most} more"
            )
            return f"Iteration {last.iteration}: ended, {why}."
        return f"Iteration {last.iteration}: {'running' if running else 'paused'}."


def following(turn: int, points: Array, how: Settings, before: Moment | None) -> tuple[int, Moment | str]:
    """The next iteration of this turn, or a sentence why there is none."""
    try:
        membership = first_membership(points, how) if before is None else before.membership
        return turn, step(points, how, membership, before)
    except PyfcrmError as error:
        return turn, str(error)


def points_of(upload: Upload, visit: Visit) -> Array | str:
    """The first two numeric columns of a dropped file, (n, 2), or a sentence why not."""
    try:
        own, table = taken_in(upload, visit)
        let_go(own)
        numeric = table.frame.select_dtypes("number")
        if numeric.shape[1] < 2:
            raise InvalidInput(own.name, "needs two numeric columns", f"{numeric.shape[1]}")
        values = numeric.iloc[:, :2].dropna().to_numpy(dtype=np.float64)
        if not len(values) or not np.isfinite(values).all():
            raise InvalidInput(own.name, "needs records with two finite numbers", f"{len(table.frame)} records")
        return values
    except Exception as error:  # a fault of ours among them: the page stays
        return unread(error)
