"""records_at_risk(): the linkage of each record of a release to its original."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..data import Roles
from ..data.pairs import Pair, two_files
from ..data.roles import as_roles
from ..data.source import open_data
from ..display import Result, View, pictures
from ..errors import Count, InvalidInput, Note
from ..linkage.agreement import EXACT, WITHIN
from ..linkage.informed import linked
from ..linkage.nearest import Group, groups, nearest_share
from ..linkage.probabilistic import probabilistic_linkage
from ..measures.informed import MOST_RECORDS as MOST_INFORMED
from ..measures.prl import MOST_RECORDS
from ..methods import Method
from ..methods.method import require_method
from ..numerics.location import standardise
from ..progress import Progress, report_progress
from ..types import Array, Integers
from .judge import gap_notes, is_category, knowledge

if TYPE_CHECKING:
    import pandas as pd

LINKED_SHARE = 0.5  # of a link: a record that is one of three equally good ones is not linked
NEARLY_TIED = 1e-9  # relative: distances that are compared exactly
COLUMNS = ("dbrl", "prl", "distance", "other_distance")
BY_METHOD = ("informed", "candidates")
EXACT_ONLY = (
    "prl: {agreement}; within a tolerance every pair of records must be compared, which takes long for more than "
    "{total} records: evaluate does so where prl_tolerance is requested"
)
UNINFORMED = "informed: only by distance; an attack that knows the method takes up to {total} records"


@dataclass(frozen=True, repr=False)
class RecordsAtRisk(Result):
    """How each record is linked to its original.

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
    informed : ndarray, shape (n,), optional
        With a method: the shares of the attack that links most, linkage by distance among them, counted as `dbrl`.
    candidates : ndarray of int, shape (n,), optional
        With a method-aware attack: the number of protected records that it leaves as candidates.

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
    informed: Array | None = None
    candidates: Integers | None = None

    @property
    def linked(self) -> NDArray[np.bool_]:
        """(n,): whether any linkage finds the record with a chance of at least one half, alone or as one of two."""
        return np.asarray(np.max(self._shares, axis=0) >= LINKED_SHARE)

    @property
    def expected(self) -> float:
        """Expected number of re-identifications: the sum of the shares, of the linkage that finds most."""
        return max(float(share.sum()) for share in self._shares)

    @property
    def _shares(self) -> list[Array]:
        """The shares (n,) of each linkage."""
        return [self.dbrl, self.prl, *([] if self.informed is None else [self.informed])]

    def to_frame(self, every: bool = False) -> pd.DataFrame:
        """The linked records, those that stand out most first.

        Parameters
        ----------
        every : bool
            Whether records that are not linked come too.

        Returns
        -------
        pandas.DataFrame
            Columns record, dbrl, prl, distance, other_distance, and margin, which is other_distance less distance;
            informed and candidates where they are known.
        """
        import pandas as pd

        columns = {"record": list(self.record)} | {name: getattr(self, name) for name in COLUMNS}
        columns |= {"margin": self.other_distance - self.distance}
        columns |= {name: getattr(self, name) for name in BY_METHOD if getattr(self, name) is not None}
        frame = pd.DataFrame(columns)
        shown = frame if every else frame[self.linked]
        return shown.sort_values(["dbrl", "margin"], ascending=False, kind="stable", ignore_index=True)

    def describe(self) -> str:
        """The numbers of linked records and of expected re-identifications.

        Returns
        -------
        str
            One sentence, without a full stop.
        """
        count, more = (
            Count(self.linked.sum()),
            "" if self.informed is None else ", or by an intruder who knows the method",
        )
        return (
            f"{count:,} of {len(self.record):,} records {count:is|are} linked to their originals with a chance of at least "
            f"one half, by distance or agreement ({self.agreement}){more}; "
            f"expected number of re-identifications: {self.expected:,.1f}"
        )

    def _view(self) -> View:
        n, linked = max(len(self.record), 1), int(self.linked.sum())
        frame = self.to_frame().head(60)
        shares = {"by distance": self.dbrl.mean(), "by agreement": self.prl.mean(), "at least one half": linked / n}
        drawn = [(name, float(share), None, f"{100 * float(share):.2f} %") for name, share in shares.items()]
        return View(
            self.describe(),
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
    progress: Progress | None = None,
    method: Method | None = None,
    roles: Roles | None = None,
) -> RecordsAtRisk:
    """Identity disclosure record by record: the list an agency acts on.

    Parameters
    ----------
    original, protected : DataFrame, Table or path
        Frames, or paths of files, whose records pair, by a pandas index, else by position.
    columns : str or iterable of str, optional
        What the intruder knows; None for the numeric dependent columns of `roles`, or all numeric columns both have.
    progress : callable, optional
        Called with (done, of how many, what); where it raises (Cancelled), the work stops.
    method : Method, optional
        The method of the release: adds method-aware linkage, as `linkage_informed`, with the numeric columns that are
        equal in both files and not among `columns`. Beyond 20 000 records that is the linkage by distance, and a note says so.
    roles : Roles, optional
        The roles of the columns.

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

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.IPSO("C"), roles)
    >>> found = pf.records_at_risk(frame, released.frame, roles=roles).to_frame()
    >>> len(found) <= len(frame)
    True
    """
    owner = "records_at_risk"
    if method is not None:
        require_method(owner, method, "RankSwapping(p=10)")
        if method.pairs == "never":
            raise InvalidInput(owner, "needs a method whose records pair with those that came in", str(method))
    original, protected = open_data(owner, original, whole=True), open_data(owner, protected, whole=True)
    if columns is None and roles is not None:
        columns = [name for name in as_roles(owner, roles).dependent if not is_category(original, protected, name)]
    files = two_files(owner, original, protected, columns, [owner])
    assert files.rows is not None  # two_files saw to it
    A, B = files.pair.arrays()
    steps, rule = 2 + (method is not None), WITHIN if len(A) <= MOST_RECORDS else EXACT
    report_progress(progress, 0, steps, "probabilistic linkage")
    linkage = probabilistic_linkage(A, B, rule)
    report_progress(progress, 1, steps, "distances to other records")
    nearest, own, other = _by_distance(groups(A), standardise(A), standardise(B))
    informed = candidates = None
    if (known := knowledge(original, protected, files, method, None)) is not None:
        report_progress(progress, 2, steps, "linkage that knows the method")
        informed, candidates = _informed(replace(files.pair, knowledge=known), nearest)
    report_progress(progress, steps, steps, "done")
    labels = original.index()
    record = files.rows[0].tolist() if labels is None else [labels[k] for k in files.rows[0].tolist()]
    measures = ("dbrl", "prl") if known is None else ("dbrl", "prl", "linkage_informed")
    notes = [*original.notes, *protected.notes, *gap_notes(files.pair, measures)]
    if not linkage.converged:
        notes.append(Note.of("not_converged", "prl: EM had not converged"))
    if rule is not WITHIN:
        notes.append(Note.of("approximated", EXACT_ONLY, total=MOST_RECORDS, agreement=rule.words))
    if known is not None and len(A) > MOST_INFORMED:
        notes.append(Note.of("approximated", UNINFORMED, total=MOST_INFORMED))
    return RecordsAtRisk(
        tuple(record), nearest, linkage.share, own, other, rule.words, tuple(notes), informed, candidates
    )


