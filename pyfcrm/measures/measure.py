"""Measures: functions of two files with title, range and source, and the values that they return.

There is a class for each kind of input: two arrays, a pair of files, a pair of files and the method, codes of key variables,
keys and targets, the results of other measures.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Literal

from ..data.attributes import KeyCodes, KeysAndTargets
from ..data.pairs import Pair
from ..engine import Engine, Local
from ..errors import InvalidInput, InvalidParameter, Note
from ..progress import Progress, report_progress
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
        The line's own range, where it is not the measure's (a count next to a share).
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
    """A measure's value with its breakdown, its chance baseline and notes.

    Parameters
    ----------
    total : float
        The value, in the measure's unit.
    parts : tuple of Part
        The breakdown.
    baseline : float, optional
        What chance gives, for a disclosure measure.
    notes : tuple of str
        Notes on the computation.
    """

    total: float
    parts: tuple[Part, ...] = ()
    baseline: float | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A measure: its computation, and the facts that readers of its values must know.

    Called with the input of its kind, it returns Parts. Values are per cent where `upper` is 100; else their unit is in the
    title. A risk that pairs no records has its own value as chance baseline.

    Parameters
    ----------
    compute : callable
        The computation; its arguments depend on the kind of input.
    key : str
        Its name in a report.
    title : str
        One line.
    reading : str
        A sentence on what the value means.
    source : str
        Where it comes from.
    kind : {"loss", "risk", "score"}
        What it measures.
    components : tuple of str
        The keys of the measures it is computed from.
    better : {"lower", "higher"}
        Which direction is better.
    identity : float, optional
        Its value when the original is released unchanged; None where that depends on the data.
    paired : bool
        Whether records must be paired.
    lower : float
        The lower end of its range.
    upper : float
        The upper end of its range.
    informed : bool
        Whether it is of an intruder who knows the method, which evaluate() then receives.
    gaps : {"cells", "linkage", "records"}
        What it uses of files with missing cells: for each statistic the cells observed in both files; each record with the
        columns it has; or the records complete in both.
    """

    of_numbers: ClassVar[bool] = False
    """Whether it is of the numbers of two files, not of key variables or of other measures."""
    needs_keys: ClassVar[bool] = False
    """Whether it is of key variables instead of numbers."""
    needs_targets: ClassVar[bool] = False
    """Whether it is of targets too."""
    in_memory: ClassVar[bool] = False
    """Whether it needs all records at once."""
    by_unit: ClassVar[bool] = False
    """Whether it uses the units of the originals."""
    weighted: ClassVar[bool] = False
    """Whether the weights of a Pair are used: then shares are of the population."""

    compute: Callable[..., Parts] = field(kw_only=False)
    key: str
    title: str
    reading: str
    source: str
    kind: Literal["loss", "risk", "score"] = "risk"
    components: tuple[str, ...] = ()
    better: Literal["lower", "higher"] = "lower"
    identity: float | None = None
    paired: bool = False
    lower: float = 0.0
    upper: float = 100.0
    informed: bool = False
    gaps: Literal["cells", "linkage", "records"] = "records"

    def __call__(self, *inputs: Any, **options: Any) -> Parts:
        raise NotImplementedError

    def result(
        self, pair: Pair, results: Mapping[str, Parts], engine: Engine, progress: Progress | None = None
    ) -> Parts:
        """Its value for the records of two files.

        Parameters
        ----------
        pair : Pair
            Original and protected records.
        results : mapping of str to Parts
            Those of the components, by key.
        engine : Engine
            Runs the sums.
        progress : callable, optional
            Called with (done, total, label); where it raises, the work stops.

        Returns
        -------
        Parts
            The value with its breakdown and its baseline.

        Raises
        ------
        InvalidInput
            If it takes complete records only and there are none.
        InvalidParameter
            If it is of key variables, which numbers are not.
        """
        raise InvalidParameter("evaluate", "measures", "must be measures of numeric attributes here", self.key)

    def _records(self, pair: Pair) -> Pair:
        """The records that it uses: the whole original where it pairs none, the complete ones where it needs these."""
        if not self.paired:
            pair = pair.with_whole_original()
        if self.gaps != "records" or not pair.gaps:
            return pair
        complete = pair.observed()
        if not (complete.X.n and complete.Z.n):
            rule = f"no record is complete in both files, as `{self.key}` needs (judge fewer columns)"
            raise InvalidInput("evaluate", rule, "missing values in every record")
        return complete

    def _with_chance(self, result: Parts) -> Parts:
        """The result of a risk that pairs no records with its baselines: pairing at random changes nothing in it.

        Others are returned unchanged. A part that only explains has no baseline.
        """
        if self.kind != "risk" or self.paired or result.baseline is not None:
            return result
        parts = tuple(part if part.better == "neither" else replace(part, baseline=part.value) for part in result.parts)
        return replace(result, parts=parts, baseline=result.total)


