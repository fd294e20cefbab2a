"""Homogeneity: records whose group of equal keys, or whose class of one key, has a single confidential value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...data.codes import combinations, factorized
from ...types import Array, Codes, Mask

MASS = 0.05  # share of the records above which a number is a point mass
FEW_VALUES = 20  # of a number, up to which its values are levels
RANGE = 0.1  # of the median: numbers that differ by less are one value to an intruder
LEAST_CLASS = 10  # records of a class of one key, below which equal values may be chance
MINORITY = 0.5  # share of the file that has the value of such a class
CELLS = 5_000_000  # of groups by values, computed at once
OFFSET = 1e6  # added to the classes of numbers


@dataclass(frozen=True, kw_only=True)
class Homogeneity:
    """The disclosure of one confidential column by groups of equal keys."""

    column: str
    """The column."""
    groups: float
    """Per cent of the records in groups of at least two whose values are all equal, or nearly, and not usual in the file."""
    expected: float
    """The same under a model of the value given the keys one by one."""
    classes: float
    """Per cent of the records in classes of one key in which all have a value that less than half of the file has."""
    class_key: str
    """The key with the largest such class; empty where there is none."""
    least_values: int
    """l: the smallest number of different values in a group of at least two; 0 without groups."""
    distance: float
    """t: the largest distance between the values of such a group and those of the file, from 0 to 1."""

    @property
    def beyond(self) -> float:
        """The disclosure in percentage points: the larger of both kinds."""
        return max(self.groups - self.expected, self.classes, 0.0)


@dataclass(frozen=True)
class Target:
    """A confidential column of a release."""

    codes: Codes
    """(n,) its values as codes, those of numbers with many values as wide classes; -1 is missing."""
    numbers: Array | None
    """(n,) the values of a number with many values; None for levels."""
    usual: Mask
    """(n,) whether a value is the file's commonest, or a point mass."""

    @classmethod
    def of(cls, codes: Codes, numbers: Array | None) -> Target:
        """The column with some codes (n,), and its numbers (n,) where it is one."""
        counts = np.bincount(codes + 1, minlength=2)[1:]  # records of each value
        commonest = codes == int(counts.argmax())
        if numbers is None or len(counts) <= FEW_VALUES:
            return cls(codes, None, commonest)
        share = np.append(counts, 0)[codes] / len(codes)  # code -1, the last, is missing
        usual = share > MASS
        # Classes of log |y|. Two values within 10 per cent of each other are as likely as two in a class twice as wide.
        size = np.abs(numbers)
        width = np.log1p(2 * RANGE)
        classes = np.floor(np.log(np.where(size > 0, size, 1.0)) / width)
        # One number for a class and a sign: all classes are above -OFFSET, so that each has the sign of its values; 0 is 0.
        signed = np.sign(numbers) * (OFFSET + classes)
        wide_classes, _ = factorized(np.where(np.isnan(numbers), np.nan, signed))
        return cls(codes=wide_classes, numbers=numbers, usual=usual)


def homogeneity(column: str, target: Target, key_names: Sequence[str], K: Codes) -> Homogeneity:
    """The disclosure of a column by keys K (n, q), by their combinations and one by one."""
    group = combinations(K)
    n = len(group)
    sizes = np.bincount(group)
    uniform = _uniform(target, group, len(sizes)) & (sizes >= 2)
    disclosed = uniform[group] & ~target.usual & (target.codes >= 0)
    classes, class_key = _classes(target, key_names, K)
    least, distance = _diversity(target.codes, group, sizes)
    return Homogeneity(
        column=column,
        groups=100 * float(disclosed.mean()),
        expected=100 * _expected(target, K, group, sizes) / n,
        classes=100 * classes,
        class_key=class_key,
        least_values=least,
        distance=distance,
    )


def is_function(target: Target, key: Codes) -> bool:
    """Whether a key (n,), where it is known, determines a column in every class, of which there are several with two records."""
    known = key >= 0
    if not known.any():
        return False
    place = factorized(key[known])[0]
    sizes = np.bincount(place)
    values = Target(target.codes[known], None, target.usual[known])
    return bool(_uniform(values, place, len(sizes)).all() and (sizes >= 2).sum() > 1)


