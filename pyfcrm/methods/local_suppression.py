"""Local suppression: single cells are left empty until every combination of keys is shared by k records."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import names
from ..data.codes import MISSING, combinations, factorized, single_values
from ..data.roles import Roles
from ..errors import InvalidInput, Note
from ..types import Codes, Mask, Rows
from .facts import Facts
from .method import Method
from .parameter import param
from .work import CellRelease, CellWork, Run


@dataclass(frozen=True)
class LocalSuppression(Method):
    """Leave cells of the key attributes empty until the file is k-anonymous on them.

    Parameters
    ----------
    k : int
        Every combination of key values, an empty cell counting as a value of its own, stands in at least k records. The
        default is sdcMicro's.
    keys : str or iterable of str, optional
        The key attributes, of any type, most dispensable last; None takes the dependent columns.

    Notes
    -----
    Greedy: of the records in small groups, the key is emptied that brings most of them into large ones. That an empty
    cell is its own value is the strict reading: with the lenient one, where it matches anything, the file is
    k-anonymous too. `pyfcrm.key_risk` lists the sample uniques and their risk before suppression.

    Seed: discloses nothing, as nothing is drawn.

    References
    ----------
    Willenborg and de Waal (2001); Samarati and Sweeney (1998).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.survey(100)
    >>> roles = pf.Roles(dependent=["region", "age"], identifiers="name")
    >>> released = pf.protect(frame, pf.LocalSuppression(3), roles, missing="protect")
    >>> pf.evaluate(frame, released.frame, measures="k_anonymity", keys=["region", "age"])["k_anonymity"] >= 3
    True
    """

    k: int = param(2, low=2, help="how many records must share each combination of keys", unit="records")
    keys: Any = param(
        None,
        kind="columns",
        requirement="a column name or a list of them",
        check=names,
        help="the key columns, of any type, most dispensable last; None takes the dependent ones",
    )

    about = "cells left empty until every combination of keys is shared by k records"
    term = "local suppression"
    source = "Willenborg and de Waal (2001)"
    group = "coarsen"

    def work(self, roles: Roles, records: int | None) -> CellWork:
        """See Method.work."""
        return CellWork(self.keys or roles.dependent, self.release, takes="objects")

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        return Facts(
            masks="keys",
            pairs="always",
            keeps="",
            averages=False,
            reissues_values=True,
            undone_by_seed=False,
            weak_generator=False,
            deniable=False,
            privacy=None,
            swaps=False,
            attacks=(),
            seed_probe="release",
        )

    def release(self, columns: Mapping[str, Any], n: int, run: Run) -> CellRelease:
        """See CellWork.release."""
        numbered = []
        for name, values in columns.items():
            with single_values("LocalSuppression", name):
                numbered.append(factorized(values)[0])
        codes = np.column_stack(numbered)
        suppressed = suppress(codes, self.k)
        gaps = {}
        for name, before, after in zip(columns, codes.T, suppressed.T, strict=True):
            gaps[name] = (after == MISSING) & (before != MISSING)
            wording = "{columns}: {count} of {total} cells {count:was|were} left empty"
            run.note(Note.of("suppressed", wording, [name], count=int(gaps[name].sum()), total=n))
        return CellRelease(gaps=gaps)


def suppress(codes: Codes, k: int) -> Codes:
    """Codes (n, q) with cells set to -1 until every row stands at least k times. Raises InvalidInput for n < k."""
    if len(codes) < k:
        raise InvalidInput("LocalSuppression", f"needs at least k = {k} records", len(codes))
    codes = codes.copy()
    while True:
        small = group_sizes(codes) < k
        open_keys = np.flatnonzero((codes[small] != MISSING).any(axis=0))
        if not open_keys.size:
            break
        codes[small, _best_key(codes, small, open_keys, k)] = MISSING
    return _fill_empty_group(codes, k)


def group_sizes(codes: Codes) -> Codes:
    """Numbers (n,) of records that share each record's combination of codes (n, q)."""
    numbers = combinations(codes)
    return np.bincount(numbers)[numbers]


def _best_key(codes: Codes, small: Mask, open_keys: Rows, k: int) -> int:
    """The key whose emptying in the small groups leaves fewest records in small groups; the later one on a tie."""

    def remaining(j: int) -> int:
        trial = codes.copy()
        trial[small, j] = MISSING
        return int((group_sizes(trial) < k).sum())

    return min(open_keys[::-1].tolist(), key=remaining)


def _fill_empty_group(codes: Codes, k: int) -> Codes:
    """Suppress further cells: where fewer than k records have every key empty, records of the largest groups join them."""
    empty = (codes == MISSING).all(axis=1)
    while 0 < empty.sum() < k:
        largest = int(np.argmax(np.where(empty, 0, group_sizes(codes))))
        group = np.flatnonzero((codes == codes[largest]).all(axis=1))
        lacking = k - int(empty.sum())
        empty[group[-lacking:] if len(group) - k >= lacking else group] = True
        codes[empty] = MISSING
    return codes
