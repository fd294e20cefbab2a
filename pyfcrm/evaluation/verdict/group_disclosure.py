"""What the test `risk` counts beside attributable risk: groups of one value, and other columns that determine a confidential one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np

from ...data import Frame, is_numeric
from ...numerics.location import evenly
from ...types import Array, Rows
from ..columns import predictors
from ..risk.determined import Confidential, Determined, follows_from, may_determine, most_determined
from ..risk.homogeneity import Homogeneity, Target, homogeneity, is_function
from ..systematic_sample import SAMPLE
from .examined_release import ExaminedRelease

MOST_TARGETS = 50  # columns that are examined after recoding, suppression and sampling


@dataclass(frozen=True)
class KeySet:
    """Columns that an intruder may know."""

    names: tuple[str, ...]
    """The columns."""
    only_classes: bool = False
    """Whether only classes of one of them count, not groups of equal records."""


def disclosed_by_groups(release: ExaminedRelease) -> Homogeneity | None:
    """The column that groups of equal keys, or classes of one key, disclose most; None without keys or columns.

    Of columns that no method replaces or perturbs groups count: by the predictors, and by these with the coarsened columns. Of
    the others only classes of one key count, in which all have the same value, and so of columns without a role.
    """
    targets = _targets(release)
    sets = _key_sets(release)
    if "keys" in release.masks and _finer(release):
        sets.append(KeySet(without_role(release), only_classes=True))
    return _most_disclosed(release, sets, targets)


def disclosed_without_roles(release: ExaminedRelease) -> Homogeneity | None:
    """The column without a role that classes of another one disclose most, after recoding, suppression and sampling alone.

    Nobody states that it is confidential, nor that an intruder knows the other.
    """
    if release.roles is None or release.masks != {"keys"} or _finer(release):
        return None
    return _most_disclosed(release, [KeySet(without_role(release), only_classes=True)], _targets(release))


def _most_disclosed(release: ExaminedRelease, sets: Iterable[KeySet], targets: Iterable[str]) -> Homogeneity | None:
    """The target that one of some sets of keys discloses most; None without keys or targets."""
    found = list[Homogeneity]()
    records = release.protected.records
    every_record = np.arange(records)
    some_records = evenly(records, SAMPLE)  # of pairs of columns without roles, which may be many
    codes_of = cache(release.protected.codes)
    for keys, name in product(sets, targets):
        rows = some_records if keys.only_classes else every_record
        target = _target(release, name, rows)
        others = [key for key in keys.names if key != name]
        # A column that a key determines in every class, as a region its stratum, is a coarser code of the key.
        determining = [key for key in others if is_function(target, codes_of(key)[rows])]
        if keys.only_classes:
            others = [key for key in others if key not in determining]
        elif determining:
            continue
        if not others:
            continue
        result = homogeneity(name, target, others, np.column_stack([codes_of(key)[rows] for key in others]))
        is_replaced = name in release.confidential and name not in release.coarsened
        only_classes = is_replaced or keys.only_classes
        found.append(replace(result, groups=0.0, expected=0.0) if only_classes else result)
    return max(found, key=lambda each: each.beyond, default=None)


def _key_sets(release: ExaminedRelease) -> list[KeySet]:
    """Columns that an intruder knows: the predictors, and these with the coarsened columns; of other methods those unchanged."""
    unknown = () if release.roles is None else release.roles.not_known
    if "keys" not in release.masks:
        columns = () if release.unmodified is None else release.unmodified.columns
        known = tuple(name for name in columns if name in release.protected.names and name not in release.confidential)
        return [KeySet(known)] if known else []
    of_predictors = tuple(
        name for name in release.predictors if name in release.protected.names and name not in unknown
    )
    coarsened = tuple(name for name in release.coarsened if name not in of_predictors)
    sets = [of_predictors]
    if coarsened:
        sets.append((*of_predictors, *coarsened))
    return [KeySet(keys) for keys in sets if keys]


def without_role(release: ExaminedRelease) -> tuple[str, ...]:
    """The columns that are released unchanged, or nearly, and have no role, of many the first."""
    roles = release.roles
    if roles is None or release.unmodified is None:
        return ()
    others = {*release.predictors, *roles.dependent, *roles.ids, *roles.replicate_weights, release.weight, roles.time}
    names = [name for name in release.unmodified.columns if name in release.protected.names and name not in others]
    return tuple(names[:MOST_TARGETS])


def _finer(release: ExaminedRelease) -> list[str]:
    """The confidential columns that no method coarsens."""
    return [name for name in release.confidential if name not in release.coarsened]


def _targets(release: ExaminedRelease) -> list[str]:
    """The columns that may be disclosed: the confidential ones; where all of these are coarsened those without a role, too.

    Without predictors the coarsened columns are what an intruder knows.
    """
    finer = _finer(release)
    if finer:
        return finer
    roles = release.roles
    assert roles is not None
    no_targets = {*release.predictors, *roles.ids, *roles.replicate_weights, release.weight, roles.weight, roles.time}
    if not release.predictors:
        no_targets |= {*release.coarsened}
    return [name for name in release.protected.names if name not in no_targets][:MOST_TARGETS]


def _target(release: ExaminedRelease, name: str, rows: Rows) -> Target:
    """A released column of some records."""
    protected = release.protected
    values = protected.values(name)[rows] if is_numeric(protected, name) else None
    return Target.of(protected.codes(name)[rows], values)


def determined_by_others(release: ExaminedRelease) -> Determined | None:
    """The confidential column that columns in `unknown`, or without a role, determine most beyond the predictors.

    None where nothing is examined. A column without a role is tried if its classes alone explain much, and it is no linear function
    of the predictors. It is a key variable, so that it determines nothing that is coarsened.
    """
    roles = release.roles
    rows = release.rows
    if roles is None or rows is None or not release.confidential:
        return None
    old, new = rows
    confidential = [
        Confidential(name, _values(release, name)[old], is_category=name not in release.numbers)
        for name in release.confidential
    ]
    finer = [column for column in confidential if column.name not in release.coarsened]
    unknown = {
        name: _as_numbers(release.protected, name)[new] for name in roles.unknown if name in release.protected.names
    }
    some = evenly(len(new), SAMPLE)
    others = dict[str, Array]()
    strata = release.request.options.strata or ()  # given to protect(), so that intruders are assumed to know them
    for name in without_role(release):
        if name in strata:
            continue
        values = _as_numbers(release.protected, name)[new]
        if any(may_determine(values[some], y.values[some], is_category=y.is_category) for y in finer):
            others[name] = values
    if not unknown and not others:
        return None
    X, _ = predictors(release.original, release.predictors, old)
    others = {name: values for name, values in others.items() if not follows_from(values[some], X[some])}
    found = [_determined(unknown, confidential, X)]
    if others:
        found.append(_determined(unknown | others, finer, X))
    return max((each for each in found if each is not None), key=lambda each: each.beyond, default=None)


def _determined(columns: Mapping[str, Array], confidential: Sequence[Confidential], X: Array) -> Determined | None:
    """The confidential column that some columns (n,) by name determine most beyond predictors X (n, s)."""
    if not columns:
        return None
    return most_determined(np.column_stack([*columns.values()]), [*columns], confidential, X)


def _values(release: ExaminedRelease, name: str) -> Array:
    """The original's numbers (n,), or codes of its levels, NaN for missing."""
    if name in release.numbers:
        values = release.original.values(name)
        return np.where(np.isfinite(values), values, np.nan)
    codes = release.original.codes(name).astype(float)
    return np.where(codes < 0, np.nan, codes)


def _as_numbers(frame: Frame, name: str) -> Array:
    """A released column's numbers (n,), or the places of its levels in alphabetical order; missing is below all."""
    if not is_numeric(frame, name):
        codes = frame.codes(name)  # also of lists and sets, which distinct() refuses
        present, first = np.unique(codes, return_index=True)
        levels = frame.cells(name)[first[present >= 0]]
        place = np.argsort(np.argsort(np.array([str(level) for level in levels])))
        return np.where(codes < 0, -1.0, np.append(place, 0)[codes])
    values = frame.values(name)
    known = np.isfinite(values)
    below_all = values[known].min() - 1 if known.any() else 0.0
    return np.where(known, values, below_all)
