"""The result of protect(): a release, with what its owner must know of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..data import Frame, Roles, Variables, checked, is_numeric, open_data
from ..data.check import require_columns
from ..display import Shown, View
from ..errors import InvalidInput, InvalidParameter, Note, lines
from ..methods import Procedure
from ..methods.noisy_sums import Guarantee
from ..notes import brief_notes
from ..rstream import RStream
from ..rstream.stream import seed_field
from ..types import Rows
from .ledger.registration import Registration
from .options import Options


@dataclass(frozen=True, repr=False)
class Protected(Shown):
    """A release, with what its owner must know of it.

    Only `frame`, or the file at `path`, is for release: with the seed an intruder can repeat the noise.

    Parameters
    ----------
    frame : DataFrame or Table
        The same kind of frame, column order and types that came in, identifiers dropped, dependent columns replaced. The
        records are numbered from 0, and categories have the levels that a released cell has.
    all_notes : list of Note
        What the method had to do, and what the owner of the release must know: every note, warnings first.
    method : Method or Steps
        As requested.
    roles : Roles
        As requested.
    seed : int or RStream
        The integer that was given, or an RStream at its starting state, a new copy at each reading. protect(...,
        seed=released.seed) repeats the release. None for a release with a privacy budget.
    path : path, optional
        Where the release of a file was written; of several copies the first.
    more : tuple, optional
        Of several copies those after the first, frames or paths as the first is.
    options : Options
        Further arguments of `protect` that the release was made with, by attribute.
    registration : Registration, optional
        The release as its ledger has it.
    labels : mapping of str to str
        By column, the label that it has in the input.
    variables : Variables, optional
        What the columns with a role may contain, declared or inferred: private, as `describe` has it.
    rows : tuple
        By copy, the positions in the original of the released records: private, for the pairing in `evaluate`. None where
        the release has all records in order, and where the positions are not known.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.IPSO("C"), roles)
    >>> len(released.frame)
    100
    """

    frame: Any
    all_notes: list[Note]
    method: Procedure
    roles: Roles
    seed: int | RStream | None = seed_field()  # noqa: RUF009 - a field
    path: str | None = None
    more: tuple[Any, ...] = ()
    options: Options = field(default=Options(), repr=False)
    registration: Registration | None = field(default=None, repr=False)
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)
    variables: Variables | None = field(default=None, repr=False)
    rows: tuple[Rows | None, ...] = field(default=(), repr=False)

    @property
    def conflicts(self) -> tuple[str, ...] | None:
        """What the release discloses together with earlier ones of its ledger; None without a ledger."""
        return None if self.registration is None else self.registration.conflicts

    def __post_init__(self) -> None:
        object.__setattr__(self, "all_notes", lines(self.all_notes))

    @property
    def notes(self) -> list[Note]:
        """The notes in brief: at most ten of at most 25 words, warnings first; notes of one kind and wording are one."""
        return brief_notes(self.all_notes)

    @property
    def privacy(self) -> Guarantee | None:
        """The differential privacy of the release, None where it has none; budgets of several releases add up in `rho`."""
        return self.method.facts(self.roles).privacy

    @property
    def frames(self) -> tuple[Any, ...]:
        """The copies, one where no more were requested: frames, or the paths of files that are not in memory."""
        return (self.path if self.frame is None else self.frame, *self.more)

    def plot(self, frame: Any) -> Any:
        """The numeric dependent columns before and after: the outline of each one's distribution.

        Parameters
        ----------
        frame : DataFrame, Table or path
            The original.

        Returns
        -------
        matplotlib.figure.Figure
            The figure, which shows itself in a notebook; of the records complete in each file. It shows original values in
            the large, and is for the inside.

        Raises
        ------
        InvalidInput
            For what is no frame, or has not the dependent columns.
        MissingExtra
            Without matplotlib.
        """
        from ..plots import distributions

        before, after = (open_data("plot", data, whole=True) for data in (frame, self.released))
        require_columns("plot", before, self.roles.dependent)
        names = [name for name in self.roles.dependent if is_numeric(before, name) and is_numeric(after, name)]
        if not names:
            raise InvalidInput("plot", "needs a dependent column of numbers in both files", "none")
        values = (checked("plot", frame, names) for frame in (before, after))
        X, Z = (A[np.isfinite(A).all(axis=1)] for A in values)
        return distributions(X, Z, names)

    @property
    def released(self) -> Any:
        """The release: its frame, or the path of its file."""
        return self.frame if self.path is None else self.path

    def _view(self) -> View:
        head = f"Protected by {self.method}; dependent columns: {', '.join(self.roles.dependent)}"
        file = [] if self.path is None else [f"The release is the file {self.path}"]
        return View(head, sentences=[*file, *self.notes])


def require_protected(owner: str, released: object) -> None:
    """Raises InvalidParameter for what is no result of protect()."""
    if not isinstance(released, Protected):
        raise InvalidParameter(owner, "released", "must be a result of protect()", type(released).__name__)


def open_copies(owner: str, release: Protected, whole: bool | None = None) -> list[Frame]:
    """The copies of a release, opened, with the position in the original of each record. whole : as in open_data."""
    rows = release.rows or (None,) * len(release.frames)
    copies = [open_data(owner, copy, whole) for copy in release.frames]
    return [copy.of_rows(places) for copy, places in zip(copies, rows, strict=True)]


def open_release(owner: str, release: Any, whole: bool | None = None) -> Frame:
    """A release, opened: a frame, a path, or the first copy of a result of protect(), which knows how its records pair."""
    return open_copies(owner, release, whole)[0] if isinstance(release, Protected) else open_data(owner, release, whole)
