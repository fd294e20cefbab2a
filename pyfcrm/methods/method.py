"""What a protection method is: a frozen dataclass of parameters with one verb."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..rstream import RStream

Array = NDArray[np.float64]
Note = Callable[[str], None]


def unheard(text: str) -> None:
    """Where the notes of a method go when nobody listens."""


def step(note: Note, done: int, most: int) -> None:
    """Say how far a method is: `done` of `most` columns, rounds or groups. Heard where the note has a `step` too."""
    heard = getattr(note, "step", None)
    if heard is not None:
        heard(done, most)


@dataclass(frozen=True)
class Method:
    """Parameters of one protection method.

    A method overrides `protect`; its fields are its parameters, checked in `__post_init__`.
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
