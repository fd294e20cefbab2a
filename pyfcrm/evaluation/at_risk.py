"""records_at_risk(): which records of a release are linked to their originals, one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arguments import choice
from ..data.pairs import two_files
from ..data.source import open_data
from ..display import Shown, View, pictures
from ..errors import Note, lines
from ..linkage.agreement import AgreementInWidth, Exact, Tolerance
from ..linkage.nearest import nearest_share
from ..linkage.probabilistic import probabilistic_linkage
from ..measures.prl import MOST_RECORDS
from ..methods.donors import MANY, WIDE, donor_tree
from ..numerics.location import standardise
from ..progress import Course, Progress, run_cancellable, tell
from ..types import Array

if TYPE_CHECKING:
    import pandas as pd

RULE = Tolerance()
Result = TypeVar("Result")


@dataclass(frozen=True, repr=False)
class RecordsAtRisk(Shown):
    """How each record is linked to its original; every field but the last two is (n,).

    Parameters
    ----------
    record : tuple
        The record's index label in the original, or its position from 0.
    dbrl, prl : ndarray, shape (n,)
        What distance-based and probabilistic linkage find: 1 for a link, 1/t where the own record is one of t equally
        good ones, 0 for none.
    distance : ndarray, shape (n,)
        From the original to its own protected record, in standard deviations.
    other_distance : ndarray, shape (n,)
        From the original to the nearest other protected record, in standard deviations.
    agreement : str
        When two values agree for `prl`.
    notes : tuple of str
        What was met.
    """

    record: tuple[Any, ...]
    dbrl: Array
    prl: Array
    distance: Array
    other_distance: Array
    agreement: str
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", tuple(lines(self.notes)))

    @property
    def linked(self) -> NDArray[np.bool_]:
        """(n,): whether either kind of linkage finds the record, alone or among others."""
        return np.asarray((self.dbrl > 0) | (self.prl > 0))

    def to_frame(self, every: bool = False) -> pd.DataFrame:
        """The linked records, those that stand out most first.

        Parameters
        ----------
        every : bool
            Whether records that are not linked come too.

        Returns
        -------
        pandas.DataFrame
            Columns record, dbrl, prl, distance, other_distance, and margin, which is other_distance less distance.
        """
        import pandas as pd

        frame = pd.DataFrame(
            {
                "record": list(self.record),
                "dbrl": self.dbrl,
                "prl": self.prl,
                "distance": self.distance,
                "other_distance": self.other_distance,
                "margin": self.other_distance - self.distance,
            }
        )
        kept = frame if every else frame[self.linked]
        return kept.sort_values(["dbrl", "margin"], ascending=False, kind="stable", ignore_index=True)

    def _view(self) -> View:
        n, linked = len(self.record), int(self.linked.sum())
        frame = self.to_frame().head(60)
        found = [("by distance", self.dbrl), ("by agreement", self.prl)]
        drawn = [(name, float(share.mean()), None, f"{100 * float(share.mean()):.2f} %") for name, share in found]
        drawn.append(("by either", linked / max(n, 1), None, f"{100 * linked / max(n, 1):.2f} %"))
        return View(
            f"{linked:,} of {n:,} records are linked to their originals, by distance or by agreement ({self.agreement})",
            [name.replace("_", " ") for name in frame.columns],
            [(str(record), *values) for record, *values in frame.itertuples(index=False)],
            self.notes,
            lambda: pictures.bars(drawn, "the share of records that are linked"),
            total=linked,
        )


def records_at_risk(
    original: Any,
    protected: Any,
    columns: str | Iterable[str] | None = None,
    *,
    missing: str = "refuse",
    progress: Progress | None = None,
) -> RecordsAtRisk:
    """Identity disclosure record by record: the list an agency acts on.

    Parameters
    ----------
    original, protected : DataFrame, Table or path
        Frames, or paths of files, whose records pair, by a pandas index, else by position.
    columns : str or iterable of str, optional
        What the intruder knows; None for all numeric columns both have.
    missing : {"refuse", "complete"}
        With "complete" the records complete in both are looked at.
    progress : callable, optional
        Called with (done, of how many, what); where it raises (Cancelled), the work stops.

    Returns
    -------
    RecordsAtRisk
        By distance as in `dbrl`, by probabilistic linkage as in `prl_tolerance` (agreement within 0.1 sd), beyond 50 000
        records as in `prl` (exact agreement).

    Raises
    ------
    InvalidInput
        If the files cannot be compared, or their records do not pair.
    InvalidParameter
        If an argument breaks its rule.
    """
    owner = "records_at_risk"
    choice(owner, "missing", missing, ("refuse", "complete"))
    before, after = open_data(owner, original, whole=True), open_data(owner, protected, whole=True)
    both = two_files(owner, before, after, columns, missing, [owner])
    assert both.rows is not None  # two_files saw to it
    A, B = both.pair.arrays()
    X, Z = standardise(A), standardise(B)

    def told(done: int, what: str, work: Callable[[], Result]) -> Result:
        tell(progress, done, 3, what)
        return run_cancellable(work, progress, Course(what, done, 3))

    rule: AgreementInWidth = RULE if len(A) <= MOST_RECORDS else Exact()
    linkage = told(0, "probabilistic linkage", lambda: probabilistic_linkage(A, B, rule))
    nearest = told(1, "distance-based linkage", lambda: nearest_share(X, Z))
    other = told(2, "distances to other records", lambda: _other_distance(X, Z))
    tell(progress, 3, 3, "done")
    labels = before.index()
    record = both.rows[0].tolist() if labels is None else [labels[k] for k in both.rows[0].tolist()]
    own = np.sqrt(np.sum((X - Z) ** 2, axis=1))
    notes = (*before.notes, *after.notes, *both.notes)
    if not linkage.converged:
        notes += (Note.of("not_converged", "prl: EM had not converged"),)
    if rule is not RULE:
        wording = "prl: {agreement}; comparing every pair of more than {total} records takes long"
        notes += (Note.of("approximated", wording, total=MOST_RECORDS, agreement=rule.words),)
    return RecordsAtRisk(tuple(record), nearest, linkage.share, own, other, rule.words, notes)


def _other_distance(X: Array, Z: Array) -> Array:
    """(n,): from each original to the nearest protected record but its own; infinite where there is no other."""
    from scipy.spatial import cKDTree

    if len(Z) < 2:
        return np.full(len(X), np.inf)
    if len(Z) >= MANY and Z.shape[1] >= WIDE:
        distance, place = donor_tree(Z).nearest(X, 2)
        distance = np.linalg.norm(X[:, None] - Z[place], axis=2)
    else:
        tree: Any = cKDTree(Z)
        distance, place = tree.query(X, k=2)
    first_is_own = place[:, 0] == np.arange(len(X))
    return np.asarray(np.where(first_is_own, distance[:, 1], distance[:, 0]))
