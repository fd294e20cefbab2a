"""What the test `risk` counts beside attributable risk: groups of one value, and unknown columns that determine a confidential one."""

from dataclasses import replace

import numpy as np

from ...data import Frame, is_numeric
from ...types import Array
from ..columns import predictors
from ..risk.determined import Confidential, Determined, most_determined
from ..risk.homogeneity import Homogeneity, Target, homogeneity, is_function
from .examined_release import ExaminedRelease

MOST_TARGETS = 50  # columns that are examined after recoding, suppression and sampling


def disclosed_by_groups(release: ExaminedRelease) -> Homogeneity | None:
    """The column that groups of equal keys, or classes of one key, disclose most; None without keys or columns.

    Of columns that no method replaces or perturbs groups count: by the predictors, and by these with the coarsened columns. Of
    the others only classes of one key count, in which all have the same value.
    """
    found = list[Homogeneity]()
    for keys in _key_sets(release):
        codes = {name: release.protected.codes(name) for name in keys}
        for name in _targets(release):
            target = _target(release, name)
            others = [key for key in keys if key != name]
            # A column that a key determines in every class, as a region its stratum, is a coarser code of the key.
            if not others or any(is_function(target, codes[key]) for key in others):
                continue
            result = homogeneity(name, target, others, np.column_stack([codes[key] for key in others]))
            is_replaced = name in release.confidential and name not in release.coarsened
            found.append(replace(result, groups=0.0, expected=0.0) if is_replaced else result)
    return max(found, key=lambda each: each.beyond, default=None)


def _key_sets(release: ExaminedRelease) -> list[tuple[str, ...]]:
    """Columns that an intruder knows: the predictors, and these with the coarsened columns; of other methods those unchanged."""
    unknown = () if release.roles is None else release.roles.not_known
    if "keys" not in release.masks:
        columns = () if release.unmodified is None else release.unmodified.columns
        known = tuple(name for name in columns if name in release.protected.names and name not in release.confidential)
        return [known] if known else []
    of_predictors = tuple(
        name for name in release.predictors if name in release.protected.names and name not in unknown
    )
    coarsened = tuple(name for name in release.coarsened if name not in of_predictors)
    sets = [of_predictors]
    if coarsened:
        sets.append((*of_predictors, *coarsened))
    return [keys for keys in sets if keys]


def _targets(release: ExaminedRelease) -> list[str]:
    """The columns that may be disclosed: the confidential ones; where all of these are coarsened those without a role, too.

    Without predictors the coarsened columns are what an intruder knows.
    """
    finer = [name for name in release.confidential if name not in release.coarsened]
    if finer:
        return finer
    roles = release.roles
    assert roles is not None
    no_targets = {*release.predictors, *roles.ids, *roles.replicate_weights, release.weight, roles.weight, roles.time}
    if not release.predictors:
        no_targets |= {*release.coarsened}
    return [name for name in release.protected.names if name not in no_targets][:MOST_TARGETS]


def _target(release: ExaminedRelease, name: str) -> Target:
    """A released column."""
    protected = release.protected
    values = protected.values(name) if is_numeric(protected, name) else None
    return Target.of(protected.codes(name), values)


def determined_by_unknown(release: ExaminedRelease) -> Determined | None:
    """The confidential column that columns in `unknown` determine most, beyond the predictors; None where nothing is examined."""
    roles = release.roles
    rows = release.rows
    if roles is None or rows is None:
        return None
    names = [name for name in roles.unknown if name in release.protected.names]
    if not names or not release.confidential:
        return None
    old, new = rows
    U = np.column_stack([_as_numbers(release.protected, name)[new] for name in names])
    X, _ = predictors(release.original, release.predictors, old)
    confidential = [
        Confidential(name, _values(release, name)[old], is_category=name not in release.numbers)
        for name in release.confidential
    ]
    return most_determined(U, names, confidential, X)


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
        codes, levels = frame.distinct(name)
        place = np.argsort(np.argsort(np.array([str(level) for level in levels])))
        return np.where(codes < 0, -1.0, np.append(place, 0)[codes])
    values = frame.values(name)
    known = np.isfinite(values)
    below_all = values[known].min() - 1 if known.any() else 0.0
    return np.where(known, values, below_all)
