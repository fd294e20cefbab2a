"""records_at_risk(): the linkage of each record of a release to its original."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from ..data import Roles
from ..data.pairs import two_files
from ..data.roles import as_roles
from ..data.variable import Variable
from ..engine import Local
from ..errors import Note
from ..linkage.agreement import EXACT, WITHIN
from ..linkage.linker import Linker
from ..measures.prl import MOST_RECORDS
from ..numerics.location import standardise
from ..progress import Progress, report_progress, within
from .columns import is_category
from .encoded_files import opened_files
from .measuring import gap_notes
from .risk.linked_records import RecordsAtRisk, _distances

EXACT_ONLY = (
    "prl: {agreement}. Agreement within a tolerance compares all pairs, which takes long above {total} records; "
    "evaluate computes it if prl_tolerance is requested"
)


def records_at_risk(
    original: Any,
    protected: Any,
    columns: str | Iterable[str] | None = None,
    *,
    progress: Progress | None = None,
    roles: Roles | None = None,
    variables: Mapping[str, Variable] | Literal["numbers"] | None = None,
) -> RecordsAtRisk:
    """Identity disclosure record by record: the list an agency acts on.

    Parameters
    ----------
    original, protected : DataFrame, Table, path or Protected
        Frames, or paths of files, whose records pair as in `evaluate`.
    columns : str or iterable of str, optional
        What the intruder knows; None for the numeric dependent columns of `roles`, or all numeric columns both have.
    progress : callable, optional
        Called with (done, of how many, what); where it raises (Cancelled), the work stops.
    roles : Roles, optional
        The roles of the columns.
    variables : mapping or "numbers", optional
        What columns of the original may contain, a Variable by name; the rest is inferred, as `describe` shows. Codes of missing values
        are gaps, dates are days. "numbers" takes numeric columns as they are. None: as the result of `protect` has it.

    Returns
    -------
    RecordsAtRisk
        By distance as in `dbrl`, by probabilistic linkage as in `prl_numeric` and as in `prl_tolerance` (agreement within
        0.1 sd), beyond 50 000 records only as in `prl` (exact agreement).

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
    original, protected = opened_files(owner, original, protected, variables)
    if columns is None and roles is not None:
        columns = [name for name in as_roles(owner, roles).dependent if not is_category(original, protected, name)]
    pair = two_files(owner, original, protected, columns, [owner])
    assert pair.places is not None  # two_files saw to it
    A, B = pair.arrays()
    rule = WITHIN if len(A) <= MOST_RECORDS else EXACT
    report_progress(progress, 0, 2, "probabilistic linkage")
    linker = Linker(pair, Local())
    linkage = linker.probabilistic(rule)
    by_ranks = None
    if rule is WITHIN:
        from ..linkage.numeric import numeric_linkage

        by_ranks = numeric_linkage(A, B).shares(within(progress, 0, 2))
    report_progress(progress, 1, 2, "distances to other records")
    own, other = _distances(standardise(A), standardise(B))
    report_progress(progress, 2, 2, "done")
    labels = original.index()
    record = pair.places[0] if labels is None else labels[pair.places[0]]
    notes = [*original.notes, *protected.notes, *gap_notes(pair, ("dbrl", "prl"))]
    if not linkage.converged:
        notes.append(Note.of("not_converged", "prl: EM had not converged"))
    if rule is not WITHIN:
        notes.append(Note.of("approximated", EXACT_ONLY, total=MOST_RECORDS, agreement=rule.words))
    return RecordsAtRisk(
        record=tuple(record.tolist()),
        dbrl=linker.nearest().share,
        prl=linkage.share,
        prl_numeric=by_ranks,
        distance=own,
        other_distance=other,
        agreement=rule.words,
        notes=tuple(notes),
    )
