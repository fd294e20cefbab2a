"""The four kinds of work that a method can do for protect(), and what the work gets besides the data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..constraints.accepted import Totals
from ..constraints.bounds import Bounds
from ..data.blocks import Sample, loaded, pieces
from ..engine import Engine, Local
from ..errors import Count, InvalidInput
from ..numerics.kept_sums import KeptSums
from ..progress import ProgressTracker, Reporter, discard
from ..rstream import RStream
from ..types import Array, Mask, Rows, Terms
from .basis import flexible_basis

NO_PROGRESS = ProgressTracker("")
PASSES = 6  # through the records, of a method that adds up a regression's sums


def with_pooled_levels(X: Array, pooled: Mask | None) -> Array:
    """X (n, s), and a column for each level (n, q) that shares one of X with others; X itself where there is none."""
    return X if pooled is None else np.hstack([X, pooled])


@dataclass(frozen=True)
class Run:
    """The inputs of a method's work besides the data."""

    stream: RStream
    """The source of randomness."""

    note: Reporter = discard
    """Receives notes on the release."""

    tracker: ProgressTracker = NO_PROGRESS
    """Receives the progress."""

    engine: Engine = Local()  # noqa: RUF009 - frozen
    """Computes, on this machine; it does not change the release."""

    sums: KeptSums | None = None
    """Sums of the original that the release preserves, for a method that `keeps` any."""

    bounds: Bounds | None = None
    """Inequalities that records satisfy, for a method that swaps."""

    totals: Totals | None = None
    """Derived columns whose margins are targets too, for a method that swaps."""

    margins: Array | None = None
    """(n, t) values whose margins the release has, where they are not the original's, for a method that swaps."""

    zeros: Mask | None = None
    """(n, t) where a rule with an unmodified column makes the release zero, for a method that swaps."""

    fills: Mask | None = None
    """(n, t) filled cells, which are not released, of columns with enough of them, or with rules that fills follow."""

    free_fills: Mask | None = None
    """(n, t) those of them on which no released cell depends."""

    derived: tuple[str, ...] = ()
    """The names of dependent columns that are computed from the release, and that the method does not get."""

    categories: tuple[int, ...] = ()
    """The positions of the dependent columns that hold positions of levels."""

    terms: Terms = ()
    """The positions of the independent columns of each categorical predictor."""

    pooled: Mask | None = None
    """(n, q) the records of each level that shares a column of X with others, of at least 10, for a method that keeps no totals."""

    unit_effects: tuple[tuple[int, int], ...] = ()
    """The positions of the independent columns that are effects of sampling units, the last ones, each with that of the dependent
    column on which units have the effect; -1 for a category, which is drawn later."""

    names: tuple[str, ...] = ()
    """The names of the dependent columns, where they have names."""

    chooses_order: bool = False
    """Whether a method that draws columns in turn chooses their order: in a public file and under `Calibrated`."""

    larger_leaves: bool = False
    """Whether such a method draws from leaves of at least 50 records: in a public file, but for whole households."""

    keeps_moments_of_codes: bool = False
    """Whether such a method draws codes with the original's mean and variance: where their margin stays as it is drawn."""

    def with_pooled(self, X: Array) -> tuple[Array, Terms]:
        """X (n, s) with a column for each level that shares one of X with others, and the positions of each class's columns.

        Such a level is a class of its own where no totals are kept: of draws, and of rules.
        """
        given = with_pooled_levels(X, self.pooled)
        return given, [*self.terms, *([j] for j in range(X.shape[1], given.shape[1]))]


@dataclass(frozen=True)
class NumberWork:
    """Numbers for numbers: every record keeps its place, and its dependent values are replaced."""

    release: Callable[[Array, Array, Run], Array]
    """A function of X (n, s), Y (n, t) and a run: the released values (n, t), in the units of Y. Neither array is changed in place."""

    takes_categories: bool = False
    """Whether dependent columns of categories are accepted; they hold the positions of levels from 0."""

    bounds: Literal["sign"] | None = None
    """The default of the argument `bounds` of protect()."""

    records: int | None = None
    """How many records a release of a whole file is to have; None for as many as the original."""


@dataclass(frozen=True)
class Released:
    """A release that is computed block by block.

    Parameters
    ----------
    values : callable
        Of a block (b, s + t + k) with k additional columns, the protected (b, t).
    draws : sequence of ndarray, optional
        These k columns by block, usually random draws.
    """

    values: Callable[[Array], Array]
    draws: Sequence[Any] | None = None

    def blocks(self, records: Sequence[Any]) -> Iterator[Array]:
        """The protected values.

        Parameters
        ----------
        records : sequence of ndarray, shape (b, s + t)
            The blocks of records.

        Returns
        -------
        iterator of ndarray, shape (b, t)
            In the order of the blocks.

        Raises
        ------
        InvalidInput
            For values that are not finite.
        """
        for k, block in enumerate(records):
            with_draws = block if self.draws is None else (block, self.draws[k])
            yield finite(self.values(loaded(with_draws)))


