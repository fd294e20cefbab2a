"""Controlled permutation: new values for each margin, placed by rank, then permuted among near ranks."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..data.roles import Roles
from ..errors import Note
from ..linkage.informed import RankWindows
from ..numerics.location import location
from ..progress import Reporter
from ..rstream import RStream
from ..types import Array, Integers
from .facts import Facts
from .method import Method
from .parameter import param
from .work import NumberWork, Run

OUTSIDE_RANGE = "{count} of {total} values {count:lies outside its|lie outside their} attribute's original range"


@dataclass(frozen=True)
class Permutation(Method):
    """Each attribute separately: a sample of its estimated margin, placed by rank, permuted in blocks of k ranks.

    Parameters
    ----------
    k : int
        Ranks in a block, at least 1; 50 by default, the least that permutes in the case study of the source (1,000
        records; the study `permutation`). The last block takes the n mod k that are left over too. k = 1 keeps the
        ranks (much utility, little protection), k >= n permutes fully. Ranks move by less than 2k.

    Notes
    -----
    The margin is a Gaussian kernel estimate (Silverman's bandwidth) shrunk to the original's variance. So on average
    mean and variance are the original's. A note counts values outside its range. Equal values are ranked at random. X
    is not used.

    Draws: attribute by attribute: n records with replacement, n normals, n uniforms for ties, n for the permutation.

    Seed: undoes it. The permutation is known, so each record has its own rank again, and with the margin nearly its
    value.

    References
    ----------
    Muralidhar and Domingo-Ferrer (2023); the sample: Silverman (1986), 6.4.1.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> pf.protect(frame, pf.Permutation(50), roles).frame["AGE"].equals(frame["AGE"])
    True
    """

    k: int = param(
        50,
        low=1,
        dial=(2, 100_000),
        help="size of a block, from 1, which keeps the ranks; 50 is the least that permutes in the source's case study",
        unit="ranks",
    )

    about = "new values of the same margin, in the original's ranks but for permutation in blocks of k"
    term = "permutation in blocks"
    source = "Muralidhar and Domingo-Ferrer (2023)"
    group = "perturb"

    def work(self, roles: Roles, records: int | None) -> NumberWork:
        """See Method.work."""
        return NumberWork(self.release)

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        # Ranks stay within their block.
        within_block = RankWindows(partial(_reach, self.k), "nearest within the block of ranks on every attribute")
        return Facts(
            masks="perturb",
            pairs="always",
            keeps="",
            averages=True,
            reissues_values=False,
            undone_by_seed=True,
            weak_generator=False,
            deniable=False,
            privacy=None,
            swaps=False,
            attacks=(within_block,),
            seed_probe="first column",
        )

    def release(self, X: Array, Y: Array, run: Run) -> Array:
        """See NumberWork.release."""
        released = np.empty_like(Y)
        stream = run.stream
        n = len(Y)
        for j, y in enumerate(Y.T):
            run.tracker.step(j, Y.shape[1])
            values = np.sort(margin_sample(y, stream))
            by_rank = np.lexsort((stream.runif(n), y))
            released[by_rank, j] = values[permuted_in_blocks(n, self.k, stream)]
        note_outside_range(released, Y, run.note)
        return released


def note_outside_range(Z: Array, Y: Array, note: Reporter) -> None:
    """Notes how many of the new values Z (n, t) are outside the range of their column of Y (n, t)."""
    outside = int(((Y.min(axis=0) > Z) | (Y.max(axis=0) < Z)).sum())
    if outside:
        note(Note.of("outside_range", OUTSIDE_RANGE, count=outside, total=Y.size))


def margin_sample(y: Array, stream: RStream) -> Array:
    """Fresh draws (n,) from a kernel estimate of y (n,), with y's mean and variance on average.

    A draw is m + (y_I - m + hz)/sqrt(1 + h^2/s^2), m and s the mean and sd of y (1/n), I uniform, z normal.
    """
    n, where = len(y), location(y[:, None], ddof=0)
    mean, sd, h = where.origin[0] + where.offset[0], where.sd[0], bandwidth(y)
    chosen, z = y[stream.sample_int(n, n, replace=True) - 1], stream.rnorm(n)
    if sd == 0:
        return chosen
    return mean + ((chosen - mean) + h * z) / np.sqrt(1 + (h / sd) ** 2)


def bandwidth(y: Array) -> float:
    """R's bw.nrd0 of y (n,), 0 where y is constant: 0.9 min(sd, IQR/1.34) n^(-1/5), sd where the IQR is 0."""
    sd = location(y[:, None]).sd[0]
    low, high = np.quantile(y, [0.25, 0.75])
    return 0.9 * (min(sd, (high - low) / 1.34) or sd) * len(y) ** -0.2


def permuted_in_blocks(n: int, k: int, stream: RStream) -> Integers:
    """Ranks (n,) 0 .. n - 1, each block of k consecutive ones in random order. Draws: n uniforms."""
    return np.lexsort((stream.runif(n), _blocks(n, k)))


def _blocks(n: int, k: int) -> Integers:
    """Block (n,) of each rank, from 0."""
    return np.minimum(np.arange(n) // k, max(n // k - 1, 0))


def _reach(k: int, n: int) -> tuple[Integers, Integers]:
    """The first and the last rank (n,) of each rank's block."""
    block = _blocks(n, k)
    return np.searchsorted(block, block, side="left"), np.searchsorted(block, block, side="right") - 1
