"""What an engine is given, and what it promises."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

Block = TypeVar("Block", contravariant=True)
Part = TypeVar("Part")
GivenBlock = TypeVar("GivenBlock")

SMALLEST = 4096  # rows; below twice as many there is one block
MOST = 256  # blocks of rows held in memory: parts are small, and so are the costs of handing out a block
MULTIPLE = 256  # rows that the kernels take at a time


class Kernel(Protocol[Block, Part]):
    """A sum over rows, from the sums of blocks of them."""

    def part(self, block: Block) -> Part:
        """What one block of rows contributes. May write to the arrays of its own block, and to nothing else."""

    def add(self, a: Part, b: Part) -> Part:
        """The sum of two parts; the rows of `a` come before those of `b`. May change `a`."""


class Engine(Protocol):
    """Runs a kernel over blocks, and adds their parts in the blocks' order: (((0 + 1) + 2) + 3)."""

    def total(self, kernel: Kernel[GivenBlock, Part], blocks: Iterable[GivenBlock]) -> Part:
        """The sum of the parts of at least one block. The same for any number of threads or workers, to the last bit."""


def row_blocks(n: int) -> list[slice]:
    """n >= 1 rows in blocks of about equal size, which depends on n and on nothing else.

    From 4096 to 8192 rows each (fewer than 8192 are one block, and more than 2 million are 256), in multiples of 256.
    """
    count = 1
    while count < MOST and n >= 2 * count * SMALLEST:
        count *= 2
    size = -(-n // (count * MULTIPLE)) * MULTIPLE
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]
