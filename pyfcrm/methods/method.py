"""What a protection method is: a frozen dataclass of parameters with one verb."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

import numpy as np

from ..data.blocks import Sample, loaded, pieces
from ..engine import Engine, Local
from ..engine.threads import Watched
from ..errors import Count, InvalidInput, InvalidParameter
from ..linkage.informed import Attack
from ..progress import ProgressTracker, Reporter, discard
from ..rstream import RStream
from ..types import Array, Masks
from .parameter import Needs, Parameter, declared_by


@dataclass(frozen=True)
class Method:
    """Parameters of one protection method.

    Notes
    -----
    A method overrides `protect`; its fields are its parameters. Under "Seed" is what a guessed seed discloses.
    """

    about: ClassVar[str] = ""
    source: ClassVar[str] = ""
    one_for_one: ClassVar[bool] = True
    """Whether it replaces numbers by numbers, and keeps every record: `protect` is its verb, and others can build on it."""
    threaded: ClassVar[bool] = False
    """Whether `protect` takes an engine, for its threads."""
    guessed_by: ClassVar[int] = 300
    """Records by which a seed is known where it is guessed."""
    pairs: ClassVar[Literal["always", "by columns", "never"]] = "always"
    """Whether a released record belongs to one of the original: always, where columns are kept that pair it, or never."""
    generates: ClassVar[bool] = False
    """Whether it makes new records of all columns: its verb is `generate`, and no column leaves as it came."""
    by_blocks_where: ClassVar[str] = ""
    """Which of its kinds go by blocks, where only some do."""
    takes_sums: ClassVar[bool] = False
    """Whether `protect` takes `sums`, a numerics.kept_sums.KeptSums, which the release is to have of the original."""

    def __post_init__(self) -> None:
        owner = type(self).__name__
        for parameter in self.declared():
            object.__setattr__(self, parameter.name, parameter.checked(owner, getattr(self, parameter.name)))
        self._check()

    def _check(self) -> None:
        """Raises InvalidParameter where parameters that are right by themselves do not go together."""

    @classmethod
    def declared(cls) -> tuple[Parameter, ...]:
        """What is declared of every parameter.

        Returns
        -------
        tuple of Parameter
            In the order of the constructor.
        """
        return declared_by(cls)

    def protect(self, X: Array, Y: Array, stream: RStream, note: Reporter = discard) -> Array:
        """Protected values for the dependent attributes.

        Parameters
        ----------
        X : ndarray, shape (n, s)
            Independent attributes, kept; s may be 0. Never modified.
        Y : ndarray, shape (n, t)
            Dependent attributes, to be replaced. Never modified.
        stream : RStream
            Where randomness comes from.
        note : callable
            Told, in a sentence each, what had to be done on the way.

        Returns
        -------
        ndarray, shape (n, t)
            The values released, in the units of Y.
        """
        raise TypeError(f"{type(self).__name__} does not say how it protects")

    def bound(self, independent: Sequence[str], dependent: Sequence[str]) -> Method:
        """This method for columns of these names: names among its parameters become positions.

        Parameters
        ----------
        independent, dependent : sequence of str
            The columns' names, in order.

        Returns
        -------
        Method
            Itself if it has no names among its parameters.

        Raises
        ------
        InvalidInput, InvalidParameter
            Where a parameter names a column that is not there.
        """
        return self

    def needs(self, dependent: tuple[str, ...]) -> Needs:
        """Which columns it works on.

        Parameters
        ----------
        dependent : tuple of str
            The dependent columns.

        Returns
        -------
        Needs
            Those that must be numeric, and those that may hold anything.
        """
        return Needs(numbers=dependent)

    @property
    def wrapped(self) -> Method | None:
        """The method whose release it takes up, where it does."""
        return None

    def around(self, method: Method) -> Method:
        """The same with another method in the place of `wrapped`.

        Parameters
        ----------
        method : Method
            The method to take up.

        Returns
        -------
        Method
            Around that one.
        """
        raise TypeError(f"{type(self).__name__} has no method within it")

    @property
    def masks(self) -> Masks:
        """How it masks; see `types.Masks`."""
        return "values" if self.wrapped is None else self.wrapped.masks

    @property
    def exchanges(self) -> bool:
        """Whether its release is one of exchanges within columns, and its `protect` takes bounds that they keep."""
        return False

    @property
    def keeps(self) -> str:
        """Which sums of a file its release has too, of whatever columns stand in X's place; "" where none.

        "average": those of the regression on X, on average over draws; "fits": exactly; "moments": these and the cross sums
        among the released columns, exactly; "swaps": all of them nearly, by exchanges, and by weights and domains too.
        """
        return ""

    @property
    def dial(self) -> Parameter | None:
        """The parameter by which it trades information loss for risk, as it is set; None where it has none."""
        for parameter in self.declared():
            heeded = parameter.only is None or getattr(self, parameter.only[0]) in parameter.only[1]
            if parameter.dial is not None and heeded:
                return parameter
        return None

    @property
    def reissues_values(self) -> bool:
        """Whether it releases values of the original verbatim, in whatever record, so that they reveal who is in the file."""
        return False

    @property
    def undone_by_seed(self) -> bool:
        """Whether release, method and seed give originals back, wholly or nearly, beyond what the release itself tells.

        True until a method has been examined.
        """
        return True

    @property
    def weak_generator(self) -> bool:
        """Whether its numbers come from a generator of 32 bits whatever the seed, so that all of them can be tried."""
        return False

    @property
    def attacks(self) -> tuple[Attack, ...]:
        """How an intruder who knows the method and its parameters links its releases; what finds most counts.

        Empty where nothing is known that finds more than linkage by distance. Names among its parameters must be bound.
        """
        return ()

    def guesser(self, X: Array, Y: Array) -> Callable[[RStream], Array]:
        """What guessed seeds are tried with, made once for all of them.

        Parameters
        ----------
        X, Y : array, shape (n, s) and (n, t)
            As in `protect`.

        Returns
        -------
        callable
            Of a stream, (m, k) columns of the first m records. Where the seed is right, the first released attribute, less
            what X and Y explain, is a sum of them: the draws themselves will do.
        """
        return lambda stream: self.protect(X, Y, stream)[:, :1]

    @property
    def by_blocks(self) -> bool:
        """Whether its sums can be added over blocks of records, so that these need not all be in memory."""
        return False

    def passes(self, t: int) -> int:
        """How often an engine goes through the records at most.

        Parameters
        ----------
        t : int
            The number of dependent columns.

        Returns
        -------
        int
            Passes; 0 where its work is not of passes, so that nobody can be told of them.
        """
        return 0

    def parameters(self) -> dict[str, Any]:
        """Every parameter with its value.

        Returns
        -------
        dict of str to object
            In the order of the constructor.
        """
        return {each.name: getattr(self, each.name) for each in self.declared()}

    def shown_parameters(self) -> dict[str, Any]:
        """The first parameter, and those that are required or differ from their defaults.

        Returns
        -------
        dict of str to object
            In the order of the constructor.
        """
        values = self.parameters()
        return {
            each.name: values[each.name]
            for k, each in enumerate(self.declared())
            if k == 0 or each.required or values[each.name] != each.default
        }

    def settings(self) -> str:
        """What `shown_parameters` has, as text.

        Returns
        -------
        str
            Such as "c=8, m=2".
        """
        return ", ".join(f"{name}={value}".removesuffix(".0") for name, value in self.shown_parameters().items())

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.settings()})"


@dataclass(frozen=True)
class Threaded(Method):
    """A method that works on several threads: its `protect` is told which engine they come from."""

    threaded: ClassVar[bool] = True

    def protect(
        self, X: Array, Y: Array, stream: RStream, note: Reporter = discard, engine: Engine | None = None
    ) -> Array:
        """See Method.protect. engine : of this machine; None is Local(). The release does not depend on it."""
        return super().protect(X, Y, stream, note)


def require_method(owner: str, method: object, such_as: str) -> None:
    """Raises InvalidParameter where it is no Method. such_as : one, as it would be typed."""
    if not isinstance(method, Method):
        raise InvalidParameter(owner, "method", f"must be a method such as {such_as}", method)


def finite(Z: Array, shape: tuple[int, ...] | None = None) -> Array:
    """Values as they are released. Raises InvalidInput where one is not finite, or they have not the shape they must have."""
    known = np.isfinite(Z)
    if not known.all() or (shape is not None and Z.shape != shape):
        rule = "the release must be finite; the columns may be too ill-conditioned for this method"
        many = Count((~known).sum())
        raise InvalidInput("protect", rule, f"{many} {many:value that is|values that are} not")
    return Z


@dataclass(frozen=True)
class Released:
    """What a method that sums releases: worked out a block at a time.

    Parameters
    ----------
    values : callable
        Of a block (b, s + t + k) with k columns that belong to it, the protected (b, t).
    beside : sequence of ndarray, optional
        These k columns by block, mostly random draws, if there are any.
    """

    values: Callable[[Array], Array]
    beside: Sequence[Any] | None = None

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
            Where a value is not finite.
        """
        for k, block in enumerate(records):
            Z = self.values(loaded(block if self.beside is None else (block, self.beside[k])))
            yield finite(Z)


