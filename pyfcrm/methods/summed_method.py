"""Base class of methods that need only sums over records."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.blocks import Sample, loaded, pieces
from ..engine import Local
from ..rstream import RStream
from ..types import Array
from .method import PLAIN_RUN, Method, Run, finite


@dataclass(frozen=True)
class Released:
    """The release of a summed method, computed block by block.

    Parameters
    ----------
    values : callable
        Of a block (b, s + t + k) with k additional columns, the protected (b, t).
    draws : sequence of ndarray, optional
        These k columns by block, usually random draws.
    """

    values: Callable[[Array], Array]
    draws: Sequence[Any] | None = None

    def blocks(self, records: Sequence[Any]) -> Iterator[Array]:
        """The protected values.

        Parameters
        ----------
        records : sequence of ndarray, shape (b, s + t)
            The blocks of records.

        Returns
        -------
        iterator of ndarray, shape (b, t)
            In the order of the blocks.

        Raises
        ------
        InvalidInput
            For values that are not finite.
        """
        for k, block in enumerate(records):
            yield finite(self.values(loaded(block if self.draws is None else (block, self.draws[k]))))


@dataclass(frozen=True)
class SummedMethod(Method):
    """A method that needs only sums over records, which may be in memory, on disk or on a cluster. It overrides `fit`."""

    def fit(self, sample: Sample, stream: RStream, run: Run) -> Released:
        """The release of the sample's dependent columns.

        Parameters
        ----------
        sample : Sample
            The records, by blocks; draws and results of a pass are cached in memory, and repeated elsewhere.
        stream : RStream
            Source of randomness.
        run : Run
            As in `protect`; the engine is the sample's.

        Returns
        -------
        Released
            The protected values, block by block.
        """
        raise NotImplementedError

    def protect(self, X: Array, Y: Array, stream: RStream, run: Run = PLAIN_RUN) -> Array:
        """See Method.protect."""
        sample = Sample.of(X, Y, run.engine)
        return np.vstack(list(self.fit(sample, stream, run).blocks(pieces(sample.rows, Local()))))

    @property
    def by_blocks(self) -> bool:
        """See Method.by_blocks."""
        return True
