"""Methods that drop records, make categories or suppress cells: their base class, and sampling."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..errors import Note
from ..progress import Reporter
from ..rstream import RStream
from ..types import Array, Mask, Masks, Rows
from .method import Method
from .parameter import param


@dataclass(frozen=True)
class FrameRelease:
    """What a frame method releases of n records.

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
class FrameMethod(Method):
    """A method that drops records, makes categories or suppresses cells: it overrides `release`, not `protect`."""

    one_for_one = False
    masks: ClassVar[Masks] = "keys"

    def release(self, cells: Mapping[str, Any], n: int, stream: RStream, note: Reporter) -> FrameRelease:
        """The release of n records.

        Parameters
        ----------
        cells : mapping of str to ndarray, shape (n,)
            The columns that `needs` names: float64 with NaN for missing, or objects with None for missing.
        n : int
            Number of records.
        stream : RStream
            Source of randomness.
        note : callable
            Receives notes on the release.

        Returns
        -------
        FrameRelease
            New values, categories, suppressed cells, and released records.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Sampling(FrameMethod):
    """Release a simple random sample of the records, drawn without replacement, in file order.

    Parameters
    ----------
    fraction : float
        Share of the records released, above 0 and at most 1; at least one record is. A tenth where nothing is given,
        as in IPUMS International's sample of the Irish census of 2011 (McCaa et al. 2014).

    Notes
    -----
    A sampled record keeps its original values, so a continuous attribute that an intruder knows still identifies it.

    Draws: R's sample.int(n, size).

    Seed: undoes it. Together with the order of the file it identifies the sampled records.

    References
    ----------
    Willenborg and de Waal (2001).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> len(pf.protect(frame, pf.Sampling(0.3), roles).frame)
    30
    """

    fraction: float = param(
        0.1,
        above=0,
        high=1,
        help="how many of the records to release; a tenth as in census samples of IPUMS International",
        unit="share of the records",
    )

    about = "a random sample of the records, as they are"
    source = "Willenborg and de Waal (2001)"
    undone_by_seed = True
    pairs = "never"

    def needs(self, dependent: tuple[str, ...]) -> tuple[str, ...]:
        """See Method.needs: none."""
        return ()

    def release(self, cells: Mapping[str, Any], n: int, stream: RStream, note: Reporter) -> FrameRelease:
        """See FrameMethod.release."""
        rows = np.sort(stream.sample_int(n, max(1, round(self.fraction * n))) - 1).astype(np.intp)
        wording = "{count} of {total} records {count:is released, with its|are released, with their} original values"
        note(Note.of("observed_values", wording, count=len(rows), total=n))
        return FrameRelease(rows=rows)
