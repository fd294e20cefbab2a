"""The protocol of engines, blocks of rows, and BLAS on one thread."""

import operator
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Protocol, TypeVar

Block = TypeVar("Block")
Part = TypeVar("Part")

MIN_ROWS = 8192  # of a block; below twice as many there is one block, as threads would not save time
MAX_BLOCKS = 256
MULTIPLE = 256  # rows that kernels process at a time


class Engine(Protocol):
    """Applies a function to blocks of rows, and adds its results in the blocks' order: (((0 + 1) + 2) + 3)."""

    def total(
        self, part: Callable[[Block], Part], blocks: Iterable[Block], add: Callable[[Part, Part], Part] = operator.add
    ) -> Part:
        """The sum of the parts of at least one block. The same for any number of threads or workers, to the last bit.

        part : may write to the arrays of its own block only; add : of two parts, the rows of the first before those of the
        second.
        """


def row_blocks(n: int) -> list[slice]:
    """n >= 1 rows in blocks of about equal size, which depends on n and on nothing else.

    From 8192 to 16384 rows each (fewer than 16384 are one block, more than 4 million are 256 larger ones), in multiples
    of 256.
    """
    count = 1
    while count < MAX_BLOCKS and n >= 2 * count * MIN_ROWS:
        count *= 2
    size = -(-n // (count * MULTIPLE)) * MULTIPLE
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """BLAS on one thread: after each call its threads would keep the processors busy for a while."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache  # finding the BLAS libraries takes longer than a small fit
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
