"""What a measure is: a function of two files with its title, range and source; and what it returns."""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any, Literal

from ..data.attributes import KeysAndTargets
from ..data.pairs import Pair
from ..engine import Engine, Local
from ..errors import InvalidInput, InvalidParameter, Note
from ..progress import Progress, report_progress


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


@dataclass(frozen=True)
class Measure:
    """A function of two files, with what a reader must know of its values. Called with what it needs, it returns Parts.

    Values are per cent where `upper` is 100; else their unit is in the title. A risk that pairs no records has its own value
    as chance baseline.

    Parameters
    ----------
    compute : callable
        Gives Parts of what `needs` lists.
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
    needs : {"arrays", "records", "keys", "targets", "measures"}
        Parameters of `compute`. "arrays": X (n, p) and Z (N, p), original and protected, in memory. "records": a Pair, an
        Engine and a Progress or None, for records in memory or on disk. "keys": K (n, q) and L (N, q), codes of the key
        variables of any type, equal where values are equal, -1 where missing. "targets": KeysAndTargets and the number of a
        target; the value of several targets is the largest. "measures": Parts of each of the `components`.
    components : tuple of str
        The keys of the measures it is computed from.
    better : {"lower", "higher"}
        Which direction is better.
    identity : float, optional
        Its value when the original is released unchanged; None where that depends on the data.
    paired : bool
        Whether records must be paired.
    lower, upper : float
        Its range.
    informed : bool
        Whether it is of an intruder who knows the method, which evaluate() then receives.
    gaps : {"cells", "linkage", "records"}
        What it uses of files with missing cells: for each statistic the cells observed in both files; each record with the
        columns it has; or the records complete in both.
    """

    compute: Callable[..., Parts]
    _: KW_ONLY
    key: str
    title: str
    reading: str
    source: str
    kind: Literal["loss", "risk", "score"] = "risk"
    needs: Literal["arrays", "records", "keys", "targets", "measures"] = "arrays"
    components: tuple[str, ...] = ()
    better: Literal["lower", "higher"] = "lower"
    identity: float | None = None
    paired: bool = False
    lower: float = 0.0
    upper: float = 100.0
    informed: bool = False
    gaps: Literal["cells", "linkage", "records"] = "records"

    @property
    def weighted(self) -> bool:
        """Whether the weights of a Pair are used: then shares are of the population."""
        return self.needs in ("records", "measures")

    @property
    def needs_keys(self) -> bool:
        """Whether it is of key variables instead of numbers."""
        return self.needs in ("keys", "targets")

    def __call__(self, *inputs: Any, engine: Engine | None = None, progress: Progress | None = None) -> Parts:
        if self.needs in ("arrays", "records"):
            return self.result(Pair.of(*inputs), {}, engine or Local(), progress)
        if self.needs == "targets":
            return self._of_targets(inputs[0], progress)
        return self._with_chance(self.compute(*inputs))

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
        if self.needs == "measures":
            return self.compute(*(results[key] for key in self.components))
        if self.needs_keys:
            raise InvalidParameter("evaluate", "measures", "must be measures of numeric attributes here", self.key)
        pair = pair if self.paired else pair.with_whole_original()
        known = (results["dbrl"],) if self.informed and "dbrl" in results and not pair.gaps else ()
        if self.gaps == "records" and pair.gaps:
            pair = pair.observed()
            if not (pair.X.n and pair.Z.n):
                rule = f"no record is complete in both files, as `{self.key}` needs (judge fewer columns)"
                raise InvalidInput("evaluate", rule, "missing values in every record")
        if self.needs == "records":
            return self._with_chance(self.compute(pair, engine, progress, *known))
        return self._with_chance(self.compute(*pair.arrays()))

    def _of_targets(self, known: KeysAndTargets, progress: Progress | None = None) -> Parts:
        results = []
        for j, target in enumerate(known.targets):
            report_progress(progress, j, len(known.targets), target.name)
            results.append(self.compute(known, j))
        worst = max(results, key=lambda result: result.total)
        notes = tuple(dict.fromkeys(note for result in results for note in result.notes))
        return replace(worst, parts=tuple(part for result in results for part in result.parts), notes=notes)

    def _with_chance(self, result: Parts) -> Parts:
        """The result of a risk that pairs no records with its baselines: pairing at random changes nothing in it.

        Others are returned unchanged. A part that only explains has no baseline.
        """
        if self.kind != "risk" or self.paired or result.baseline is not None:
            return result
        parts = tuple(part if part.better == "neither" else replace(part, baseline=part.value) for part in result.parts)
        return replace(result, parts=parts, baseline=result.total)


def measure(**fields: Any) -> Callable[[Callable[..., Parts]], Measure]:
    """Declares the function below it as a Measure with these fields."""
    return partial(Measure, **fields)
