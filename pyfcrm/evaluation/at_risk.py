"""records_at_risk(): which records of a release are linked to their originals, one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..data.pairs import Pair, two_files
from ..data.source import open_data
from ..display import Noted, View, pictures
from ..engine.threads import side_by_side
from ..errors import Count, InvalidInput, Note
from ..linkage.agreement import EXACT, WITHIN, Agreement
from ..linkage.informed import linked
from ..linkage.nearest import nearest_share
from ..linkage.probabilistic import probabilistic_linkage
from ..linkage.with_gaps import Group, groups
from ..measures.informed import MOST_RECORDS as MOST_INFORMED
from ..measures.prl import MOST_RECORDS
from ..methods import Method
from ..methods.donors import MANY, WIDE
from ..methods.method import require_method
from ..numerics.box_tree import box_tree
from ..numerics.location import standardise
from ..progress import Progress, report_progress
from ..types import Array, Index, Integers, Rows
from .gaps import gap_notes
from .knowledge import knowledge

if TYPE_CHECKING:
    import pandas as pd

RULE = WITHIN
LINKED_SHARE = 0.5  # of a link: a record that is one of three equally good ones is not linked
Result = TypeVar("Result")
NEARLY_TIED = 1e-9  # relative: distances that are looked at once more
PARTS = 32  # that the originals are cut into, for threads


@dataclass(frozen=True, repr=False)
class RecordsAtRisk(Noted):
    """How each record is linked to its original.

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
    informed : ndarray, shape (n,), optional
        Where the method was told: what the attack that finds most finds, linkage by distance among them, counted as `dbrl`.
    candidates : ndarray of int, shape (n,), optional
        Where an attack that knows the method was made: how many protected records it leaves as candidates.
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
        for name in ("informed", "candidates"):
            if getattr(self, name) is not None:
                frame[name] = getattr(self, name)
        kept = frame if every else frame[self.linked]
        return kept.sort_values(["dbrl", "margin"], ascending=False, kind="stable", ignore_index=True)

    def _view(self) -> View:
        n, linked = len(self.record), int(self.linked.sum())
        frame = self.to_frame().head(60)
        found = [("by distance", self.dbrl), ("by agreement", self.prl)]
        drawn = [(name, float(share.mean()), None, f"{100 * float(share.mean()):.2f} %") for name, share in found]
        drawn.append(("at least one half", linked / max(n, 1), None, f"{100 * linked / max(n, 1):.2f} %"))
        return View(
            how_many(self),
            [name.replace("_", " ") for name in frame.columns],
            [(str(record), *values) for record, *values in frame.itertuples(index=False)],
            self.notes,
            lambda: pictures.bars(drawn, "the share of records that are linked"),
            total=linked,
        )


def how_many(risk: RecordsAtRisk) -> str:
    """How many records are linked, by what agreement, and how many re-identifications are expected, in words."""
    many = Count(risk.linked.sum())
    found = f"{many:,} of {len(risk.record):,} records {many:is|are} linked to their originals with a chance of at least one half"
    expected = f"expected number of re-identifications: {risk.expected:,.1f}"
    informed = "" if risk.informed is None else ", or by an intruder who knows the method"
    return f"{found}, by distance or agreement ({risk.agreement}){informed}; {expected}"


