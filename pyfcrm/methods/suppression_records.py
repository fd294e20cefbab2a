"""Which records lose all their keys, so that every group of equal keys is large, diverse and close enough."""

import numpy as np

from ..data.codes import MISSING, combinations
from ..numerics.group_conditions import Conditions, Target
from ..types import Codes, Mask


def emptied_records(codes: Codes, conditions: Conditions, targets: tuple[Target, ...]) -> Codes | None:
    """Codes (n, q) with all cells of some records set to -1; None where no group of all records satisfies the conditions.

    The records of the groups that fail are one group then. While that fails itself, the smallest of the other groups joins it.
    """
    groups = combinations(codes)
    weights = np.ones(len(codes))
    fails = conditions.failing(groups, weights, targets)
    sizes = np.bincount(groups)
    empty = fails | _of_empty_keys(codes, groups, fails)
    others = np.flatnonzero(~empty)
    for group in others[np.argsort(sizes[others], kind="stable")].tolist():
        if not _fails(empty[groups], conditions, targets):
            break
        empty[group] = True
    if _fails(empty[groups], conditions, targets):
        return None
    done = codes.copy()
    done[empty[groups]] = MISSING
    return done


def _of_empty_keys(codes: Codes, groups: Codes, fails: Mask) -> Mask:
    """Mask (g,) of the group all of whose keys are empty in the original, which emptied records join, if there are any."""
    found = np.zeros(len(fails), dtype=bool)
    if fails.any():
        found[groups[(codes == MISSING).all(axis=1)]] = True
    return found


def _fails(empty: Mask, conditions: Conditions, targets: tuple[Target, ...]) -> bool:
    """Whether the group of the records with empty keys, a mask (n,), fails the conditions."""
    if not empty.any():
        return False
    groups = np.where(empty, 0, 1)
    return bool(conditions.failing(groups, np.ones(len(empty)), targets)[0])
