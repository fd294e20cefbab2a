"""What a measure is: a function of two files' records with its facts attached, what it returns, and what it tells a reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from ..data.attributes import KeysAndTargets
from ..data.pairs import Pair
from ..engine import Engine, Local, on_this_machine
from ..engine.threads import Watched
from ..errors import InvalidInput, InvalidParameter, Note
from ..progress import Progress, ProgressTracker, report_progress
from ..types import Array, Codes


@dataclass(frozen=True)
class Part:
    """One line of a measure's breakdown.

    Parameters
    ----------
    name : str
        What the line is about.
    value : float
        In the measure's unit.
    baseline : float, optional
        What chance gives, for a disclosure measure.
    attribute : int, optional
        The column's position when the line is one attribute's.
    range : tuple of float, optional
        The line's own range, where it is not the measure's (a count beside a share).
    better : {"lower", "higher", "neither"}, optional
        The line's own direction, where it is not the measure's; "neither" for a line that only explains.
    """

    name: str
    value: float
    baseline: float | None = None
    attribute: int | None = None
    range: tuple[float, float] | None = None
    better: Literal["lower", "higher", "neither"] | None = None


@dataclass(frozen=True)
class Parts:
    """A measure's value with its breakdown, its chance baseline and what was noted on the way.

    Parameters
    ----------
    total : float
        The value, in the measure's unit.
    parts : tuple of Part
        The breakdown.
    baseline : float, optional
        What chance gives, for a disclosure measure.
    notes : tuple of str
        What was noted.
    """

    total: float
    parts: tuple[Part, ...] = ()
    baseline: float | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Facts:
    """What a reader must know to read a value.

    Values are per cent where `upper` is 100; else they are what the title says.

    Parameters
    ----------
    key : str
        Its name in a report.
    title : str
        One line.
    reading : str
        A sentence on what the value says.
    kind : {"loss", "risk", "score"}
        What it measures.
    source : str
        Where it comes from.
    better : {"lower", "higher"}
        Which way is better.
    identity : float, optional
        Its value when the original is released unchanged; None where that depends on the data.
    paired : bool
        Whether records must be paired.
    lower, upper : float
        Its range.
    learned : bool
        Whether its distance is itself learned from the true pairs, which the baseline then holds fixed.
    informed : bool
        Whether it is of an intruder who knows the method, which evaluate() is then given; without it all is by distance.
    """

    key: str
    title: str
    reading: str
    kind: Literal["loss", "risk", "score"]
    source: str
    better: Literal["lower", "higher"] = "lower"
    identity: float | None = None
    paired: bool = False
    lower: float = 0.0
    upper: float = 100.0
    learned: bool = False
    informed: bool = False


ByRecords = Callable[[Pair, Engine, Progress | None], Parts]


@dataclass(frozen=True)
class Measure:
    """A measure of two files; called like a function it is of two arrays.

    A risk that pairs no records gets its chance baseline.

    Parameters
    ----------
    facts : Facts
        What to know of it.
    compute : callable
        compute(X, Z), X and Z (n, p) original and protected, gives Parts.
    threaded : bool
        Whether `compute` works on several threads, and takes the `engine` of this machine that they come from.
    by_records : callable, optional
        The same of a Pair, wherever its records are, for one that needs a column or some blocks of them at a time;
        None for one that needs all records in memory.
    weighted : bool
        Whether `by_records` heeds the weights of a Pair: then shares are of the population.
    gaps : {"cells", "linkage", "records"}
        What it takes of files with missing cells: in each statistic the cells observed in both; as the linkages do, every
        record with the columns it has; or the records complete in both.
    """

    facts: Facts
    compute: Callable[..., Parts]
    threaded: bool = False
    by_records: ByRecords | None = None
    weighted: bool = False
    gaps: Literal["cells", "linkage", "records"] = "records"
    of_keys: ClassVar[bool] = False
    of_targets: ClassVar[bool] = False
    of: ClassVar[tuple[str, ...]] = ()

    @property
    def at_once(self) -> bool:
        """Whether all records must be in memory."""
        return self.by_records is None

    def __call__(self, X: Array, Z: Array, engine: Engine | None = None) -> Parts:
        return self.result(Pair.of(X, Z), {}, engine or Local())

    def result(self, pair: Pair, made: Mapping[str, Parts], engine: Engine, progress: Progress | None = None) -> Parts:
        """Of the records of two files.

        Parameters
        ----------
        pair : Pair
            Original and protected records.
        made : mapping of str to Parts
            The measures in `of`, by key.
        engine : Engine
            What runs the sums.
        progress : callable, optional
            Called with (done, of how many, what); where it raises, the work stops.

        Returns
        -------
        Parts
            The value with its breakdown and its baseline.

        Raises
        ------
        InvalidInput
            If it takes complete records only and there are none.
        """
        pair = pair if self.facts.paired else pair.with_whole_original()
        if self.gaps == "records" and pair.gaps:
            pair = pair.observed()
            if not (pair.X.n and pair.Z.n):
                rule = f"no record is complete in both files, as `{self.facts.key}` needs (judge fewer columns)"
                raise InvalidInput("evaluate", rule, "missing values in every record")
        if self.by_records is not None:
            return _with_chance(self.facts, self.by_records(pair, engine, progress))
        threads = Watched(on_this_machine(engine), ProgressTracker("", progress=progress))
        X, Z = pair.arrays()
        parts = self.compute(X, Z, engine=threads) if self.threaded else self.compute(X, Z)
        return _with_chance(self.facts, parts)


@dataclass(frozen=True)
class KeyMeasure:
    """A measure of key attributes of any type; called like a function, as Measure.

    Parameters
    ----------
    facts : Facts
        What to know of it.
    compute : callable
        compute(K, L), K (n, q) original and L (N, q) protected integer codes, gives Parts. They are coded jointly:
        equal values have equal codes in both; -1 is missing.
    """

    facts: Facts
    compute: Callable[[Codes, Codes], Parts]
    of_keys: ClassVar[bool] = True
    of_targets: ClassVar[bool] = False
    at_once: ClassVar[bool] = False
    weighted: ClassVar[bool] = False
    of: ClassVar[tuple[str, ...]] = ()

    def __call__(self, K: Codes, L: Codes) -> Parts:
        return _with_chance(self.facts, self.compute(K, L))

    def result(self, pair: Pair, made: Mapping[str, Parts], engine: Engine, progress: Progress | None = None) -> Parts:
        """See Measure.result. Raises InvalidParameter: numbers have no codes."""
        raise _not_of_numbers(self.facts)


@dataclass(frozen=True)
class TargetMeasure:
    """A measure of what keys tell of targets, both of any type. Called like a function it is of KeysAndTargets.

    Parameters
    ----------
    facts : Facts
        What a reader must know.
    compute : callable
        `compute(known, j)` of target j gives Parts. The value of several targets is the largest, with its baseline.
    """

    facts: Facts
    compute: Callable[[KeysAndTargets, int], Parts]
    of_keys: ClassVar[bool] = True
    of_targets: ClassVar[bool] = True
    at_once: ClassVar[bool] = False
    weighted: ClassVar[bool] = False
    of: ClassVar[tuple[str, ...]] = ()

    def __call__(self, known: KeysAndTargets, progress: Progress | None = None) -> Parts:
        made = []
        for j, target in enumerate(known.targets):
            report_progress(progress, j, len(known.targets), target.name)
            made.append(self.compute(known, j))
        worst = max(made, key=lambda one: one.total)
        notes = tuple(dict.fromkeys(note for one in made for note in one.notes))
        return Parts(worst.total, tuple(part for one in made for part in one.parts), worst.baseline, notes)

    def result(self, pair: Pair, made: Mapping[str, Parts], engine: Engine, progress: Progress | None = None) -> Parts:
        """See Measure.result. Raises InvalidParameter: arrays of numbers have no keys and targets."""
        raise _not_of_numbers(self.facts)


@dataclass(frozen=True)
class Aggregate:
    """A measure made of others.

    Parameters
    ----------
    facts : Facts
        What to know of it.
    of : tuple of str
        The keys of those it is made of.
    combine : callable
        combine(*parts) of these measures, in that order, gives Parts.
    """

    facts: Facts
    of: tuple[str, ...]
    combine: Callable[..., Parts]
    of_keys: ClassVar[bool] = False
    of_targets: ClassVar[bool] = False
    at_once: ClassVar[bool] = False
    weighted: ClassVar[bool] = True  # as what it is made of

    def result(self, pair: Pair, made: Mapping[str, Parts], engine: Engine, progress: Progress | None = None) -> Parts:
        """See Measure.result."""
        return self.combine(*(made[key] for key in self.of))


AnyMeasure = Measure | KeyMeasure | TargetMeasure | Aggregate


def _not_of_numbers(facts: Facts) -> InvalidParameter:
    return InvalidParameter("evaluate", "measures", "must be measures of numeric attributes here", facts.key)


def _with_chance(facts: Facts, made: Parts) -> Parts:
    """The parts of a risk that pairs no records, with their baselines: pairing at random changes nothing in it.

    Others come back as they are. A line that only explains gets no baseline.
    """
    if facts.kind != "risk" or facts.paired or made.baseline is not None:
        return made
    parts = tuple(part if part.better == "neither" else replace(part, baseline=part.value) for part in made.parts)
    return replace(made, parts=parts, baseline=made.total)
