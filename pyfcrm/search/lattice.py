"""The lattice of levels: every choice of a level for each key, with its loss and the records that fail the conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..data.codes import combinations, crossed
from ..numerics.group_conditions import Conditions, Target
from ..types import Array, Codes, Mask
from .hierarchies import Hierarchy, missing_as_group

Levels = tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """A choice of a level for each key."""

    levels: Levels
    """The level of each key."""
    loss: float
    """Per cent of the loss of a file without keys."""
    failing: int
    """Records in groups that fail the conditions: their keys are emptied."""


@dataclass
class Lattice:
    """The choices of levels for a file. Nodes are computed once.

    Loss is ARX's non-uniform entropy (de Waal and Willenborg 1999): sum over keys and records of
    log2(records with the group / records with the value). A record whose keys are emptied has one more group, that of all
    emptied records. Or it is discernibility (Bayardo and Agrawal 2005): the sum over records of their group's size, n for
    a record whose keys are emptied.
    """

    hierarchies: Sequence[Hierarchy]
    conditions: Conditions
    targets: Sequence[Target]
    by_entropy: bool
    """Whether loss is entropy, else discernibility."""
    nodes: dict[Levels, Node] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Records with equal keys and targets become one row."""
        columns = [missing_as_group(each, 0) for each in self.hierarchies] + [each.codes for each in self.targets]
        _, first, row_of_record = np.unique(
            combinations(np.column_stack(columns)), return_index=True, return_inverse=True
        )
        self._weights: Array = np.bincount(row_of_record).astype(np.float64)
        self._targets = tuple(Target(each.codes[first], each.ordered) for each in self.targets)
        self._groups = [
            [missing_as_group(each, level)[first] for level in range(each.top + 1)] for each in self.hierarchies
        ]
        self._generalized = [
            [self._entropy(j, level) for level in range(len(own))] for j, own in enumerate(self._groups)
        ]

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self._weights.sum())

    @property
    def top(self) -> Levels:
        """The coarsest level of every key."""
        return tuple(each.top for each in self.hierarchies)

    def node(self, levels: Levels) -> Node:
        """The node of these levels."""
        if levels not in self.nodes:
            groups = np.zeros(len(self._weights), dtype=np.int64)
            for own, level in zip(self._groups, levels, strict=True):
                groups = crossed(groups, own[level])
            failing_groups = self.conditions.failing(groups, self._weights, self._targets)
            failing = failing_groups[groups]
            if self.by_entropy:
                loss = self._entropy_loss(levels, failing)
            else:
                loss = self._discernibility(groups, failing_groups)
            self.nodes[levels] = Node(levels, 100 * loss / self.worst, int(self._weights[failing].sum()))
        return self.nodes[levels]

    @property
    def worst(self) -> float:
        """The loss, in its own unit, of a file in which all keys are empty."""
        n = self.records
        if not self.by_entropy:
            return float(n * n)
        bits = 0.0
        for own in self._groups:
            count = np.bincount(own[0], self._weights)
            count = count[count > 0]
            bits += float((count * np.log2(n / count)).sum())
        return bits or 1.0  # all keys are constant: nothing can be lost

    def _entropy(self, j: int, level: int) -> float:
        """The loss of recoding key j to a level, in bits."""
        value = self._groups[j][0]
        group = self._groups[j][level]
        of_value = np.bincount(value, self._weights)
        of_group = np.bincount(group, self._weights)
        return float((self._weights * np.log2(of_group[group] / of_value[value])).sum())

    def _entropy_loss(self, levels: Levels, failing: Mask) -> float:
        """Bits of recoding, and of emptying the keys of the failing rows."""
        loss = sum(own[level] for own, level in zip(self._generalized, levels, strict=True))
        weights = self._weights[failing]
        emptied = weights.sum()
        for own, level in zip(self._groups, levels, strict=True):
            count = np.bincount(own[level][failing], weights)
            count = count[count > 0]
            loss += float((count * np.log2(emptied / count)).sum())
        return float(loss)

    def _discernibility(self, groups: Codes, failing_groups: Mask) -> float:
        sizes = np.bincount(groups, self._weights)
        emptied = sizes[failing_groups].sum()
        return float((sizes[~failing_groups] ** 2).sum() + self.records * emptied)