def _informed(pair: Pair, nearest: Array) -> tuple[Array, Integers | None]:
    """(n,) shares of the attack that links most, or `nearest`; how many candidates it leaves, None without an attack.

    Incomplete records are not attacked: all records are candidates of theirs.
    """
    part, rows = pair.observed(), np.flatnonzero(~np.isnan(pair.arrays()[0]).any(axis=1))
    assert part.knowledge is not None
    X, (Y, Z) = part.knowledge.columns(), part.arrays()
    links = [linked(attack.scores(X, Y, Z), len(Y)) for attack in part.knowledge.attacks if len(rows)]
    if not links:
        return nearest, None
    best = max(links, key=lambda link: link.linked)
    share, candidates = nearest.copy(), np.full(len(nearest), len(nearest), dtype=np.int64)
    if best.share.mean() >= nearest[rows].mean():
        share[rows] = best.share
    candidates[rows] = best.candidates
    return share, candidates


def _by_distance(groups: Iterable[Group], X: Array, Z: Array) -> tuple[Array, Array, Array]:
    """The share of each original by distance, see share_with_gaps, and its distances to the own and the nearest other record.

    Where there is no other record its distance is infinite.
    """
    from scipy.spatial import cKDTree

    share, own, other = np.empty((3, len(X)))
    for group in groups:
        (A, B), rows, at = group.of(X, Z), group.rows, group.own
        own[rows], other[rows] = np.sqrt(np.sum((A - B[at]) ** 2, axis=1)), np.inf if len(B) < 2 else 0.0
        if len(B) > 1 and B.shape[1]:
            tree: Any = cKDTree(B)
            distance, place = tree.query(A, k=2)
            other[rows] = np.where(place[:, 0] == at, distance[:, 1], distance[:, 0])
        share[rows] = own[rows] < other[rows]
        tied = np.flatnonzero(np.abs(own[rows] - other[rows]) <= NEARLY_TIED * own[rows])
        if len(tied):
            share[rows[tied]] = nearest_share(A[tied], B, at[tied])
    return share, own, other
