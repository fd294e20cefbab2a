"""What protect() can carry out: a protection method, a frozen dataclass of parameters with its work and its facts; or steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, ClassVar, Literal, Self

import numpy as np

from ..data.roles import PUBLIC, Roles
from ..errors import InvalidParameter
from ..progress import Reporter, discard
from ..rstream import RStream
from ..types import Array
from .extremes import Extremes
from .facts import Facts, Pairs
from .parameter import Parameter
from .work import CellWork, FileWork, NumberWork, Run, SumWork, Work

PROBED_RECORDS = 300  # the first records, with which seeds are tested
NO_ROLES = Roles()
"""Where the roles are not known yet."""
Group = Literal["start", "synthetic", "perturb", "coarsen", "around"]


@dataclass(frozen=True)
class Procedure:
    """The parameters of a method or of steps: the fields of a subclass."""

    about = ""
    """The method's purpose, in one line."""

    term = ""
    """Its name in the literature."""

    source = ""
    """Who published it."""

    r_name = ""
    """The name of its constructor in R, where it is not the name of the class in lower case."""

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

    @property
    def citation(self) -> str:
        """Its name in the literature with the source and without parameters, such as "trees (Reiter 2005)"."""
        term = self.term or type(self).__name__
        source = self.source.replace("(", "").replace(")", "")
        return f"{term} ({source})" if source else term

    def facts(self, roles: Roles) -> Facts:
        """Facts that callers must know of its release.

        Parameters
        ----------
        roles : Roles
            Of the file.

        Returns
        -------
        Facts
            With these parameters.
        """
        raise NotImplementedError

    def parts(self, roles: Roles) -> tuple[tuple[Method, Roles], ...]:
        """The methods that are carried out, in order, each with its roles.

        Parameters
        ----------
        roles : Roles
            Of the file.

        Returns
        -------
        tuple of (Method, Roles)
            One pair for a method.
        """
        raise NotImplementedError

    def columns(self, roles: Roles) -> tuple[str, ...]:
        """The columns whose cells it works on.

        Parameters
        ----------
        roles : Roles
            Of the file.

        Returns
        -------
        tuple of str
            The dependent columns, unless its work names others.
        """
        raise NotImplementedError

    def treating(self, name: str, roles: Roles) -> Method | None:
        """The method that decides how a column is released: the last one that works on it.

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
        raise NotImplementedError

    @property
    def wrapped(self) -> Method | None:
        """The method whose release it modifies, if any."""
        return None

    @property
    def takes_unit_effects(self) -> bool:
        """Whether the effects of sampling units are among its predictors, where the roles have a sampling design."""
        return False

    def replaces_numbers(self) -> bool:
        """Whether it is one method that replaces numbers by numbers and keeps every record.

        Returns
        -------
        bool
            False for steps.
        """
        return False

    def makes_new_file(self) -> bool:
        """Whether all columns and records of the release are new.

        Returns
        -------
        bool
            False for steps, which take no such method.
        """
        return False

    def draws_households(self, roles: Roles) -> bool:
        """Whether the release has new households, whose number of records may be another one.

        Parameters
        ----------
        roles : Roles
            Of the file.

        Returns
        -------
        bool
            True in a public file with households that are no panels: none of its records pairs with an original one.
        """
        if roles.product != PUBLIC or roles.household is None or roles.time is not None:
            return False
        return self.replaces_numbers() and self.facts(roles).privacy is None

    def pairs(self, roles: Roles) -> Pairs:
        """Whether records of a release belong to original ones: as the facts say, and never where households are drawn.

        Parameters
        ----------
        roles : Roles
            Of the file.

        Returns
        -------
        {"always", "by columns", "never"}
            See Facts.pairs.
        """
        return "never" if self.draws_households(roles) else self.facts(roles).pairs

    def of_part(self, share: float) -> Procedure:
        """The procedure for a part of a file, as an audit protects one.

        Parameters
        ----------
        share : float
            The part's share of the records.

        Returns
        -------
        Procedure
            Itself, but for a method that releases a given number of records: it releases this share of them.
        """
        return self

    def parameters(self) -> dict[str, Any]:
        """Every parameter with its value.

        Returns
        -------
        dict of str to object
            In the order of the constructor.
        """
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def shown(self) -> dict[str, Any]:
        """The parameters that a call of the constructor should have.

        Returns
        -------
        dict of str to object
            Those that are required or differ from their defaults. Where there are none the first, unless it is None.
        """
        values = {one.name: getattr(self, one.name) for one in self.declared()}
        needed = [one.name for one in self.declared() if one.required or values[one.name] != one.default]
        first = [name for name in list(values)[:1] if values[name] is not None]
        return {name: values[name] for name in needed or first}

    def settings(self) -> str:
        """The first parameter, and those that are required or differ from their defaults, as text.

        Returns
        -------
        str
            Such as "c=8, m=2".
        """
        values = self.parameters()
        shown = []
        for k, field in enumerate(fields(self)):
            value = values[field.name]
            if value != field.default or (k == 0 and value is not None):
                shown.append(field.name)
        return ", ".join(f"{name}={values[name]}".removesuffix(".0") for name in shown)

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.settings()})"


@dataclass(frozen=True)
class Method(Procedure):
    """Parameters of one protection method: the fields of a subclass, which overrides `work` and `facts`."""

    group: ClassVar[Group]
    """The place in lists: "start" for those to begin with; "around" changes the release of another method."""

    @classmethod
    def example(cls) -> Self:
        """The method with the examples of its parameters, and the defaults of those that have none.

        Returns
        -------
        Method
            As forms, stored results and tests begin with it.
        """
        return cls(**{one.name: one.example for one in cls.declared() if one.example is not None})

    def work(self, roles: Roles, records: int | None) -> Work:
        """The method's work for protect().

        Parameters
        ----------
        roles : Roles
            Of the file.
        records : int or None
            How many the file has; None before it is opened.

        Returns
        -------
        NumberWork, SumWork, CellWork or FileWork
            With the function that makes the release.
        """
        raise NotImplementedError

    def on_basis(self, basis: str) -> Method:
        """The method on a basis of its predictors, where it has one and none was given.

        Parameters
        ----------
        basis : str
            "linear" or "flexible".

        Returns
        -------
        Method
            Itself where it has none, or one that was given.
        """
        if self.parameters().get("basis", basis) is not None:
            return self
        return replace(self, **{"basis": basis})  # a subclass has the field

    def on_average(self) -> Method:
        """The method that preserves on average what this one preserves exactly, where exact sums would be too many.

        Returns
        -------
        Method
            Itself where it preserves no sum exactly, or no other method has its release on average.
        """
        return self

    def numbers(self, roles: Roles = NO_ROLES) -> NumberWork | SumWork:
        """Its work on numbers.

        Parameters
        ----------
        roles : Roles
            Of the file, where they are known.

        Returns
        -------
        NumberWork or SumWork
            Whose `release` takes arrays in memory.

        Raises
        ------
        InvalidParameter
            For a method that has other work.
        """
        work = self.work(roles, None)
        match work:
            case NumberWork() | SumWork():
                return work
            case CellWork() | FileWork():
                raise InvalidParameter("protect", "method", "must replace numbers by numbers", str(self))

    def protect(self, X: Array, Y: Array, stream: RStream, note: Reporter = discard) -> Array:
        """Protected values for the dependent attributes, of a method that replaces numbers.

        Parameters
        ----------
        X : ndarray, shape (n, s)
            Independent attributes, unmodified; s may be 0.
        Y : ndarray, shape (n, t)
            Dependent attributes. Not changed in place.
        stream : RStream
            Source of randomness.
        note : callable
            Receives notes on the release.

        Returns
        -------
        ndarray, shape (n, t)
            The released values, in the units of Y.
        """
        return self.numbers().release(X, Y, Run(stream, note))

    def extremes(self, y: Array) -> Extremes | None:
        """The ends of margins that the method gives a column by itself, for the test of extremes.

        Parameters
        ----------
        y : array, shape (n,)
            One dependent column.

        Returns
        -------
        callable or None
            Of a stream and places of records, the smallest and the largest value (d, 2) of each of some margins of the column
            without these records; None where the margin follows from the release.
        """
        return None

    def coded(self, name: str, y: Array) -> Array:
        """A column after a rule of the method that draws nothing, as it comes to a later step in the test of extremes.

        Parameters
        ----------
        name : str
            The column.
        y : array, shape (n,)
            Its values.

        Returns
        -------
        array, shape (n,)
            The values themselves where the method has no such rule.
        """
        return y

    @property
    def by_column(self) -> bool:
        """Whether each dependent column is released as if it were the only one. The test of extremes then repeats it alone."""
        return False

    def guesser(self, X: Array, Y: Array, run: Run) -> Callable[[RStream], Array]:
        """The probe with which seeds are tested, prepared once.

        Parameters
        ----------
        X, Y : array, shape (n, s) and (n, t)
            As in `protect`.
        run : Run
            What the work gets, but for the stream.

        Returns
        -------
        callable
            Of a stream, (m, k) columns of the first m records. With the right seed the residuals of the first released
            attribute on X and Y are a linear combination of them, such as the draws themselves.
        """
        n, t = Y.shape
        probe, work = self.facts(NO_ROLES).seed_probe, self.numbers()
        if probe == "normals":
            return lambda stream: first_normals(n, t, stream)
        used = Y if probe == "release" else Y[:, :1]
        return lambda stream: work.release(X, used, replace(run, stream=stream))[:, :1]

    def parts(self, roles: Roles) -> tuple[tuple[Method, Roles], ...]:
        """See Procedure.parts: itself."""
        return ((self, roles),)

    def columns(self, roles: Roles) -> tuple[str, ...]:
        """See Procedure.columns."""
        match self.work(roles, None):
            case CellWork(columns=columns):
                return columns
            case _:
                return roles.dependent

    def treating(self, name: str, roles: Roles) -> Method | None:
        """See Procedure.treating: itself."""
        return self if name in (*roles.dependent, *self.columns(roles)) else None

    def replaces_numbers(self) -> bool:
        """See Procedure.replaces_numbers."""
        return isinstance(self.work(NO_ROLES, None), NumberWork | SumWork)

    def replaces_one_for_one(self) -> bool:
        """Whether it replaces numbers by numbers, and releases a record for each original one.

        Returns
        -------
        bool
            Whether another method can modify its release.
        """
        work = self.work(NO_ROLES, None)
        return isinstance(work, SumWork) or (isinstance(work, NumberWork) and work.records is None)

    def makes_new_file(self) -> bool:
        """See Procedure.makes_new_file."""
        return isinstance(self.work(NO_ROLES, None), FileWork)


def require_procedure(owner: str, method: object, such_as: str) -> None:
    """Raises InvalidParameter for an object that is neither a method nor steps. such_as : an example, as a user types it."""
    if not isinstance(method, Procedure):
        raise InvalidParameter(owner, "method", f"must be a method such as {such_as}", method)


@cache
def _declared(kind: Any) -> tuple[Parameter, ...]:
    return tuple(map(Parameter.of, fields(kind)))


def first_normals(n: int, t: int, stream: RStream) -> Array:
    """Normals (m, t) of the first m = min(n, 300) records in an n x t block that the stream fills by columns."""
    m = min(n, PROBED_RECORDS)
    columns = []
    for _ in range(t):
        columns.append(stream.rnorm(m))
        stream.skip(2 * (n - m))
    return np.column_stack(columns)
