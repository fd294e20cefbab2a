"""Replicated uniques: members of a file whose unique combination of values the release has, too, against non-members."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ...data import Frame
from ...data.codes import combinations, factorized
from ...data.inferred import described
from ...data.predictors import Predictors
from ...rstream import RStream
from ...types import Array, Codes, Mask
from .attacks import Split
from .labellings import labellings

KINDS = ("category", "codes", "count", "date")  # of a confidential column whose values can be replicated
COMBINATIONS = 20  # of keys, beside all keys together
FEWEST_KEYS = 2  # columns of a combination
MOST_KEYS = 4
PERMUTATIONS = 199
SEED = 1  # of the combinations and the permutations, whose draws are apart from those of the audit


@dataclass(frozen=True, kw_only=True)
class Replicated:
    """How many more members than non-members are unique in the original, and unique with the same values in the release.

    Parameters
    ----------
    columns : tuple of str
        The combination of columns with the largest difference.
    members, others : float
        Per cent of the members, and of the others, that are replicated.
    p_value : float
        How likely chance alone makes a difference as large in any combination, from 0 to 1.
    """

    columns: tuple[str, ...]
    members: float
    others: float
    p_value: float

    @property
    def points(self) -> float:
        """The difference, percentage points."""
        return self.members - self.others


@dataclass(frozen=True)
class Keys:
    """Columns of which combinations are compared: positions in the predictors (n, s) and the attacked values (n, t) of a split."""

    predictors: tuple[tuple[str, tuple[int, ...]], ...]
    """Predictors, each with its places in X."""
    confidential: tuple[tuple[str, int], ...]
    """Confidential columns of a kind whose values can be replicated, each with its place in Y."""
    chosen: tuple[tuple[str, ...], ...]
    """The combinations, all columns together first. Each has a confidential one."""

    @classmethod
    def of(cls, frame: Frame, design: Predictors, confidential: Sequence[str]) -> Keys | None:
        """The keys of a file; None where no confidential column has such a kind. design : of X, whose terms have several columns."""
        discrete = discrete_columns(frame, confidential)
        if not discrete:
            return None
        columns = design.roles.independent
        coded = {name: term for term in design.terms for name in term.names}
        places = dict[str, tuple[int, ...]]()
        for j, name in enumerate(columns):
            column = coded[name].column if name in coded else name
            places[column] = (*places.get(column, ()), j)
        of_predictors = tuple(places.items())
        of_confidential = tuple((name, j) for j, name in enumerate(confidential) if name in discrete)
        names = [name for name, _ in (*of_predictors, *of_confidential)]
        return cls(of_predictors, of_confidential, (tuple(names), *_drawn(names, discrete)))

    def codes(self, split: Split) -> dict[str, Codes]:
        """Codes (n + N,) of each column, by name: of the originals, then of the release."""
        X = np.vstack([split.X, split.released])
        Y = np.vstack([split.Y, split.Z])
        codes = dict[str, Codes]()
        for name, places in self.predictors:
            codes[name] = combinations(_coded(X[:, list(places)]))
        for name, j in self.confidential:
            codes[name] = _coded(Y[:, [j]])[:, 0]
        return codes


def discrete_columns(frame: Frame, names: Iterable[str]) -> list[str]:
    """The columns that are categories, codes, counts or dates."""
    return [name for name in names if described(frame, name).kind in KINDS]


def _drawn(names: Sequence[str], discrete: Sequence[str]) -> list[tuple[str, ...]]:
    """At most 20 different combinations of 2 to 4 columns, each with a confidential one.

    Draws that have none, or that were drawn before, do not count: there are five for each combination.
    """
    stream = RStream(SEED)
    found = list[tuple[str, ...]]()
    for _ in range(5 * COMBINATIONS):
        size = FEWEST_KEYS + int(stream.runif(1)[0] * (MOST_KEYS - FEWEST_KEYS + 1))
        if size >= len(names):
            continue
        places = np.sort(stream.sample_int(len(names), size) - 1)
        combination = tuple(names[j] for j in places)
        has_confidential = any(name in discrete for name in combination)
        if has_confidential and combination not in found:
            found.append(combination)
    return found[:COMBINATIONS]


def _coded(A: object) -> Codes:
    """Codes (n, q) of the columns of numbers A (n, q), 0 and -0 equal."""
    return np.column_stack([factorized(column + 0.0)[0] for column in np.asarray(A).T])


def replicated_records(split: Split, keys: Keys) -> Array:
    """(k, n) by combination, 1 for originals that are unique on it, and have their values in exactly one released record.

    Records that are unique on the predictors of a combination do not count: these are released unchanged, so that the test
    `sample_uniques` counts them. Of m released records with a member's predictors one is its own, whose values chance makes
    equal as often as those of others. A record that is not a member has no such record, so that a member counts as (m - 1) / m.
    """
    codes = keys.codes(split)
    confidential = {name for name, _ in keys.confidential}
    n = len(split.Y)
    found = []
    for columns in keys.chosen:
        cell = combinations(np.column_stack([codes[name] for name in columns]))
        cells = int(cell.max()) + 1
        originals_in_cell = np.bincount(cell[:n], minlength=cells)
        released_in_cell = np.bincount(cell[n:], minlength=cells)
        cell_of_original = cell[:n]
        replicated = (originals_in_cell[cell_of_original] == 1) & (released_in_cell[cell_of_original] == 1)
        predictors = [codes[name] for name in columns if name not in confidential]
        group = np.zeros(len(cell), dtype=np.int64)  # without predictors all records are one group
        if predictors:
            group = combinations(np.column_stack(predictors))
            replicated &= np.bincount(group[:n])[group[:n]] > 1
        released_in_group = np.bincount(group[n:], minlength=int(group.max()) + 1)[group[:n]]
        of_others = (released_in_group - 1) / np.maximum(released_in_group, 1)
        found.append(replicated * np.where(split.member, of_others, 1.0))
    return np.array(found)


def replicated_of(keys: Keys, records: Sequence[Array], members: Sequence[Mask]) -> Replicated:
    """The combination that replicates most, as the mean over splits, with a p-value by permuted labels.

    records : of each split, as replicated_records(); members : of each split, the records (n,) that were protected.
    """
    stream = RStream(SEED)
    # By combination, per cent, as the mean over splits; the differences as they are, then under permuted labels.
    differences = np.zeros((1 + PERMUTATIONS, len(keys.chosen)))
    share_of_members = np.zeros(len(keys.chosen))
    share_of_others = np.zeros(len(keys.chosen))
    for values, member in zip(records, members, strict=True):
        m = int(member.sum())
        n = len(member)
        labels = labellings(member, PERMUTATIONS, stream)
        of_members = labels.astype(float) @ values.T / m
        of_others = (values.sum(axis=1) - of_members * m) / (n - m)
        differences += 100 * (of_members - of_others) / len(records)
        share_of_members += 100 * of_members[0] / len(records)
        share_of_others += 100 * of_others[0] / len(records)
    best = int(differences[0].argmax())
    # The largest difference of any combination is compared, as the best one was chosen.
    as_large = differences[1:].max(axis=1) >= differences[0, best]
    return Replicated(
        columns=keys.chosen[best],
        members=float(share_of_members[best]),
        others=float(share_of_others[best]),
        p_value=float((1 + as_large.sum()) / (1 + PERMUTATIONS)),
    )
