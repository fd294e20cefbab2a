"""Base classes of protection methods: frozen dataclasses of parameters with one verb."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np

from ..constraints.accepted import Totals
from ..constraints.bounds import Bounds
from ..data.roles import Roles
from ..engine import Engine, Local
from ..errors import Count, InvalidInput, InvalidParameter
from ..linkage.informed import Attack
from ..numerics.kept_sums import KeptSums
from ..progress import ProgressTracker, Reporter, discard
from ..rstream import RStream
from ..types import Array, Masks, Terms
from .noisy_sums import Guarantee
from .parameter import Parameter

PROBED_RECORDS = 300  # the first records, with which seeds are tested
NO_PROGRESS = ProgressTracker("")


@dataclass(frozen=True)
class Run:
    """What a method runs with besides data and stream.

    note : receives notes on the release; tracker : receives the progress; engine : of this machine, does not change the
    release; sums : of the original, that the release preserves; bounds, totals : inequalities that records keep, and
    derived columns whose margins are targets, for methods that swap; categories : the positions of dependent columns that
    hold positions of levels; terms : those of the independent columns of each categorical predictor; names : of the
    dependent columns, where they have names.
    """

    note: Reporter = discard
    tracker: ProgressTracker = NO_PROGRESS
    engine: Engine = Local()  # noqa: RUF009 - frozen
    sums: KeptSums | None = None
    bounds: Bounds | None = None
    totals: Totals | None = None
    categories: tuple[int, ...] = ()
    terms: Terms = ()
    names: tuple[str, ...] = ()


PLAIN_RUN = Run()


@dataclass(frozen=True)
class Method:
    """Parameters of one protection method: the fields of a subclass, which overrides `protect`."""

    about = ""
    source = ""
    one_for_one = True
    """Whether `protect` replaces numbers by numbers and keeps every record, so that other methods can wrap it."""
    seed_probe: ClassVar[Literal["release", "first column", "normals"]] = "release"
    """With what seeds are tested: the release, that of the first column alone, or the first normals drawn for all columns."""
    pairs: ClassVar[Literal["always", "by columns", "never"]] = "always"
    """Whether a released record belongs to an original one: always, only where unmodified columns pair them, or never."""
    generates = False
    """Whether it generates new records of all columns: it overrides `generate`, and no column is released unchanged."""
    needs_numbers = True
    """Whether the columns that `needs` names must be numeric."""
    deniable = False
    """Whether it changes few cells by design, and no intruder can find out which."""
    takes_categories = False
    """Whether it takes dependent columns of any type: `protect` takes levels as their positions from 0."""

    @property
    def bounds(self) -> str | None:
        """The default of the argument `bounds` of protect()."""
        return None

    def __post_init__(self) -> None:
        owner = type(self).__name__
        for parameter in self.declared():
            object.__setattr__(self, parameter.name, parameter.checked(owner, getattr(self, parameter.name)))
        self._check()

    def _check(self) -> None:
        """Raises InvalidParameter where parameters contradict each other."""

    @classmethod
    def declared(cls) -> tuple[Parameter, ...]:
        """The declarations of all parameters.

        Returns
        -------
        tuple of Parameter
            In the order of the constructor.
        """
        return _declared(cls)  # type: ignore[arg-type]  # mypy takes a class's __hash__ for its instances'

    def protect(self, X: Array, Y: Array, stream: RStream, run: Run = PLAIN_RUN) -> Array:
        """Protected values for the dependent attributes.

        Parameters
        ----------
        X : ndarray, shape (n, s)
            Independent attributes, unmodified; s may be 0.
        Y : ndarray, shape (n, t)
            Dependent attributes. Not changed in place.
        stream : RStream
            Source of randomness.
        run : Run
            Receivers of notes and progress, engine, and requirements on the release.

        Returns
        -------
        ndarray, shape (n, t)
            The released values, in the units of Y.
        """
        raise NotImplementedError

    def regressors(self, X: Array, run: Run) -> Array:
        """What `protect` takes as X.

        Parameters
        ----------
        X : ndarray, shape (n, s)
            Independent attributes.
        run : Run
            May have sums to be preserved.

        Returns
        -------
        ndarray, shape (n, r)
            The columns of these sums where the method preserves sums with its regressors, else X.
        """
        return X if run.sums is None or not self.keeps or self.wrapped is not None else run.sums.columns

    def needs(self, dependent: tuple[str, ...]) -> tuple[str, ...]:
        """The columns whose cells the method works on.

        Parameters
        ----------
        dependent : tuple of str
            The dependent columns.

        Returns
        -------
        tuple of str
            Numeric where `needs_numbers`, else of any type.
        """
        return dependent

    @property
    def wrapped(self) -> Method | None:
        """The method whose release it modifies, if any."""
        return None

    @property
    def masks(self) -> Masks:
        """How it masks; see `types.Masks`."""
        return "values" if self.wrapped is None else self.wrapped.masks

    @property
    def averages(self) -> bool:
        """Whether the mean of several releases of the same records comes near the originals."""
        return self.masks == "perturb" if self.wrapped is None else self.wrapped.averages

    @property
    def by_swaps(self) -> bool:
        """Whether its release results from swaps within columns, which keep `bounds` and `totals` of a run."""
        return False

    @property
    def privacy(self) -> Guarantee | None:
        """Its differential privacy for the dependent columns, if it has one; then its noise is of no stream."""
        return None

    @property
    def keeps(self) -> str:
        """Which sums over the file the release preserves, for any columns in X's place; "" where none.

        "average": those of the regression on X, on average over draws; "fits": exactly; "moments": these and the cross sums
        among the released columns, exactly; "swaps": all of them nearly, by swaps, with weights and in domains too.
        """
        return ""

    @property
    def reissues_values(self) -> bool:
        """Whether it releases original values verbatim, in any record, so that they disclose membership in the file."""
        return False

    @property
    def undone_by_seed(self) -> bool:
        """Whether method and seed disclose originals nearly, beyond the release alone; True until a method is examined."""
        return True

    @property
    def weak_generator(self) -> bool:
        """Whether its numbers come from a 32-bit generator whatever the seed, so that all of them can be tried."""
        return self.wrapped is not None and self.wrapped.weak_generator

    @property
    def attacks(self) -> tuple[Attack, ...]:
        """Attacks of a method-aware intruder with all parameters; the most successful one counts.

        Empty where none is known to exceed linkage by distance.
        """
        return ()

    def attacks_on(self, dependent: Sequence[str]) -> tuple[Attack, ...]:
        """The attacks on a release of these columns.

        Parameters
        ----------
        dependent : sequence of str
            The columns' names, in order.

        Returns
        -------
        tuple of Attack
            With positions for column names.
        """
        return self.attacks

    def treating(self, name: str, roles: Roles) -> Method | None:
        """The method that decides how a column is released: itself, or one of its steps.

        Parameters
        ----------
        name : str
            The column.
        roles : Roles
            Of the whole release.

        Returns
        -------
        Method or None
            None for a column that is released unchanged.
        """
        return self if name in (*roles.dependent, *self.needs(roles.dependent)) else None

    def guesser(self, X: Array, Y: Array, run: Run) -> Callable[[RStream], Array]:
        """The probe with which seeds are tested, prepared once.

        Parameters
        ----------
        X, Y : array, shape (n, s) and (n, t)
            As in `protect`.
        run : Run
            As in `protect`.

        Returns
        -------
        callable
            Of a stream, (m, k) columns of the first m records. With the right seed the residuals of the first released
            attribute on X and Y are a linear combination of them, such as the draws themselves.
        """
        n, t = Y.shape
        if self.seed_probe == "normals":
            return lambda stream: first_normals(n, t, stream)
        used = Y if self.seed_probe == "release" else Y[:, :1]
        return lambda stream: self.protect(X, used, stream, run)[:, :1]

    @property
    def by_blocks(self) -> bool:
        """Whether its sums can be added over blocks of records, so that these need not all be in memory."""
        return False

    def passes(self, t: int) -> int:
        """About how often an engine passes through the records by blocks.

        Parameters
        ----------
        t : int
            The number of dependent columns.

        Returns
        -------
        int
            Of a method that works by blocks.
        """
        return 6

    def parameters(self) -> dict[str, Any]:
        """Every parameter with its value.

        Returns
        -------
        dict of str to object
            In the order of the constructor.
        """
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def settings(self) -> str:
        """The first parameter, and those that are required or differ from their defaults, as text.

        Returns
        -------
        str
            Such as "c=8, m=2".
        """
        values = self.parameters()
        shown = [field.name for k, field in enumerate(fields(self)) if k == 0 or values[field.name] != field.default]
        return ", ".join(f"{name}={values[name]}".removesuffix(".0") for name in shown)

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.settings()})"


@cache
def _declared(method: Any) -> tuple[Parameter, ...]:
    return tuple(map(Parameter.of, fields(method)))


def require_method(owner: str, method: object, such_as: str) -> None:
    """Raises InvalidParameter for an object that is no Method. such_as : an example, as a user types it."""
    if not isinstance(method, Method):
        raise InvalidParameter(owner, "method", f"must be a method such as {such_as}", method)


def finite(Z: Array) -> Array:
    """The released values. Raises InvalidInput for values that are not finite."""
    known = np.isfinite(Z)
    if not known.all():
        rule = "the release must be finite; the columns may be too ill-conditioned for this method"
        many = Count((~known).sum())
        raise InvalidInput("protect", rule, f"{many} {many:value that is|values that are} not")
    return Z


def first_normals(n: int, t: int, stream: RStream) -> Array:
    """(m, t) the normals of the first m = min(n, 300) records in an n x t block that the stream fills by columns."""
    m, columns = min(n, PROBED_RECORDS), []
    for _ in range(t):
        columns.append(stream.rnorm(m))
        stream.skip(2 * (n - m))
    return np.column_stack(columns)
