"""Categories drawn after the numbers, with as many of each frequent level in each class and sampling unit as the original lets expect."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..numerics.location import location, scores
from ..numerics.sorting import normal_scores
from ..numerics.unit_effects import level_indicators
from ..rstream import RStream
from ..types import Array, Integers
from .semicontinuous import balanced_logits, levels_of
from .sequential import LEAF, Sequential, with_pool

LARGEST_LOGIT = 8.0  # of a level in a leaf where all originals have it, or none


def draw_balanced_categories(
    X: Array, Y: Array, Z: Array, categories: Sequence[int], *, effects: Sequence[tuple[int, int]], stream: RStream
) -> None:
    """Fill the columns `categories` of a release Z (n, t), whose other columns are released already.

    Each level has its share in the leaf of a tree, given X (n, s) but the effects, the numbers and the earlier categories. Its log odds
    are moved by a logistic regression on these and on the effects of sampling units on the level: the records expected to have it have
    the original ones' sums of these columns. As many have it as in the original. Levels that are not frequent are drawn from the leaves.
    effects : positions in X of the effects of sampling units, each with that of its column of Y (n, t).
    Draws: for each category n uniforms a frequent level, then n.
    Source: order sampling, Rosén (1997).
    """
    trees = Sequential(min_leaf=LEAF)
    numbers = [j for j in range(Y.shape[1]) if j not in categories]
    given = np.delete(X, [j for j, _ in effects], axis=1)
    original = [given, normal_scores(Y[:, numbers])]
    released = [given, normal_scores(Z[:, numbers])]
    done = [*numbers]
    for c in categories:
        y = Y[:, c]
        leaves = trees.leaves_given(given, Y[:, done], Z[:, done], [j in categories for j in done], y)
        own = X[:, [j for j, of in effects if of == c]]
        Z[:, c] = _drawn(y, np.hstack([*original, own]), np.hstack([*released, own]), leaves, stream)
        original.append(levels_of(y, y)[:, 1:].astype(np.float64))
        released.append(levels_of(y, Z[:, c])[:, 1:].astype(np.float64))
        done.append(c)


def _drawn(y: Array, original: Array, released: Array, leaves: tuple[Integers, Integers], stream: RStream) -> Array:
    """Positions of levels (n,), given columns (n, q) of the originals and of the released records, and the leaves of both."""
    where = location(original)
    F = scores(original, where)
    G = scores(released, where)
    of_original, of_released = leaves
    z = np.full(len(y), np.nan)
    left = np.ones(len(y), dtype=bool)  # originals of no level so far
    for level, indicator in level_indicators(y):
        open_records = np.isnan(z)
        u = stream.runif(len(y))
        member = indicator == 1
        share = _shares(member[left], of_original[left], of_released[open_records])
        with np.errstate(divide="ignore"):
            offset = np.clip(np.log(share) - np.log1p(-share), -LARGEST_LOGIT, LARGEST_LOGIT)
        logits = balanced_logits(F[left], member[left], G[open_records], offset)
        place = np.log(u / (1 - u))[open_records] - logits
        first = np.argsort(place, kind="stable")[: int(member.sum())]
        z[np.flatnonzero(open_records)[first]] = level
        left &= ~member
    open_records = np.isnan(z)
    u = stream.runif(len(y))
    if open_records.any():
        z[open_records] = _from_leaves(y[left], of_original[left], of_released[open_records], u[open_records])
    return z


def _shares(member: Array, original: Integers, released: Integers) -> Array:
    """The share (m,) of members among the originals (n,) of each released record's leaf; that of all where the leaf has none."""
    size = np.bincount(original, minlength=int(released.max(initial=0)) + 1)
    members = np.bincount(original, member, minlength=len(size))
    overall = float(member.mean()) if len(member) else 0.0
    return np.where(size > 0, members / np.maximum(size, 1), overall)[released]


def _from_leaves(y: Array, original: Integers, released: Integers, u: Array) -> Array:
    """Positions of levels (m,) from the leaves, and from all originals where a leaf has none of these levels."""
    z = y[np.floor(u * len(y)).astype(np.int64)]
    known = np.isin(released, original)
    if known.any():
        z[known] = with_pool(y, original, released[known], u[known])
    return z
