"""What a measure is: a function of two arrays with its facts attached, and what it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..engine import Engine

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Part:
    """One line of a measure's breakdown.

    name : what the line is about; attribute : the column's position when the line is one attribute's;
    value : in the measure's unit; baseline : what chance gives, for a disclosure measure;
    range, better : the line's own range and direction, where they are not the measure's (a count beside a share);
    better "neither" for a line that only explains.
    """

    name: str
    value: float
    baseline: float | None = None
    attribute: int | None = None
    range: tuple[float, float] | None = None
    better: Literal["lower", "higher", "neither"] | None = None


@dataclass(frozen=True)
class Parts:
    """A measure's value with its breakdown, its chance baseline and what was noted on the way."""

    total: float
    parts: tuple[Part, ...] = ()
    baseline: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Facts:
    """What a reader must know to read a value.

    key : its name in a report; title : one line; kind : what it measures; lower, upper : its range;
    better : which way is better; identity : its value when the original is released unchanged (None where
    that depends on the data); paired : whether records must be paired; source : where it comes from;
    learned : whether its distance is itself learned from the true pairs, which the baseline then holds fixed.
    Values are per cent where `upper` is 100; else they are what the title says.
    """

    key: str
    title: str
    kind: Literal["loss", "risk", "score"]
    better: Literal["lower", "higher"]
    identity: float | None
    paired: bool
    source: str
    lower: float = 0.0
    upper: float = 100.0
    learned: bool = False


@dataclass(frozen=True)
class Measure:
    """A measure of two files: `compute(X, Z)`, X and Z (n, p) original and protected, gives Parts.

    threaded : whether `compute` works on several threads, and takes the `engine` of this machine that they come from.
    Called like a function it does the same, and a risk that pairs no records gets its chance baseline.
    """

    facts: Facts
    compute: Callable[..., Parts]
    threaded: bool = False

    def __call__(self, X: Array, Z: Array, engine: Engine | None = None) -> Parts:
        made = self.compute(X, Z, engine=engine) if self.threaded else self.compute(X, Z)
        return _with_chance(self.facts, made)


@dataclass(frozen=True)
class KeyMeasure:
    """A measure of key attributes of any type: `compute(K, L)` of integer codes gives Parts.

    K (n, q) original, L (N, q) protected, coded jointly: equal values have equal codes in both; -1 is missing.
    Called like a function, as Measure.
    """

    facts: Facts
    compute: Callable[[Codes, Codes], Parts]

    def __call__(self, K: Codes, L: Codes) -> Parts:
        return _with_chance(self.facts, self.compute(K, L))


@dataclass(frozen=True)
class Aggregate:
    """A measure made of others: `combine(*parts)` of the measures whose keys are in `of`, in that order."""

    facts: Facts
    of: tuple[str, ...]
    combine: Callable[..., Parts]


def _with_chance(facts: Facts, made: Parts) -> Parts:
    """The parts of a risk that pairs no records, with their baselines: pairing at random changes nothing in it.

    Others come back as they are. A line that only explains gets no baseline.
    """
    if facts.kind != "risk" or facts.paired or made.baseline is not None:
        return made
    parts = tuple(part if part.better == "neither" else replace(part, baseline=part.value) for part in made.parts)
    return replace(made, parts=parts, baseline=made.total)