def records_at_risk(
    original: Any,
    protected: Any,
    columns: str | Iterable[str] | None = None,
    *,
    progress: Progress | None = None,
    method: Method | None = None,
) -> RecordsAtRisk:
    """Identity disclosure record by record: the list an agency acts on.

    Parameters
    ----------
    original, protected : DataFrame, Table or path
        Frames, or paths of files, whose records pair, by a pandas index, else by position.
    columns : str or iterable of str, optional
        What the intruder knows; None for all numeric columns both have.
    progress : callable, optional
        Called with (done, of how many, what); where it raises (Cancelled), the work stops.
    method : Method, optional
        What made the release: adds what is linked by who knows it, as `linkage_informed`, with the numeric columns that are
        equal in both files and not among `columns`. Beyond 20 000 records that is the linkage by distance, and a note says so.

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
    if method is not None:
        require_method(owner, method, "RankSwapping(p=10)")
        if method.pairs == "never":
            raise InvalidInput(owner, "needs a method whose records pair with those that came in", str(method))
    before, after = open_data(owner, original, whole=True), open_data(owner, protected, whole=True)
    both = two_files(owner, before, after, columns, [owner])
    assert both.rows is not None  # two_files saw to it
    A, B = both.pair.arrays()
    X, Z, steps = standardise(A), standardise(B), 2 + (method is not None)

    def told(done: int, what: str, work: Callable[[], Result]) -> Result:
        report_progress(progress, done, steps, what)
        return work()

    rule: Agreement = RULE if len(A) <= MOST_RECORDS else EXACT
    linkage = told(0, "probabilistic linkage", lambda: probabilistic_linkage(A, B, rule))
    nearest, own, other = told(1, "distances to other records", lambda: _by_distance(groups(A), X, Z))
    informed, candidates = None, None
    if (known := knowledge(before, after, both, method, None)) is not None:
        pair = replace(both.pair, knowledge=known)
        informed, candidates = told(2, "linkage that knows the method", lambda: _informed(pair, nearest))
    report_progress(progress, steps, steps, "done")
    labels = before.index()
    record = both.rows[0].tolist() if labels is None else [labels[k] for k in both.rows[0].tolist()]
    said = _said(linkage.converged, rule, known is not None and len(A) > MOST_INFORMED)
    measures = ("dbrl", "prl") if known is None else ("dbrl", "prl", "linkage_informed")
    notes = (*before.notes, *after.notes, *gap_notes(both.pair, measures), *said)
    return RecordsAtRisk(tuple(record), nearest, linkage.share, own, other, rule.words, notes, informed, candidates)


def _said(converged: bool, rule: Agreement, uninformed: bool) -> Iterator[Note]:
    """What to know of the linkages. uninformed : whether the attack that knows the method was by distance, for its length."""
    if not converged:
        yield Note.of("not_converged", "prl: EM had not converged")
    if rule is not RULE:
        wording = (
            "prl: {agreement}; within a tolerance every pair of records must be compared, which takes long for more than "
            "{total} records: evaluate does so where prl_tolerance is asked for"
        )
        yield Note.of("approximated", wording, total=MOST_RECORDS, agreement=rule.words)
    if uninformed:
        wording = "informed: only by distance; an attack that knows the method takes up to {total} records"
        yield Note.of("approximated", wording, total=MOST_INFORMED)


def _informed(pair: Pair, nearest: Array) -> tuple[Array, Integers | None]:
    """(n,) shares of the attack that finds most, or `nearest`; how many candidates the best attack leaves, None without one.

    Incomplete records are not attacked: all records are candidates of theirs.
    """
    part, rows = pair.observed(), np.flatnonzero(~np.isnan(pair.arrays()[0]).any(axis=1))
    assert part.knowledge is not None
    X, (Y, Z) = part.knowledge.columns(), part.arrays()
    found = [linked(one.scores(X, Y, Z), len(Y)) for one in part.knowledge.attacks if len(rows)]
    if not found:
        return nearest, None
    best = max(found, key=lambda one: one.linked)
    share, candidates = nearest.copy(), np.full(len(nearest), len(nearest), dtype=np.int64)
    if best.share.mean() >= nearest[rows].mean():
        share[rows] = best.share
    candidates[rows] = best.candidates
    return share, candidates


def _by_distance(made: Iterable[Group], X: Array, Z: Array) -> tuple[Array, Array, Array]:
    """What each original earns by distance, see share_with_gaps, and its distances to the own and the nearest other record."""
    share, own, other = np.empty((3, len(X)))
    for group in made:
        A, B = group.of(X, Z)
        own[group.rows] = np.sqrt(np.sum((A - B[group.own]) ** 2, axis=1))
        other[group.rows] = _other_distance(A, B, group.own)
        share[group.rows] = _nearest(A, B, group.own, own[group.rows], other[group.rows])
    return share, own, other


def _nearest(X: Array, Z: Array, place: Rows, own: Array, other: Array) -> Array:
    """(n,) nearest_share(X, Z, place), where the distances to the own and to the nearest other record are known."""
    share, tied = np.where(own < other, 1.0, 0.0), np.flatnonzero(np.abs(own - other) <= NEARLY_TIED * own)
    if len(tied):
        share[tied] = nearest_share(X[tied], Z, place[tied])
    return share


def _other_distance(X: Array, Z: Array, own: Rows) -> Array:
    """(n,): from each original to the nearest protected record but its own; infinite where there is no other."""
    from scipy.spatial import cKDTree

    if len(Z) < 2 or not Z.shape[1]:
        return np.full(len(X), np.inf if len(Z) < 2 else 0.0)
    if len(X) == len(Z) >= MANY and Z.shape[1] >= WIDE:
        place = _two_nearest(X, Z)
        distance = np.linalg.norm(X[:, None] - Z[place], axis=2)
    else:
        tree: Any = cKDTree(Z)
        distance, place = tree.query(X, k=2)
    first_is_own = place[:, 0] == own
    return np.asarray(np.where(first_is_own, distance[:, 1], distance[:, 0]))


def _two_nearest(X: Array, Z: Array) -> Index:
    """(n, 2): the protected records nearest to each original. By principal axes, along which boxes of a tree are tight, and
    in the order of its leaves, which then are in the cache: an original is mostly near its own record."""
    axes = np.linalg.eigh(np.cov(Z, rowvar=False))[1][:, ::-1]
    A, tree = X @ axes, box_tree(Z @ axes)
    parts = np.array_split(tree.names[tree.names >= 0], PARTS)
    place = np.empty((len(X), 2), dtype=np.int64)

    def work(part: int) -> None:
        place[parts[part]] = tree.nearest(A[parts[part]], 2)[1]

    side_by_side(work, PARTS, len(X))
    return place
