"""Keys and targets of two files: the columns that an intruder knows of a record, and those to be learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..types import Array, Codes
from .check import is_numeric
from .codes import MISSING, combinations
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
        The same cells as numbers, NaN for missing; None where one of the two columns is not numeric.
    """

    name: str
    before: Codes
    after: Codes
    numbers: tuple[Array, Array] | None = None

    def grouped(self, groups: int | None) -> Attribute:
        """Numbers in `groups` classes between quantiles of the original; as it is with None, or with no more values.

        A value that is a quantile belongs to the class below it, so that a point mass is one class.
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
class KeyCodes:
    """Codes of some key variables in an original and in its release; their records need not pair.

    Parameters
    ----------
    K, L : ndarray of int, shapes (n, q) and (N, q)
        Of the original and of the release: equal values have equal codes in both; -1 is missing.
    names : tuple of str
        The variables; none for numbers from 1.
    judged : int, optional
        How many of the first variables are judged, the others being context; None for all.
    """

    K: Codes
    L: Codes
    names: tuple[str, ...] = ()
    judged: int | None = None


@dataclass(frozen=True)
class KeysAndTargets:
    """The key attributes and the targets of two files; targets come with their classes (see Attribute.grouped)."""

    keys: tuple[Attribute, ...]
    targets: tuple[Attribute, ...] = ()

    @property
    def codes(self) -> tuple[Codes, Codes]:
        """The keys as (n, q) and (N, q)."""
        none = np.empty((0, 0), dtype=np.int64)
        K, L = [key.before for key in self.keys], [key.after for key in self.keys]
        return (np.column_stack(K), np.column_stack(L)) if self.keys else (none, none)

    def combinations(self) -> tuple[Codes, Codes]:
        """Combinations (n,) and (N,) of keys of each record, from 0; a missing value is a value of its own."""
        K, L = self.codes
        places = combinations(np.vstack([K, L]))
        return places[: len(K)], places[len(K) :]


def attributes_of(original: Frame, protected: Frame, names: Sequence[str], groups: int | None) -> tuple[Attribute, ...]:
    """Columns of two opened frames, coded jointly, numbers in `groups` classes.

    Raises InvalidInput for a column that is not in both, or of lists and the like.
    """
    K, L = key_codes("evaluate", original, protected, names)
    attributes = []
    for j, name in enumerate(names):
        numeric = is_numeric(original, name) and is_numeric(protected, name)
        numbers = (original.values(name), protected.values(name)) if numeric else None
        attributes.append(Attribute(name, K[:, j], L[:, j], numbers).grouped(groups))
    return tuple(attributes)