def _uniform(target: Target, group: Codes, count: int) -> Mask:
    """(count,) the groups all of whose records have one value; of many-valued numbers, values within 10 per cent of the median.

    A group with a missing value is none of them.
    """
    if target.numbers is None:
        of_group = np.full(count, -1, dtype=np.int64)  # the value of one of its records
        of_group[group] = target.codes
        differs = target.codes != of_group[group]
        return (np.bincount(group, differs, minlength=count) == 0) & (of_group >= 0)
    import pandas as pd

    known = ~np.isnan(target.numbers)
    least = np.full(count, np.inf)
    largest = np.full(count, -np.inf)
    np.minimum.at(least, group[known], target.numbers[known])
    np.maximum.at(largest, group[known], target.numbers[known])
    complete = (np.bincount(group, ~known, minlength=count) == 0) & np.isfinite(least)
    # The median is not larger than the largest number: the others need none.
    narrow = np.zeros(count, dtype=np.bool_)
    narrow[complete] = largest[complete] - least[complete] <= RANGE * np.maximum(
        np.abs(least[complete]), np.abs(largest[complete])
    )
    inside = narrow[group]
    if inside.any():
        median = pd.Series(target.numbers[inside]).groupby(group[inside]).median()
        width = (largest - least)[median.index]
        narrow[median.index] = width <= RANGE * median.abs()
    return narrow


def _expected(target: Target, K: Codes, group: Codes, sizes: Codes) -> float:
    """The number of records that are expected in groups of one unusual value, from what each key alone explains of the value.

    With k the keys of a group of m records, the chance of value v is q(v), proportional to p(v) prod_j p(v | k_j) / p(v).
    All m have it with chance q(v)^m, so that sum_v m u(v) q(v)^m records are expected, u(v) the unusual share of v's records.
    """
    known = target.codes >= 0
    large = np.flatnonzero(sizes >= 2)
    if not known.any() or not len(large):
        return 0.0
    codes = target.codes[known]
    values = int(codes.max()) + 1
    counts = np.bincount(codes, minlength=values)
    p = counts / known.sum()
    unusual = np.bincount(codes, ~target.usual[known], minlength=values) / np.maximum(counts, 1)
    conditional = list[
        tuple[Codes, Array]
    ]()  # by key, the place (n,) of its values in a table (levels, values) of p(v | k)
    for key in K.T:
        place, _ = factorized(key + 1)
        levels = int(place.max()) + 1
        if levels * values > CELLS:
            continue  # a key of so many values leaves no groups
        table = np.zeros((levels, values))
        np.add.at(table, (place[known], codes), 1.0)
        conditional.append((place, table / np.maximum(table.sum(axis=1, keepdims=True), 1.0)))
    first = np.unique(group, return_index=True)[1]  # a record of each group, which has its keys
    total = 0.0
    step = max(1, CELLS // values)
    for start in range(0, len(large), step):
        part = large[start : start + step]
        q = np.tile(p, (len(part), 1))  # (groups, values)
        for place, table in conditional:
            given_key = table[place[first[part]]]
            q *= np.divide(given_key, p, out=np.zeros_like(q), where=p > 0)
        q /= np.maximum(q.sum(axis=1, keepdims=True), 1e-300)
        m = sizes[part][:, None]
        total += float((m * unusual * q**m).sum())
    return total


def _classes(target: Target, key_names: Sequence[str], K: Codes) -> tuple[float, str]:
    """The share of the records in classes of one key whose value less than half of the file has, and the key of the largest."""
    n = len(K)
    counts = np.bincount(target.codes + 1)  # records of each value, after the missing ones
    having_value = counts[target.codes + 1]
    minority = (having_value < MINORITY * n) & (target.codes >= 0)
    second = int(np.sort(counts[1:])[-2]) if len(counts) > 2 else 0
    in_class = np.zeros(n, dtype=bool)
    largest = 0
    name = ""
    for key_name, key in zip(key_names, K.T, strict=True):
        place = factorized(key + 1)[0]
        sizes = np.bincount(place)
        usual = target.usual
        if target.numbers is None:
            # The commonest value of all others: a class does not make its own value usual.
            usual = usual & (having_value - sizes[place] >= second)
        is_uniform = _uniform(target, place, len(sizes))[place]
        found = is_uniform & minority & ~usual & (sizes[place] >= LEAST_CLASS)
        in_class |= found
        if found.sum() > largest:
            largest = int(found.sum())
            name = key_name
    return float(in_class.mean()), name


def _diversity(codes: Codes, group: Codes, sizes: Codes) -> tuple[int, float]:
    """l and t of the groups of at least two records: the fewest different values, and the largest total variation from the file.

    Source: Machanavajjhala et al. (2007); Li, Li and Venkatasubramanian (2007), with equal distances between values.
    """
    if not (sizes >= 2).any():
        return 0, 0.0
    place = codes + 1
    cells, counts = np.unique(np.column_stack([group, place]), axis=0, return_counts=True)
    different = np.bincount(cells[:, 0], minlength=len(sizes))
    # 1/2 sum |q - p| = sum over the group's values of (q - p)+, q its shares and p those of the file.
    share = counts / sizes[cells[:, 0]]
    of_file = np.bincount(place)[cells[:, 1]] / len(codes)
    distance = np.bincount(cells[:, 0], weights=np.maximum(share - of_file, 0.0), minlength=len(sizes))
    large = sizes >= 2
    return int(different[large].min()), float(distance[large].max())