@dataclass(frozen=True)
class ArraysMeasure(Measure):
    """A measure of two arrays in memory: X (n, p) and Z (N, p), original and protected."""

    of_numbers: ClassVar[bool] = True
    in_memory: ClassVar[bool] = True

    compute: Callable[[Array, Array], Parts]
    """Takes X and Z."""

    def __call__(self, X: Array, Z: Array) -> Parts:
        return self.result(Pair.of(X, Z), {}, Local())

    def result(
        self, pair: Pair, results: Mapping[str, Parts], engine: Engine, progress: Progress | None = None
    ) -> Parts:
        """See Measure.result."""
        return self._with_chance(self.compute(*self._records(pair).arrays()))


@dataclass(frozen=True)
class UnitsMeasure(Measure):
    """A measure of two arrays in memory whose chance is that of whole units, such as households, where these are given."""

    of_numbers: ClassVar[bool] = True
    in_memory: ClassVar[bool] = True
    by_unit: ClassVar[bool] = True

    compute: Callable[[Array, Array, Codes | None], Parts]
    """Takes X, Z and the unit (n,) of each record of X; None where each is one."""

    def __call__(self, X: Array, Z: Array, units: Codes | None = None) -> Parts:
        return self.result(replace(Pair.of(X, Z), units=units), {}, Local())

    def result(
        self, pair: Pair, results: Mapping[str, Parts], engine: Engine, progress: Progress | None = None
    ) -> Parts:
        """See Measure.result."""
        records = self._records(pair)
        return self._with_chance(self.compute(*records.arrays(), records.units))


@dataclass(frozen=True)
class PairMeasure(Measure):
    """A measure of a pair of files, in memory or on disk, whose sums an engine runs."""

    of_numbers: ClassVar[bool] = True
    weighted: ClassVar[bool] = True

    compute: Callable[[Pair, Engine, Progress | None], Parts]
    """Takes the pair, the engine that runs its sums, and a progress callback."""

    def __call__(self, X: Array, Z: Array) -> Parts:
        return self.result(Pair.of(X, Z), {}, Local())

    def result(
        self, pair: Pair, results: Mapping[str, Parts], engine: Engine, progress: Progress | None = None
    ) -> Parts:
        """See Measure.result."""
        return self._with_chance(self.compute(self._records(pair), engine, progress))


@dataclass(frozen=True)
class MethodMeasure(Measure):
    """A measure of a pair of files with the knowledge of an intruder who knows the method, `Pair.knowledge`."""

    of_numbers: ClassVar[bool] = True
    weighted: ClassVar[bool] = True

    compute: Callable[[Pair, Engine, Progress | None, Parts | None], Parts]
    """Takes the arguments of a PairMeasure, and DBRL of the pair, or None where it must be computed."""

    def __call__(self, X: Array, Z: Array) -> Parts:
        return self.result(Pair.of(X, Z), {}, Local())

    def result(
        self, pair: Pair, results: Mapping[str, Parts], engine: Engine, progress: Progress | None = None
    ) -> Parts:
        """See Measure.result."""
        # DBRL uses incomplete records too, by the columns they have; this measure only complete ones.
        by_distance = None if pair.gaps else results.get("dbrl")
        return self._with_chance(self.compute(self._records(pair), engine, progress, by_distance))


