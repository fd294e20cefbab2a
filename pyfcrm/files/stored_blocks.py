"""The blocks of a release on disk, and its records in another order, without having them all in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ..types import Rows


class StoredBlocks:
    """Arrow tables with equal columns, each in a file of a temporary folder, which is removed at the end."""

    def __init__(self, folder: str) -> None:
        self._folder = TemporaryDirectory(prefix=".pyfcrm-order-", dir=folder or None)
        self._sizes = list[int]()

    def __enter__(self) -> StoredBlocks:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    @property
    def records(self) -> int:
        """The number of records of all blocks."""
        return sum(self._sizes)

    def add(self, block: Any) -> None:
        """A further block."""
        self._write(len(self._sizes), block)
        self._sizes.append(block.num_rows)

    def in_order(self, order: Rows) -> Iterator[Any]:
        """The records in another order, in blocks of at most the size of the largest one. order (n,) : positions as added.

        Each stored block is first sorted by the new positions of its records. The records of a new block are then one slice of
        each stored block: of all others nothing is read. In memory are two blocks, and a few whole numbers a record.
        """
        import pyarrow as pa

        if not len(order):
            return
        position = np.empty(len(order), dtype=np.int64)  # (n,) the new position of each stored record
        position[order] = np.arange(len(order))
        ends = np.cumsum([0, *self._sizes])
        size = max(self._sizes)
        for k, (start, end) in enumerate(pairwise(ends)):
            by_position = np.argsort(position[start:end])
            self._write(k, self._read(k).take(by_position))
            position[start:end] = np.sort(position[start:end])
        for first in range(0, len(order), size):
            parts, places = [], []
            for k, (start, end) in enumerate(pairwise(ends)):
                own = position[start:end]
                low, high = np.searchsorted(own, [first, first + size])
                parts.append(self._read(k).slice(low, high - low))
                places.append(own[low:high])
            # Levels of text may differ from block to block.
            whole = pa.concat_tables(parts).unify_dictionaries()
            yield whole.take(np.argsort(np.concatenate(places)))

    def _path(self, k: int) -> str:
        return os.path.join(self._folder.name, str(k))

    def _write(self, k: int, block: Any) -> None:
        from pyarrow import feather

        part = f"{self._path(k)}.part"  # the file itself may still be mapped
        feather.write_feather(block, part, compression="uncompressed")
        os.replace(part, self._path(k))

    def _read(self, k: int) -> Any:
        from pyarrow import feather

        return feather.read_table(self._path(k), memory_map=True)
