"""Keys and targets of two files: what an intruder knows of a record, and what that intruder wants to learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..types import Array, Codes
from .check import is_numeric
from .codes import MISSING
from .frame import Frame
from .pairs import key_codes


@dataclass(frozen=True)
class Attribute:
    """One column of an original and of its release, coded jointly.

    Parameters
    ----------
    name : str
        The column.
    before, after : ndarray of int, shapes (n,) and (N,)
        Codes: equal values have equal codes in both; -1 is missing.
    numbers : pair of ndarray, optional
        The same cells as numbers, NaN for missing; None where one of the two columns holds no numbers.
    """

    name: str
    before: Codes
    after: Codes
    numbers: tuple[Array, Array] | None = None

    def grouped(self, groups: int | None) -> Attribute:
        """Numbers in `groups` classes between quantiles of the original; as it is with None, or with no more values.

        A value that is a quantile belongs to the class below it, so that a heap of equal values is one class.
        """
        if groups is None or self.numbers is None:
            return self
        x, z = self.numbers
        known = x[~np.isnan(x)]
        if len(np.unique(known)) <= groups:
            return self
        cuts = np.unique(np.quantile(known, np.arange(1, groups) / groups, method="inverted_cdf"))
        codes = [np.where(np.isnan(v), MISSING, np.searchsorted(cuts, v)).astype(np.int64) for v in (x, z)]
        return replace(self, before=codes[0], after=codes[1])


@dataclass(frozen=True)
class KeysAndTargets:
    """The key attributes and the targets of two files; targets come with their classes (see Attribute.grouped)."""

    keys: tuple[Attribute, ...]
    targets: tuple[Attribute, ...] = ()

    @property
    def codes(self) -> tuple[Codes, Codes]:
        """The keys as (n, q) and (N, q)."""
        return _beside([key.before for key in self.keys]), _beside([key.after for key in self.keys])

    def combinations(self) -> tuple[Codes, Codes]:
        """(n,) and (N,): the combination of keys of each record, from 0; a missing value is a value of its own."""
        K, L = self.codes
        _, places = np.unique(np.vstack([K, L]), axis=0, return_inverse=True)
        places = places.reshape(-1).astype(np.int64)
        return places[: len(K)], places[len(K) :]


def keys_and_targets(
    before: Frame,
    after: Frame,
    keys: Sequence[str],
    targets: Sequence[str] = (),
    *,
    key_groups: int | None = None,
    target_groups: int | None = None,
) -> KeysAndTargets:
    """The columns of two opened frames. Raises InvalidInput for one that either does not have, or of lists and the like."""
    K = tuple(one.grouped(key_groups) for one in _attributes(before, after, keys))
    return KeysAndTargets(K, tuple(one.grouped(target_groups) for one in _attributes(before, after, targets)))


def _attributes(before: Frame, after: Frame, wanted: Sequence[str]) -> list[Attribute]:
    if not wanted:
        return []
    K, L = key_codes("evaluate", before, after, wanted)
    return [Attribute(name, K[:, j], L[:, j], _numbers(before, after, name)) for j, name in enumerate(wanted)]


def _numbers(before: Frame, after: Frame, name: str) -> tuple[Array, Array] | None:
    if not (is_numeric(before, name) and is_numeric(after, name)):
        return None
    return before.values(name), after.values(name)


def _beside(columns: list[Codes]) -> Codes:
    return np.column_stack(columns) if columns else np.empty((0, 0), dtype=np.int64)