@dataclass(frozen=True)
class SummedMethod(Threaded):
    """A method that needs of the records only sums over them, so that they may lie in memory, on disk or on a cluster.

    It overrides `fit`; `protect` follows from it.
    """

    def fit(self, sample: Sample, stream: RStream, note: Reporter = discard) -> Released:
        """The release of the sample's dependent columns.

        Parameters
        ----------
        sample : Sample
            The records, by blocks; what a pass works out is handed to the next by `sample.mapped`, and draws come from
            `sample.draws`: kept in memory, made again elsewhere.
        stream : RStream
            Where randomness comes from.
        note : callable
            Told, in a sentence each, what had to be done on the way.

        Returns
        -------
        Released
            The protected values, block by block.
        """
        raise TypeError(f"{type(self).__name__} does not say how it is fitted")

    def protect(
        self, X: Array, Y: Array, stream: RStream, note: Reporter = discard, engine: Engine | None = None
    ) -> Array:
        """See Threaded.protect."""
        sample = Sample.of(X, Y, engine or Local())
        here = pieces(sample.rows, Local())
        made = list(self.fit(sample, stream, note).blocks(here))
        return made[0] if len(made) == 1 else np.vstack(made)

    @property
    def by_blocks(self) -> bool:
        """See Method.by_blocks."""
        return True

    def passes(self, t: int) -> int:
        """See Method.passes."""
        return 6 if self.by_blocks else 0


def protected(
    method: Method, X: Array, Y: Array, stream: RStream, note: Reporter, engine: Engine | None, **more: Any
) -> Array:
    """What method.protect gives, on the engine's threads where it takes any. more : what this method takes besides."""
    if method.threaded:
        engine = Watched(engine or Local(), note) if isinstance(note, ProgressTracker) else engine
        return cast(Threaded, method).protect(X, Y, stream, note, engine, **more)
    return method.protect(X, Y, stream, note, **more)
