"""Local suppression: single cells are left empty until every combination of keys is shared by k records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ..arguments import items, names, whole_number
from ..data.codes import MISSING, are_numbers, factorized, single_values
from ..data.roles import Roles
from ..errors import InvalidInput, InvalidParameter, Note, unknown_name
from ..numerics.group_conditions import TARGETS_RULE, Conditions, Target
from ..types import Array, Codes
from .facts import Facts
from .method import Method
from .parameter import param
from .suppression_levels import emptied_as_levels
from .suppression_records import emptied_records
from .work import CellRelease, CellWork, Run

MOST_KEYS = 62  # sets of them are the bits of a whole number
MOST_SETS = 10_000
SETS = "a number of keys, a list of such numbers, or a list of lists of key columns"
COLUMNS = "a column name or a list of them"
RANKS = "whole numbers from 1, one for each key; 1 is emptied last"


def _ranks(owner: str, name: str, value: object) -> tuple[int, ...]:
    """The importance of the keys, a rank for each. Raises InvalidParameter."""
    listed = items(value)
    if not listed:
        raise InvalidParameter(owner, name, f"must be {RANKS}", value)
    return tuple(whole_number(owner, name, rank, low=1) for rank in listed)


def _key_sets(owner: str, name: str, value: object) -> tuple[int, ...] | tuple[tuple[str, ...], ...]:
    """Sizes of sets of keys, or the sets themselves. Raises InvalidParameter."""
    listed = (value,) if isinstance(value, int | float) else items(value)
    if not listed or isinstance(value, str):
        raise InvalidParameter(owner, name, f"must be {SETS}", value)
    if all(isinstance(each, int | float) for each in listed):
        return tuple(whole_number(owner, name, size, low=1) for size in listed)
    return tuple(names(owner, name, each) for each in listed)


@dataclass(frozen=True)
class LocalSuppression(Method):
    """Leave cells of the key attributes empty until the file is k-anonymous on them.

    Parameters
    ----------
    k : int
        Every record shares its combination of key values with k records, itself included. The default is sdcMicro's.
    keys : str or iterable of str, optional
        The key attributes, of any type, most dispensable last; None takes the dependent columns.
    importance : iterable of int, optional
        A rank for each key, in their order; 1 is the most important. A record loses an important key only where its less
        important ones do not suffice. None: as few cells as possible.
    combinations : int, iterable of int, or iterable of lists of str, optional
        What an intruder may know together: any so many of the keys, or these sets of keys. None: all keys.
    missing : {"level", "wildcard"}
        An empty cell is a value of its own, the strict reading; or it agrees with anything, as in sdcMicro and in
        `pyfcrm.key_risk`, which empties far fewer cells.
    l : int, optional
        The least number of distinct values of each target in a group of equal keys.
    t : float, optional
        The largest earth mover's distance between a target's distribution in a group and in the file; of ranks for numbers.
    targets : str or iterable of str, optional
        The confidential columns of `l` and `t`, which stay unchanged; missing is a value.

    Notes
    -----
    Greedy: first come the records whose cells help most records for each cell. A last pass restores the cells that were
    not needed. A key with one value is never emptied. The time grows about as the number of records. With "wildcard" a
    record may keep values that nobody else has, because empty cells of others agree with it. `pyfcrm.key_risk` lists the
    sample uniques and their risk before suppression.

    With `l` or `t` the records of groups that fail lose all keys, as in ARX, and are one group that must not fail itself:
    while it does, the smallest other group joins it.

    Seed: discloses nothing, as nothing is drawn.

    References
    ----------
    Willenborg and de Waal (2001); Samarati and Sweeney (1998); Templ, Kowarik and Meindl (2015).

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
        requirement=COLUMNS,
        check=names,
        help="the key columns, of any type, most dispensable last; None takes the dependent ones",
    )
    importance: Any = param(None, requirement=RANKS, check=_ranks, help="a rank for each key; 1 is emptied last")
    combinations: Any = param(
        None, requirement=SETS, check=_key_sets, help="sets of keys that an intruder may know; None: all keys together"
    )
    missing: str = param(
        "level", words=("level", "wildcard"), help="an empty cell is a value of its own, or agrees with anything"
    )
    l: int | None = param(None, low=2, help="the least number of distinct values of each target in a group")  # noqa: E741 - the name of the literature
    t: float | None = param(None, above=0, high=1, help="the largest distance of a target's distribution in a group")
    targets: Any = param(
        None,
        kind="columns",
        requirement=COLUMNS,
        check=names,
        help="the confidential columns of l and t, which stay unchanged",
    )

    about = "cells left empty until every combination of keys is shared by k records"
    term = "local suppression"
    source = "Willenborg and de Waal (2001)"
    group = "coarsen"

    def work(self, roles: Roles, records: int | None) -> CellWork:
        """See Method.work."""
        keys, targets = self.keys or roles.dependent, self.targets or ()
        if (self.l is None and self.t is None) == bool(targets):
            raise InvalidParameter("LocalSuppression", "targets", TARGETS_RULE, list(targets))
        if set(keys) & set(targets):
            raise InvalidParameter("LocalSuppression", "targets", "must be no keys", list(targets))
        if targets and (self.importance, self.combinations, self.missing) != (None, None, "level"):
            rule = "must be left out with `importance`, `combinations` and `missing`: whole records are emptied"
            raise InvalidParameter("LocalSuppression", "targets", rule, list(targets))
        return CellWork(keys, self.release, takes="objects", read=targets)

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
        numbered = dict[str, Codes]()
        for name, values in columns.items():
            if name not in (self.targets or ()):
                with single_values("LocalSuppression", name):
                    numbered[name] = factorized(values)[0]
        codes = np.column_stack(list(numbered.values()))
        if n < self.k:
            raise InvalidInput("LocalSuppression", f"needs at least k = {self.k} records", n)
        if self.targets:
            suppressed = self._without_records(codes, [columns[name] for name in self.targets])
        else:
            suppressed = self._suppressed(codes, tuple(numbered), run)
        gaps = {}
        for name, before, after in zip(numbered, codes.T, suppressed.T, strict=True):
            gaps[name] = (after == MISSING) & (before != MISSING)
            wording = "{columns}: {count} of {total} cells {count:was|were} left empty"
            run.note(Note.of("suppressed", wording, [name], count=int(gaps[name].sum()), total=n))
        return CellRelease(gaps=gaps)

    def _without_records(self, codes: Codes, targets: Sequence[Any]) -> Codes:
        """Codes (n, q) of the keys where records of groups that fail have none. Raises InvalidInput."""
        conditions = Conditions(self.k, self.l, self.t)
        emptied = emptied_records(codes, conditions, tuple(map(_target, targets)))
        if emptied is None:
            raise InvalidInput("LocalSuppression", "needs targets of at least l values", f"l = {self.l}")
        return emptied

    def _suppressed(self, codes: Codes, keys: Sequence[str], run: Run) -> Codes:
        """Codes (n, q) of the keys with cells set to -1."""
        ranks = self._importance(keys)
        sets = self._sets(keys)
        if self.missing == "level":
            return emptied_as_levels(codes, self.k, sets, ranks)
        if len(keys) > MOST_KEYS:
            raise InvalidInput("LocalSuppression", f"takes at most {MOST_KEYS} keys; name fewer in `keys`", len(keys))
        from .suppression import emptied  # compiled

        return emptied(codes, self.k, sets, _costs(ranks), run.tracker.step)

    def _importance(self, keys: Sequence[str]) -> Codes:
        """The rank of each key (q,); all are 1 where none is given."""
        ranks = self.importance or (1,) * len(keys)
        if len(ranks) != len(keys):
            raise InvalidParameter("LocalSuppression", "importance", f"must be {RANKS}, here {len(keys)}", ranks)
        return np.array(ranks, dtype=np.int64)

    def _sets(self, keys: Sequence[str]) -> list[tuple[int, ...]]:
        """The sets of keys, as their positions, on each of which the release is k-anonymous."""
        positions = range(len(keys))
        sets = list[tuple[int, ...]]()
        for each in (len(keys),) if self.combinations is None else self.combinations:
            if isinstance(each, int):
                if each > len(keys):
                    rule = f"must be at most the number of keys, {len(keys)}"
                    raise InvalidParameter("LocalSuppression", "combinations", rule, each)
                sets += combinations(positions, each)
            else:
                for name in each:
                    if name not in keys:
                        raise unknown_name("LocalSuppression", "key", name, keys)
                sets.append(tuple(keys.index(name) for name in each))
        if len(sets) > MOST_SETS:
            rule = f"must give at most {MOST_SETS:,} sets of keys; take fewer keys or smaller sets"
            raise InvalidParameter("LocalSuppression", "combinations", rule, f"{len(sets):,} sets")
        return sets


def _target(values: Any) -> Target:
    """A target's codes: of numbers in their order; missing is the last value."""
    ordered = are_numbers(values)
    codes, levels = factorized(values, sort=ordered)
    return Target(np.where(codes == MISSING, len(levels), codes), ordered)


def _costs(ranks: Codes) -> Array:
    """The cost (q,) of emptying a cell of each key: of one rank equal, else more than of all less important keys together.

    Earlier keys cost a little more, so that of two equal choices the later key is emptied.
    """
    q = len(ranks)
    steps = np.unique(ranks, return_inverse=True)[1]  # 0 is the most important
    base: Array = float(q + 1) ** (steps.max() - steps)
    return base * (1 + 1e-6 * np.arange(q, 0, -1))
