"""What a protection method is: a frozen dataclass of parameters with one verb."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..engine import Engine
from ..progress import within
from ..rstream import RStream

Array = NDArray[np.float64]
Note = Callable[[str], None]
Told = Callable[[int, int], None]
"""Called with (done, of how many); see `step`."""


def unheard(text: str) -> None:
    """Where the notes of a method go when nobody listens."""


def untold(done: int, most: int) -> None:
    """Where the steps of a method go when nobody listens."""


def step(note: Note, done: int, most: int) -> None:
    """Say how far a method is: `done` of `most` columns, rounds or groups. Heard where the note has a `step` too."""
    heard = getattr(note, "step", None)
    if heard is not None:
        heard(done, most)


def part(note: Note, task: int, tasks: int) -> Note:
    """The note for task number `task`, from 0, of `tasks` in turn, whose steps are parts of the whole course."""
    if getattr(note, "step", None) is None:
        return note
    return _Part(note, task, tasks)


class _Part:
    def __init__(self, note: Note, task: int, tasks: int) -> None:
        self.note, self.told = note, within(lambda done, most, _: step(note, done, most), task, tasks)

    def __call__(self, text: str) -> None:
        self.note(text)

    def step(self, done: int, most: int) -> None:
        assert self.told is not None  # somebody listens: see `part`
        self.told(done, most, "")


@dataclass(frozen=True)
class Method:
    """Parameters of one protection method.

    A method overrides `protect`; its fields are its parameters, checked in `__post_init__`. Its docstring says under
    "Seed" what a guessed seed gives away, and `undone_by_seed` says it as a fact.
    """

    about: ClassVar[str] = ""
    source: ClassVar[str] = ""

    def protect(self, X: Array, Y: Array, stream: RStream, note: Note = unheard) -> Array:
        """Protected values for the dependent attributes.

        X : (n, s) independent, kept, s may be 0; Y : (n, t) dependent, to be replaced; stream : where randomness
        comes from; note : told, in a sentence each, what had to be done on the way.
        Returns (n, t). X and Y are never modified.
        """
        raise TypeError(f"{type(self).__name__} does not say how it protects")

    def bound(self, independent: Sequence[str], dependent: Sequence[str]) -> Method:
        """This method for columns of these names: names among its parameters become positions. Itself if it has none.

        Errors: InvalidInput or InvalidParameter where a parameter names a column that is not there.
        """
        return self

    @property
    def undone_by_seed(self) -> bool:
        """Whether release, method and seed give originals back, wholly or nearly, beyond what the release itself tells.

        True until a method has been examined and says otherwise.
        """
        return True

    @property
    def weak_generator(self) -> bool:
        """Whether its numbers come from a generator of 32 bits whatever the seed, so that all of them can be tried."""
        return False

    def parameters(self) -> dict[str, Any]:
        """Every parameter with its value."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def settings(self) -> str:
        """The first parameter, and those that are required or differ from their defaults, as "c=8, m=2"."""
        given = [(f.name, getattr(self, f.name), f.default) for f in fields(self)]
        shown = [(name, value) for k, (name, value, default) in enumerate(given) if k == 0 or value != default]
        return ", ".join(f"{name}={value}".removesuffix(".0") for name, value in shown)

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.settings()})"


@dataclass(frozen=True)
class Threaded(Method):
    """A method that works on several threads: its `protect` is told which engine they come from."""

    def protect(self, X: Array, Y: Array, stream: RStream, note: Note = unheard, engine: Engine | None = None) -> Array:
        """See Method.protect. engine : of this machine; None is Local(). The release does not depend on it."""
        raise TypeError(f"{type(self).__name__} does not say how it protects")


def protected(method: Method, X: Array, Y: Array, stream: RStream, note: Note, engine: Engine | None) -> Array:
    """What method.protect gives, on the engine's threads where it takes any."""
    if isinstance(method, Threaded):
        return method.protect(X, Y, stream, note, engine)
    return method.protect(X, Y, stream, note)