@dataclass(frozen=True)
class KeysMeasure(Measure):
    """A measure of key variables of any type, whose records need no pairing."""

    needs_keys: ClassVar[bool] = True

    compute: Callable[[KeyCodes], Parts]
    """Takes the codes of the keys in both files."""

    def __call__(self, keys: KeyCodes) -> Parts:
        return self._with_chance(self.compute(keys))


@dataclass(frozen=True)
class TargetsMeasure(Measure):
    """A measure of keys and one of several targets, by its number; of all targets the largest value counts."""

    needs_keys: ClassVar[bool] = True
    needs_targets: ClassVar[bool] = True

    compute: Callable[[KeysAndTargets, int], Parts]
    """Takes keys and targets of both files, and the number of the target, from 0."""

    def __call__(self, known: KeysAndTargets, progress: Progress | None = None) -> Parts:
        results = []
        for j, target in enumerate(known.targets):
            report_progress(progress, j, len(known.targets), target.name)
            results.append(self.compute(known, j))
        worst = max(results, key=lambda result: result.total)
        notes = tuple(dict.fromkeys(note for result in results for note in result.notes))
        return replace(worst, parts=tuple(part for result in results for part in result.parts), notes=notes)


@dataclass(frozen=True)
class CombinedMeasure(Measure):
    """A measure that is computed from the results of its components, in their order."""

    weighted: ClassVar[bool] = True

    compute: Callable[..., Parts]
    """Takes the results of the components, in the order of `components`."""

    def __call__(self, *results: Parts) -> Parts:
        return self._with_chance(self.compute(*results))

    def result(
        self, pair: Pair, results: Mapping[str, Parts], engine: Engine, progress: Progress | None = None
    ) -> Parts:
        """See Measure.result."""
        return self.compute(*(results[key] for key in self.components))


def arrays_measure(**facts: Any) -> Callable[[Callable[[Array, Array], Parts]], ArraysMeasure]:
    """Declares the function below it as a measure of two arrays."""
    return partial(ArraysMeasure, **facts)


def units_measure(**facts: Any) -> Callable[[Callable[[Array, Array, Codes | None], Parts]], UnitsMeasure]:
    """Declares the function below it as a measure of two arrays and the units of the originals."""
    return partial(UnitsMeasure, **facts)


def pair_measure(**facts: Any) -> Callable[[Callable[[Pair, Engine, Progress | None], Parts]], PairMeasure]:
    """Declares the function below it as a measure of a pair of files."""
    return partial(PairMeasure, **facts)


def method_measure(
    **facts: Any,
) -> Callable[[Callable[[Pair, Engine, Progress | None, Parts | None], Parts]], MethodMeasure]:
    """Declares the function below it as a measure of a pair of files and the method."""
    return partial(MethodMeasure, informed=True, **facts)


def keys_measure(**facts: Any) -> Callable[[Callable[[KeyCodes], Parts]], KeysMeasure]:
    """Declares the function below it as a measure of key variables."""
    return partial(KeysMeasure, **facts)


def targets_measure(**facts: Any) -> Callable[[Callable[[KeysAndTargets, int], Parts]], TargetsMeasure]:
    """Declares the function below it as a measure of keys and targets."""
    return partial(TargetsMeasure, **facts)


def combined_measure(**facts: Any) -> Callable[[Callable[..., Parts]], CombinedMeasure]:
    """Declares the function below it as a measure that is computed from other measures."""
    return partial(CombinedMeasure, **facts)
