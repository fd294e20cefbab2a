"""Greedy search of a lattice of levels: up to the first node with few failing records, then better neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..progress import OnStep
from .lattice import Lattice, Levels, Node


@dataclass(frozen=True)
class Search:
    """A greedy search: see `path`."""

    lattice: Lattice
    allowed: float
    """How many records may have their keys emptied."""
    step: OnStep
    """Called with the number of levels raised, and of all levels."""

    def path(self) -> list[Node]:
        """The nodes from no recoding to the chosen one; the last may fail where no node is allowed.

        Up: the next key is that which adds least loss for each record that stops failing. Then, as long as one exists, the
        best neighbour of less loss: one key a level lower or higher, or this and another key a level the other way.
        """
        nodes = [self.lattice.node((0,) * len(self.lattice.hierarchies))]
        while not self._is_allowed(nodes[-1]) and nodes[-1].levels != self.lattice.top:
            self.step(sum(nodes[-1].levels), sum(self.lattice.top))
            nodes.append(self._raised(nodes[-1]))
        while better := self._better(nodes[-1]):
            nodes.append(better)
        return nodes

    def _is_allowed(self, node: Node) -> bool:
        return node.failing <= self.allowed

    def _raised(self, node: Node) -> Node:
        """The node one level up that costs least for each record that stops failing."""
        above = [self.lattice.node(levels) for levels in _moved(node.levels, self.lattice.top, 1)]

        def cost(other: Node) -> tuple[bool, float]:
            solved = node.failing - other.failing
            # Without a record that stops failing, the key of least loss.
            return (solved <= 0, other.loss - node.loss if solved <= 0 else (other.loss - node.loss) / solved)

        return min(above, key=cost)

    def _better(self, node: Node) -> Node | None:
        """The allowed neighbour of least loss, if its loss is less than the node's, or the node is not allowed."""
        top = self.lattice.top
        near = [*_moved(node.levels, top, -1), *_moved(node.levels, top, 1)]
        near += [
            both for lower in _moved(node.levels, top, -1) for both in _moved(lower, top, 1) if both != node.levels
        ]
        allowed = [each for each in map(self.lattice.node, dict.fromkeys(near)) if self._is_allowed(each)]
        best = min(allowed, key=lambda each: each.loss, default=None)
        return best if best is not None and best.loss < node.loss - 1e-9 else None


def _moved(levels: Levels, top: Levels, step: int) -> Iterator[Levels]:
    """The levels with one key a level higher, or lower."""
    for j, level in enumerate(levels):
        if 0 <= level + step <= top[j]:
            yield (*levels[:j], level + step, *levels[j + 1 :])
