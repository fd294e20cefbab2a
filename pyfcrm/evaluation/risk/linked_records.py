"""Links of records of a release to their originals, record by record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...display import Result, View
from ...errors import Count
from ...linkage.nearest import groups
from ...types import Array, Mask

if TYPE_CHECKING:
    import pandas as pd

LINKED_SHARE = 0.5  # of a link: a record that is one of three equally good ones is not linked
COLUMNS = ("record", "dbrl", "prl", "distance", "other_distance")


@dataclass(frozen=True, repr=False)
class RecordsAtRisk(Result):
    """Links of each record to its original.

    Parameters
    ----------
    record : tuple
        The record's index label in the original, or its position from 0.
    dbrl, prl : ndarray, shape (n,)
        Links by distance-based and probabilistic linkage: 1 for a link, 1/t where the own record is one of t equally
        good ones, 0 for none.
    distance : ndarray, shape (n,)
        From the original to its own protected record, in standard deviations.
    other_distance : ndarray, shape (n,)
        From the original to the nearest other protected record, in standard deviations.
    agreement : str
        When two values agree for `prl`.
    notes : tuple of str
        Remarks on the linkage.
    prl_numeric : ndarray, shape (n,), optional
        Links as in `prl`, by probabilistic linkage of differences in ranks; None for files that are too long for it.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.IPSO("C"), roles)
    >>> risk = pf.records_at_risk(frame, released.frame, roles.dependent)
    >>> len(risk.to_frame()) <= len(frame)
    True
    """

    record: tuple[Any, ...]
    dbrl: Array
    prl: Array
    distance: Array
    other_distance: Array
    agreement: str
    notes: tuple[str, ...] = ()
    prl_numeric: Array | None = None

    @property
    def linkages(self) -> tuple[Array, ...]:
        """The links (n,) of each linkage that was made."""
        return (self.dbrl, self.prl) if self.prl_numeric is None else (self.dbrl, self.prl, self.prl_numeric)

    @property
    def linked(self) -> Mask:
        """Mask (n,) of the records that a linkage finds with a chance of at least one half, alone or as one of two."""
        return np.asarray(np.maximum.reduce(self.linkages) >= LINKED_SHARE)

    @property
    def expected(self) -> float:
        """Expected number of re-identifications: the sum of the shares, of the linkage that finds most."""
        return float(max(shares.sum() for shares in self.linkages))

    def to_frame(self, every: bool = False) -> pd.DataFrame:
        """The linked records, those that stand out most first.

        Parameters
        ----------
        every : bool
            Whether records that are not linked come too.

        Returns
        -------
        pandas.DataFrame
            Columns record, dbrl, prl, prl_numeric if it was made, distance, other_distance, and margin, other_distance less distance.
        """
        import pandas as pd

        frame = pd.DataFrame({name: getattr(self, name) for name in COLUMNS})
        if self.prl_numeric is not None:
            frame.insert(3, "prl_numeric", self.prl_numeric)
        frame["margin"] = self.other_distance - self.distance
        if not every:
            frame = frame[self.linked]
        return frame.sort_values(["dbrl", "margin"], ascending=False, kind="stable", ignore_index=True)

    def describe(self) -> str:
        """The numbers of linked records and of expected re-identifications.

        Returns
        -------
        str
            One sentence, without a full stop.
        """
        count = Count(self.linked.sum())
        return (
            f"{count:,} of {len(self.record):,} records {count:is|are} linked with a probability of at least one half, by distance, "
            f"differences in ranks or agreement ({self.agreement}); expected number of re-identifications: {self.expected:,.1f}"
        )

    def _view(self) -> View:
        frame = self.to_frame().head(60)
        return View(
            self.describe(),
            [name.replace("_", " ") for name in frame.columns],
            [(str(record), *values) for record, *values in frame.itertuples(index=False)],
            self.notes,
            total=int(self.linked.sum()),
        )


def _distances(X: Array, Z: Array) -> tuple[Array, Array]:
    """Distances (n,) of each original to its own record and to the nearest other one, infinite where there is none.

    X, Z : (n, p) in standard deviations, NaN for missing; a record is compared by the columns that it has.
    """
    from scipy.spatial import cKDTree

    own = np.sqrt(np.nansum((X - Z) ** 2, axis=1))
    other = np.zeros(len(X))
    for group in groups(X):
        A, B = group.of(X, Z)
        if B.shape[1]:
            tree: Any = cKDTree(B)
            distance, place = tree.query(A, k=2)  # the two nearest
            own_is_nearest = place[:, 0] == group.own
            other[group.rows] = np.where(own_is_nearest, distance[:, 1], distance[:, 0])
    return own, other