@dataclass(frozen=True)
class SumWork:
    """Numbers for numbers, by sums over all records: these need not be in memory, and may be on a cluster."""

    fit: Callable[[Sample, Run], Released]
    """A function of records by blocks and a run: the release, which is computed block by block."""

    passes: int = PASSES
    """About how often the fit passes through the records by blocks, for the progress."""

    design_from_sums: bool = False
    """Whether the columns of `run.sums`, which has the sums to be preserved, take the place of X."""

    basis: str = "linear"
    """The basis of numeric predictors: "flexible" for columns of their values and splines too, see flexible_basis."""

    takes_categories: ClassVar[bool] = False
    """Levels of categories have no sums."""

    bounds: Literal["sign"] | None = None
    """The default of the argument `bounds` of protect()."""

    def release(self, X: Array, Y: Array, run: Run) -> Array:
        """The release of records in memory.

        Parameters
        ----------
        X : ndarray, shape (n, s)
            Independent columns.
        Y : ndarray, shape (n, t)
            Dependent columns.
        run : Run
            What the fit gets.

        Returns
        -------
        ndarray, shape (n, t)
            The released values, in the units of Y.
        """
        sample = Sample.of(X, Y, run.engine)
        if not self.design_from_sums or run.sums is None:
            released = self.of_sample(sample, run)
        else:
            columns = run.sums.columns
            if self.basis == "flexible":
                basis = flexible_basis(sample, run.terms, sums=run.sums, note=run.note)
                columns = np.hstack([columns, basis.added(X)])
            sample = Sample.of(columns, Y, run.engine)
            released = self.fit(sample, run)
        return np.vstack(list(released.blocks(pieces(sample.rows, Local()))))

    def of_sample(self, sample: Sample, run: Run) -> Released:
        """The release of records by blocks.

        Parameters
        ----------
        sample : Sample
            The records.
        run : Run
            What the fit gets.

        Returns
        -------
        Released
            Whose blocks are those of the sample.
        """
        if self.basis != "flexible":
            return self.fit(sample, run)
        basis = flexible_basis(sample, run.terms, note=run.note)
        released = self.fit(basis.of_sample(sample), run)
        return Released(partial(_of_expanded, released.values, partial(basis.expanded, sample.s)), released.draws)


@dataclass(frozen=True)
class CellRelease:
    """The release of n records by a method that works on cells.

    Parameters
    ----------
    numbers : mapping of str to ndarray, shape (n,)
        New values by column, of the column's own type.
    categories : mapping of str to tuple
        By column (n,) labels with the labels' order, for columns that become categorical.
    gaps : mapping of str to ndarray of bool, shape (n,)
        By column, True where a cell is suppressed.
    rows : ndarray of int, optional
        The positions of the released records, ascending; None for all.
    moved : mapping of str to ndarray of int, shape (n,)
        By column, the record whose cell each record receives, so that cells keep their type.
    """

    numbers: Mapping[str, Array] = field(default_factory=dict)
    categories: Mapping[str, tuple[NDArray[np.object_], list[str]]] = field(default_factory=dict)
    gaps: Mapping[str, Mask] = field(default_factory=dict)
    rows: Rows | None = None
    moved: Mapping[str, Rows] = field(default_factory=dict)


@dataclass(frozen=True)
class CellWork:
    """Cells of columns of any type: records are dropped, categories made, cells suppressed or moved."""

    columns: tuple[str, ...]
    """The columns whose cells the work gets."""

    release: Callable[[Mapping[str, Any], int, Run], CellRelease]
    """A function of these columns (n,), of n and of a run: the release.

    A column is float64 with NaN for missing, or objects with None for missing, as `takes` says.
    """

    takes: Literal["numbers", "objects", "either"]
    """The form of the columns: as numbers, which they must be; as objects; or as numbers where they are numeric."""

    read: tuple[str, ...] = ()
    """Further columns that the work gets, as objects, and does not change."""

    bounds: ClassVar[None] = None
    """No limits of values by default."""

    @property
    def takes_categories(self) -> bool:
        """Whether columns that are not numeric are accepted."""
        return self.takes != "numbers"


@dataclass(frozen=True)
class FileWork:
    """A whole new file, of any number of records, all columns of which are new."""

    release: Callable[[Any, int, Run], Any]
    """A function of a pandas data frame of the original's complete records, without identifiers, the number of records that are
    wanted, and a run: the new records."""

    takes_categories: ClassVar[bool] = False
    """Columns come as they are in the frame, not as positions of levels."""

    bounds: ClassVar[None] = None
    """No limits of values by default."""


Work = NumberWork | SumWork | CellWork | FileWork


def _of_expanded(values: Callable[[Array], Array], expand: Callable[[Array], Array], block: Array) -> Array:
    """The protected values (b, t) of a block, computed from the columns of a basis."""
    return values(expand(block))


def finite(Z: Array) -> Array:
    """The released values. Raises InvalidInput for values that are not finite."""
    known = np.isfinite(Z)
    if not known.all():
        rule = "the release must be finite; the columns may be too ill-conditioned for this method"
        many = Count((~known).sum())
        raise InvalidInput("protect", rule, f"{many} {many:value that is|values that are} not")
    return Z
